// The page's one way to handle answers that come too late: only the newest question counts.
//
// One question is under way at a time. Of those that are asked meanwhile only the newest is kept,
// so that a dragged slider does not flood the server. A question is repeated while the server is
// gone, unless a newer one has been asked.

import { persistently } from "./server.svelte";

/** A question gets `fresh`, which is false as soon as a newer one has been asked. */
export type Question = (fresh: () => boolean) => Promise<void>;

export class Latest {
  private asked = 0;
  private next: (() => Promise<void>) | null = null;
  private underWay: Promise<void> | null = null;

  /** Ask now, or when the question under way is answered. Resolves when none is left. */
  ask(question: Question): Promise<void> {
    const mine = ++this.asked;
    const fresh = () => mine === this.asked;
    this.next = () => persistently(() => question(fresh), fresh);
    this.underWay ??= this.work().finally(() => (this.underWay = null));
    return this.underWay;
  }

  private async work(): Promise<void> {
    while (this.next) {
      const question = this.next;
      this.next = null;
      await question();
    }
  }
}
