// The document that holds the page as a figure, such as a notebook: each tells the other the moment.

/** What is looked at: updates made, and the selected point. */
export interface Moment {
  step: number;
  point: number | null;
}

/** What the page and its holder send each other. */
export type Message =
  | ({ rosenblatt: "ready" } & Moment) // the page can be told something, and shows this
  | ({ rosenblatt: "moment" } & Moment)
  | { rosenblatt: "height"; height: number } // what the page needs
  | { rosenblatt: "theme"; dark: boolean };

const whole = (value: unknown): value is number => Number.isSafeInteger(value);

/** A message that has come; null if it is something else. */
export function read(data: unknown): Message | null {
  const given = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
  const { rosenblatt: kind, step, point, height, dark } = given;
  if (kind === "theme") return { rosenblatt: kind, dark: dark === true };
  if (kind === "height" && typeof height === "number" && height > 0) return { rosenblatt: kind, height };
  if ((kind === "ready" || kind === "moment") && whole(step) && (point === null || whole(point))) return { rosenblatt: kind, step, point };
  return null;
}

/** One side of the conversation about the moment: it does not repeat what both know. */
export class Conversation {
  constructor(private known: Moment, private readonly send: (message: Message) => void) {}

  /** Tell the other side, if this is news. */
  tell({ step, point }: Moment): void {
    if (step === this.known.step && point === this.known.point) return;
    this.known = { step, point };
    this.send({ rosenblatt: "moment", step, point });
  }

  /** The other side has told this. */
  hear({ step, point }: Moment): void {
    this.known = { step, point };
  }
}
