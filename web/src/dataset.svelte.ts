// The points: where they came from, what they are called, and which of them are held out.

import { edited, listed } from "./edits";
import { frame, type View } from "./geometry";
import { arranged } from "./held";
import type { DataState, Link, Origin } from "./link";
import { DamagedLink } from "./link_checks";
import type { Drawn, Limits, Table } from "./schema";

export interface Example {
  x: [number, number];
  label: number;
}

/** What the coordinates are called where nobody has named them. */
export const PLAIN_AXES: [string, string] = ["x₁", "x₂"];

/** All of a data set that undo brings back. */
export interface DataSnapshot {
  examples: Example[];
  held: number;
  share: number;
  names: Record<string, string>;
  axes: [string, string];
  source: DataState | null;
  drawn: Drawn | null;
  origin: Origin | null;
}

const ULPS = 1e-9; // by which a generator may differ from machine to machine

export class Dataset {
  examples = $state.raw<Example[]>([]); // those held out come last
  held = $state(0); // how many they are
  share = $state(0); // the fraction of points to hold out when a set comes
  names = $state.raw<Record<string, string>>({});
  axes = $state.raw(PLAIN_AXES); // names of the coordinates
  source = $state.raw<DataState | null>(null); // the generator's settings; null for one's own points
  drawn = $state.raw<Drawn | null>(null); // what the generator knows of them
  origin = $state.raw<Origin | null>(null); // the generator's points, even if some have been changed by hand
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
    this.origin = source && { source, drawn };
    this.names = {};
    this.axes = PLAIN_AXES;
  }

  /** Take the points of a link; `origin` is what its generator draws. Throws `DamagedLink`. */
  open({ points, labels, edits, held, share, names }: Link, origin: Origin | null, limits: Limits): void {
    const own = points?.map((x, n): Example => ({ x: [x[0], x[1]], label: labels![n] }));
    const drawn = origin && arranged(listed(origin.drawn), share, origin.source.seed).examples;
    const examples = own ?? (edits && origin ? edited(origin, share, edits, limits.points) : drawn);
    if (!examples || examples.length > limits.points) throw new DamagedLink("its points are not those of its generator");
    if (new Set(examples.map((e) => e.label)).size > limits.classes) throw new DamagedLink("it has too many classes");
    if (held > 0 && held >= examples.length) throw new DamagedLink("it leaves no point to learn from");
    this.share = share;
    if (origin && drawn && !edits && same(examples, drawn)) this.take(origin.drawn, origin.source);
    else Object.assign(this, { examples, held, source: null, drawn: null, origin: own ? null : origin });
    this.names = names;
    this.axes = PLAIN_AXES;
  }

  /** Take a set of one's own. */
  receive(examples: Example[], names: Record<string, string>, axes = PLAIN_AXES): void {
    this.arrange(examples, 0);
    this.replace(this.examples);
    this.origin = null;
    this.names = names;
    this.axes = axes;
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
    const { examples, held, share, names, axes, source, drawn, origin } = this;
    return { examples, held, share, names, axes, source, drawn, origin };
  }

  restore({ examples, held, share, names, axes, source, drawn, origin }: DataSnapshot): void {
    Object.assign(this, { examples, held, share, names, axes, source, drawn, origin });
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

/** Whether points are alike, but for the last digits. */
function same(one: Example[], other: Example[]): boolean {
  const near = (a: Example, b: Example) => a.label === b.label && a.x.every((v, j) => Math.abs(v - b.x[j]) < ULPS);
  return one.length === other.length && one.every((point, n) => near(point, other[n]));
}
