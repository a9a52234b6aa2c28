// The keys of the workspace, and of planes in the guide: what each of them does to a lab.

import type { Lab } from "./lab.svelte";

/** Actions that belong to the page around the lab. */
export interface PageActions {
  help?: () => void;
  newData?: () => void;
  present?: () => void;
}

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
};

/** Do what a key stands for; nothing if it belongs to a field, a button or a dialog. */
export function pressKey(event: KeyboardEvent, lab: Lab, page: PageActions = {}): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event)) return;
  const action = pointMove(event, lab) ?? timeAction(event, lab) ?? selection(event, lab, page) ?? editing(event, lab, page);
  if (!action) return;
  event.preventDefault();
  action();
}

type Action = (() => void) | undefined;

function isElsewhere(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (document.querySelector("dialog[open]")) return true;
  if (event.key === "Escape" && document.querySelector(":popover-open")) return true;
  const range = target instanceof HTMLInputElement && target.type === "range";
  if (target.closest("input, select, textarea")) return !(range && event.key === " ");
  return event.key === " " && target.closest("button, a") !== null;
}

/** With a point selected the arrows move it; with shift, finely. */
function pointMove(event: KeyboardEvent, lab: Lab): Action {
  const arrow = ARROWS[event.key];
  const point = lab.session.frozen ? null : lab.selected;
  if (point === null || !arrow || !lab.data.examples[point]) return undefined;
  const { x: [left, right] } = lab.data.view;
  const step = ((right - left) / 100) * (event.shiftKey ? 0.2 : 1);
  const [x, y] = lab.data.examples[point].x.map((v, j) => Number((v + step * arrow[j]).toPrecision(6)));
  return () => {
    if (!event.repeat) lab.grab(); // until the key is let go
    lab.move(point, [x, y]);
  };
}

function timeAction(event: KeyboardEvent, { clock }: Lab): Action {
  const go = (by: 1 | -1) => () => {
    clock.pause();
    if (event.shiftKey) clock.passBy(by);
    else clock.stepBy(by);
  };
  const jump = (to: () => number) => () => {
    clock.pause();
    clock.to(to());
  };
  return {
    " ": () => clock.toggle(),
    ArrowLeft: go(-1),
    ArrowRight: go(1),
    Home: jump(() => 0),
    End: jump(() => clock.end),
  }[event.key];
}

function selection(event: KeyboardEvent, lab: Lab, page: PageActions): Action {
  const panel = "123456789".indexOf(event.key);
  if (panel >= 0 && event.key.length === 1 && panel < lab.session.panels.length) {
    return () => (lab.session.focus = panel);
  }
  return {
    ",": () => lab.selectBy(-1),
    ".": () => lab.selectBy(1),
    Escape: () => (lab.selected = null),
    "?": page.help,
    p: page.present,
    P: page.present,
  }[event.key];
}

function editing(event: KeyboardEvent, lab: Lab, page: PageActions): Action {
  if (lab.session.frozen) return undefined;
  const { view } = lab.data;
  const point = lab.selected;
  const remove = point === null ? undefined : () => lab.remove(point);
  return {
    f: point === null ? undefined : () => lab.flip(point),
    delete: remove,
    backspace: remove,
    a: () => lab.add([(view.x[0] + view.x[1]) / 2, (view.y[0] + view.y[1]) / 2], lab.brush),
    n: page.newData,
    b: lab.canBranch ? () => lab.startBranch() : undefined,
    z: event.shiftKey ? () => lab.redo() : () => lab.undo(),
  }[event.key.toLowerCase()];
}
