// The figure in a notebook, as anywidget shows it: a frame with the page, and its moment as traits.

import { Conversation, read, type Message, type Moment } from "./host";

/** The part of anywidget's model that is used here. */
interface Model {
  get(name: "page"): string;
  get(name: "step"): number;
  get(name: "point"): number | null;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(events: string, listener: () => void): void;
  off(events: string, listener: () => void): void;
}

const FIRST_HEIGHT = 560; // pixels, until the page has said what it needs
const MOST_HEIGHT = 4000;

/** Whether text is light where the figure stands, so that the notebook is dark. */
function isDark(place: Element): boolean {
  const [red = 0, green = 0, blue = 0] = (getComputedStyle(place).color.match(/[\d.]+/g) ?? []).map(Number);
  return 0.3 * red + 0.6 * green + 0.1 * blue > 128;
}

function makeFrame(page: string): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.title = "Rosenblatt: a run";
  frame.setAttribute("sandbox", "allow-scripts"); // of an origin of its own: it cannot reach the notebook
  frame.style.cssText = `display: block; width: 100%; height: ${FIRST_HEIGHT}px; border: 0`;
  frame.srcdoc = page;
  return frame;
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const frame = makeFrame(model.get("page"));
  const send = (message: Message) => frame.contentWindow?.postMessage(message, "*");
  const seen = (): Moment => ({ step: model.get("step"), point: model.get("point") });
  const conversation = new Conversation({ step: 0, point: null }, send);
  let hearing = false; // a change that comes from this page
  const tell = () => {
    if (!hearing) conversation.tell(seen());
  };
  const dress = () => send({ rosenblatt: "theme", dark: isDark(el) });

  function take({ step, point }: Moment): void {
    hearing = true;
    model.set("step", step);
    model.set("point", point);
    hearing = false;
    model.save_changes();
  }

  function hear(event: MessageEvent): void {
    const message = event.source === frame.contentWindow ? read(event.data) : null;
    if (message?.rosenblatt === "height") frame.style.height = `${Math.min(MOST_HEIGHT, message.height)}px`;
    else if (message?.rosenblatt === "ready") {
      conversation.hear(message); // also when the notebook has moved the frame, which loads it again
      dress();
      tell();
    } else if (message?.rosenblatt === "moment") {
      conversation.hear(message);
      take(message);
    }
  }

  const themes = new MutationObserver(dress);
  themes.observe(document.body, { attributes: true });
  addEventListener("message", hear);
  model.on("change:step change:point", tell);
  el.append(frame);
  return () => {
    themes.disconnect();
    removeEventListener("message", hear);
    model.off("change:step change:point", tell);
  };
}

export default { render };
