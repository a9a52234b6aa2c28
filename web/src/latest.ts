// The page's one way to handle answers that come too late: only the newest question counts.
//
// One question is under way at a time. Of those that are asked meanwhile only the newest is kept,
// so that a dragged slider floods nobody. The one under way may still be answered, so that a picture
// follows a movement; if that takes longer than PATIENCE, it is given up. A question is repeated
// while the server is gone, unless a newer one has been asked.

import { persistently } from "./server.svelte";

const PATIENCE = 200; // milliseconds that a question may take when a newer one waits

/** A question gets `fresh`, which is false as soon as a newer one has been asked, and a signal to stop. */
export type Question = (fresh: () => boolean, signal: AbortSignal) => Promise<void>;

export class Latest {
  private asked = 0;
  private next: (() => Promise<void>) | null = null;
  private underWay: Promise<void> | null = null;
  private begun = 0; // when the question under way was asked
  private stop = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Ask now, or when the question under way is answered. Resolves when none is left. */
  ask(question: Question): Promise<void> {
    const mine = ++this.asked;
    const fresh = () => mine === this.asked;
    this.next = () => persistently(() => this.answered(question, fresh), fresh);
    if (this.underWay) this.giveUpSoon();
    this.underWay ??= this.work().finally(() => (this.underWay = null));
    return this.underWay;
  }

  private async work(): Promise<void> {
    while (this.next) {
      const question = this.next;
      this.next = null;
      [this.begun, this.stop] = [performance.now(), new AbortController()];
      await question();
      clearTimeout(this.timer);
    }
  }

  private giveUpSoon(): void {
    clearTimeout(this.timer);
    const { stop } = this;
    this.timer = setTimeout(() => stop.abort(), Math.max(0, this.begun + PATIENCE - performance.now()));
  }

  private async answered(question: Question, fresh: () => boolean): Promise<void> {
    const { signal } = this.stop;
    try {
      await question(fresh, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
