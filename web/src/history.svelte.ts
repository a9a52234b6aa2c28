// What can be undone and redone: snapshots of a state, which are never changed afterwards.

const KEPT = 100;

export class History<Snapshot> {
  private past = $state.raw<Snapshot[]>([]);
  private future = $state.raw<Snapshot[]>([]);
  readonly canUndo = $derived(this.past.length > 0);
  readonly canRedo = $derived(this.future.length > 0);
  private movement: "none" | "begun" | "recorded" = "none";

  /** From here to `end` all changes are one: a drag, a stroke, a slider. */
  begin(): void {
    this.movement = "begun";
  }

  end(): void {
    this.movement = "none";
  }

  /** Keep the state before a change. */
  record(before: Snapshot): void {
    if (this.movement === "recorded") return;
    if (this.movement === "begun") this.movement = "recorded";
    this.past = [...this.past, before].slice(-KEPT);
    this.future = [];
  }

  /** The state to go back to, given the present one; undefined if there is none. */
  undo(present: Snapshot): Snapshot | undefined {
    const before = this.past.at(-1);
    if (before === undefined) return undefined;
    this.past = this.past.slice(0, -1);
    this.future = [...this.future, present];
    return before;
  }

  /** The state that was undone last, given the present one; undefined if there is none. */
  redo(present: Snapshot): Snapshot | undefined {
    const after = this.future.at(-1);
    if (after === undefined) return undefined;
    this.future = this.future.slice(0, -1);
    this.past = [...this.past, present];
    return after;
  }

  clear(): void {
    this.past = [];
    this.future = [];
  }
}
