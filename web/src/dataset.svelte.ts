// The points: where they came from, what they are called, and which of them are held out.

import { frame, type View } from "./geometry";
import { arranged } from "./held";
import type { DataState } from "./link";
import type { Drawn, Table } from "./schema";

export interface Example {
  x: [number, number];
  label: number;
}

/** All of a data set that undo brings back. */
export interface DataSnapshot {
  examples: Example[];
  held: number;
  share: number;
  names: Record<string, string>;
  source: DataState | null;
  drawn: Drawn | null;
}

export class Dataset {
  examples = $state.raw<Example[]>([]); // those held out come last
  held = $state(0); // how many they are
  share = $state(0); // the fraction of points to hold out when a set comes
  names = $state.raw<Record<string, string>>({});
  source = $state.raw<DataState | null>(null); // the generator's settings; null for one's own points
  drawn = $state.raw<Drawn | null>(null); // what the generator knows of them
  private steady = $state.raw<View | null>(null); // what is seen while a hand is on the points
  readonly view = $derived(this.steady ?? frame(this.examples.map((e) => e.x)));
  readonly learned = $derived(this.examples.length - this.held);
  readonly classes = $derived([...new Set(this.examples.map((e) => e.label))].sort((a, b) => a - b));

  name(label: number): string {
    const signs = this.classes.length <= 2 && Math.abs(label) === 1;
    return this.names[label] ?? (signs ? (label > 0 ? "+1" : "−1") : String(label));
  }

  /** Keep the view: one that follows the point under the pointer would carry it away. */
  holdView(): void {
    this.steady = this.view;
  }

  releaseView(): void {
    this.steady = null;
  }

  /** The points to learn from, for the server. */
  table(): Table {
    const learned = this.examples.slice(0, this.learned);
    return { points: learned.map((e) => e.x), labels: learned.map((e) => e.label) };
  }

  /** Take points from a generator, or from a file. */
  take(drawn: Drawn, source: DataState | null): void {
    this.arrange(listed(drawn), source?.seed ?? 0);
    this.source = source;
    this.drawn = drawn;
    this.names = {};
  }

  /** Whether these are the very points that a generator has drawn. */
  equals(drawn: Drawn, source: DataState): boolean {
    const { examples } = arranged(listed(drawn), this.share, source.seed);
    return JSON.stringify(examples) === JSON.stringify(this.examples);
  }

  /** Take a set of one's own. */
  receive(examples: Example[], names: Record<string, string>): void {
    this.arrange(examples, 0);
    this.replace(this.examples);
    this.names = names;
  }

  /** Hold out a share of the points. */
  hold(share: number): void {
    this.share = share;
    this.arrange(this.drawn ? listed(this.drawn) : this.examples, this.source?.seed ?? 0);
  }

  /** Add a point to learn from; its number. */
  add(x: [number, number], label: number): number {
    this.replace(this.examples.toSpliced(this.learned, 0, { x, label }));
    return this.learned - 1;
  }

  move(index: number, x: [number, number]): void {
    this.replace(this.examples.with(index, { ...this.examples[index], x }));
  }

  /** Give a point the next class; its label then. */
  flip(index: number): number {
    const { classes, examples } = this;
    const { x, label } = examples[index];
    const next = classes.length > 1 ? classes[(classes.indexOf(label) + 1) % classes.length] : label === 1 ? -1 : 1;
    this.replace(examples.with(index, { x, label: next }));
    return next;
  }

  remove(index: number): void {
    if (index >= this.learned) this.held--;
    this.replace(this.examples.toSpliced(index, 1));
  }

  snapshot(): DataSnapshot {
    const { examples, held, share, names, source, drawn } = this;
    return { examples, held, share, names, source, drawn };
  }

  restore({ examples, held, share, names, source, drawn }: DataSnapshot): void {
    Object.assign(this, { examples, held, share, names, source, drawn });
  }

  /** Points changed by hand are no longer those of a generator. */
  private replace(examples: Example[]): void {
    this.examples = examples;
    this.source = null;
    this.drawn = null;
  }

  private arrange(examples: Example[], seed: number): void {
    Object.assign(this, arranged(examples, this.share, seed));
  }
}

function listed(drawn: Drawn): Example[] {
  return drawn.points.map((p, n) => ({ x: [p[0], p[1]], label: drawn.labels[n] }));
}
