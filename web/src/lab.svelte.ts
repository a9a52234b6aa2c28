// A lab: points, what is run on them, and one clock. The workspace is one, and so is each figure.
//
// Here are the actions: each records what can be undone, changes the parts, and runs them again.

import { api, Refused } from "./api";
import { Clock } from "./clock.svelte";
import { Dataset, PLAIN_AXES, type DataSnapshot, type Example } from "./dataset.svelte";
import { threads, type Learner } from "./engine/learner";
import type { Facts } from "./explanations";
import { History } from "./history.svelte";
import { Latest } from "./latest";
import type { DataState, Link, Origin, PanelState, State } from "./link";
import { DamagedLink } from "./link_checks";
import type { Document, Drawn, Opening, Registry } from "./schema";
import { persistently } from "./server.svelte";
import { Session, type SessionSnapshot } from "./session.svelte";
import { stats } from "./stats";

export type Tool = "move" | "add" | "paint" | "flip" | "erase";

const QUIET_SPEED = 4; // playing faster than this is not announced step by step

export class Lab {
  readonly data = new Dataset();
  readonly session: Session;
  readonly clock: Clock;
  readonly history = new History<DataSnapshot & SessionSnapshot>();
  tab = $state("happened");
  tool = $state<Tool>("move");
  brush = $state(1); // the class of new points
  selected = $state<number | null>(null);
  hovered = $state<number | null>(null);
  hand = $state.raw<[number, number, number] | null>(null); // a line drawn by hand
  held = $state(false); // a hand is on the points
  proofShown = $state(true); // the certificate in the plane
  announcement = $state(""); // for the live region
  sentence = $state<string | null>(null); // the sentence of a text that the figure shows
  private readonly drawing = new Latest();
  private opened = 0; // links so far

  constructor(registry: Registry, learner: Learner = threads) {
    this.session = new Session(registry, this.data, learner);
    this.clock = new Clock(this.session, () => this.announceMoment());
  }

  // --- points ---------------------------------------------------------------------------------

  /** Put a hand on the points: until it lets go, the view stands still and all changes are one. */
  grab(): void {
    this.held = true;
    this.history.begin();
    this.data.holdView();
  }

  letGo(): void {
    this.held = false;
    this.history.end();
    this.data.releaseView();
  }

  /** Draw points from a generator; `record` is false where there is nothing to undo. */
  async draw(source: DataState, record = true): Promise<void> {
    if (record) this.record();
    let learned: Promise<void> | undefined;
    await this.drawing.ask(async (fresh) => {
      try {
        const drawn = await api.data(source, this.session.registry);
        if (!fresh()) return;
        this.take(drawn, source);
        learned = this.session.learn();
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.session.faults = this.session.panels.map(() => error.message);
      }
    });
    await learned;
  }

  /** Draw other points in the same way. */
  newData(): void {
    const { generator, parameters, seed } = this.data.source ?? { generator: "halfplanes", parameters: {}, seed: 0 };
    void this.draw({ generator, parameters, seed: seed + 1 });
  }

  take(drawn: Drawn, source: DataState | null): void {
    this.data.take(drawn, source);
    Object.assign(this.session, { branch: null, trunk: [] });
    this.selected = null;
  }

  /** Take a set of one's own. */
  receive(examples: Example[], names: Record<string, string>, axes = PLAIN_AXES): void {
    this.change(() => {
      Object.assign(this.session, { branch: null, trunk: [] });
      this.data.receive(examples, names, axes);
    });
  }

  /** Hold out a share of the points. */
  hold(share: number): void {
    this.change(() => this.data.hold(share));
    this.selected = null;
  }

  add(x: [number, number], label: number): void {
    if (this.data.examples.length >= this.session.registry.limits.points) return;
    this.change(() => (this.selected = this.data.add(x, label)));
    this.announcement = `Point ${this.data.learned} added, class ${this.data.name(label)}.`;
  }

  move(index: number, x: [number, number]): void {
    this.change(() => this.data.move(index, x));
  }

  flip(index: number): void {
    this.change(() => {
      const label = this.data.flip(index);
      this.announcement = `Point ${index + 1} is now ${this.data.name(label)}.`;
    });
  }

  remove(index: number): void {
    this.change(() => this.data.remove(index));
    const count = this.data.examples.length;
    this.selected = count ? Math.min(index, count - 1) : null;
    this.announcement = `Point ${index + 1} deleted.`;
  }

  /** Select the next or the previous point. */
  selectBy(step: 1 | -1): void {
    const count = this.data.examples.length;
    const from = this.selected ?? (step > 0 ? -1 : 0);
    this.selected = count ? (from + step + count) % count : null;
    this.announcement = `Point ${(this.selected ?? 0) + 1}.`;
  }

  /** Which points a line drawn by hand gets wrong; of its two sides the better one is positive. */
  get handErrors(): boolean[] {
    if (!this.hand) return [];
    const [a, b, c] = this.hand;
    const { classes, examples } = this.data;
    const scores = examples.map(({ x, label }) => (label === classes[1] ? 1 : -1) * (a * x[0] + b * x[1] + c));
    const sides = [1, -1].map((side) => scores.map((score) => side * score <= 0));
    const [one, other] = sides.map((errors) => errors.slice(0, this.data.learned).filter(Boolean).length);
    return sides[one <= other ? 0 : 1];
  }

  // --- algorithms -----------------------------------------------------------------------------

  setPanels(panels: PanelState[]): void {
    this.change(() => this.session.restore({ ...this.session.snapshot(), panels }));
  }

  setParameter(panel: number, name: string, value: PanelState["parameters"][string]): void {
    const { panels } = this.session;
    const { algorithm, parameters } = panels[panel];
    this.setPanels(panels.with(panel, { algorithm, parameters: { ...parameters, [name]: value } }));
  }

  reseed(seed: number): void {
    this.change(() => (this.session.seed = seed));
  }

  /** Open other algorithms on other points. */
  async openPreset(source: DataState, panels: PanelState[]): Promise<void> {
    this.record();
    this.session.panels = panels;
    this.session.focus = 0;
    this.clock.to(0);
    await this.draw(source, false);
    this.clock.to(0);
  }

  /** Show a run that is already there. */
  show(document: Document): void {
    const { points, classes, targets } = document.data;
    const labels = classes.map((c, n) => (typeof c === "number" ? c : classes.length === 2 ? 2 * n - 1 : n));
    const examples = points.map((p, n): Example => ({ x: [p[0], p[1] ?? 0], label: labels[targets[n]] }));
    const named = classes.flatMap((c, n) => (typeof c === "number" ? [] : [[labels[n], String(c)]]));
    this.data.receive(examples, Object.fromEntries(named));
    this.session.show(document);
    this.clock.to(0);
  }

  /** Show a run, and what is proved of its points, as they are: nothing can be changed. */
  showFrozen({ document, verdict }: Opening): void {
    this.show(document!);
    this.session.verdict = verdict;
    this.session.frozen = true;
  }

  /** What is known of a panel at this moment. */
  facts(index: number): Facts | null {
    const run = this.session.runAt(index, this.clock.now);
    if (!this.session.fits(run)) return null;
    const { verdict } = this.session;
    const T = Math.min(this.clock.now, run.visits);
    const count = this.data.held;
    const held = count ? { wrong: this.session.missed(run, T).filter(Boolean).length, count } : null;
    return { run, T, verdict, stats: stats(run, T, verdict), held };
  }

  // --- a branch: the same order goes on from this moment, on points that may change ------------------------

  get canBranch(): boolean {
    const { frozen, run, focus } = this.session;
    return !frozen && run !== null && this.session.branch === null && this.clock.now > 0 && this.session.restarts(focus) === null;
  }

  startBranch(): void {
    const { run } = this.session;
    if (!run) return;
    const { now } = this.clock;
    const { bias } = run.document.data;
    const rows = run.weights(now, "last").flatMap((w, f) => run.courses[f].asRows(w));
    this.change(() => {
      this.session.trunk = this.session.runs;
      this.session.branch = {
        at: run.step(now),
        visits: now,
        coef: rows.map((row) => row.slice(0, -1)),
        intercept: rows.map((row) => row[row.length - 1] * bias),
      };
    });
  }

  endBranch(): void {
    this.change(() => {
      Object.assign(this.session, { branch: null, trunk: [] });
    });
  }

  // --- undo, redo, links ----------------------------------------------------------------------

  undo(): void {
    this.restore(this.history.undo(this.snapshot()));
  }

  redo(): void {
    this.restore(this.history.redo(this.snapshot()));
  }

  /** Everything that is seen, for a link. */
  state(): State {
    const { examples, held, share, names, source, origin } = this.data;
    const { panels, seed, focus, branch } = this.session;
    return {
      points: examples.map((e) => [...e.x]),
      labels: examples.map((e) => e.label),
      held, share, names, source, origin, panels, seed,
      clock: this.clock.now,
      focus,
      tab: this.tab,
      branch,
      hand: this.hand,
    };
  }

  /** Show what a link contains. Throws `DamagedLink`, or `Refused` if its points cannot be drawn. */
  async open(link: Link): Promise<void> {
    const mine = ++this.opened;
    const { panels, seed, branch, source } = link;
    const unknown = panels.find((panel) => !this.session.knows(panel.algorithm));
    if (unknown) throw new DamagedLink(`it shows ${unknown.algorithm}, which this page does not know`);
    const origin = source && (await this.originOf(source));
    if (mine !== this.opened) return;
    this.data.open(link, origin, this.session.registry.limits);
    this.session.focus = link.focus;
    this.session.restore({ panels, seed, branch, trunk: [] });
    this.hand = link.hand;
    this.tab = link.tab;
    this.selected = null;
    this.history.clear();
    await this.session.learn();
    this.clock.to(link.clock);
  }

  private async originOf(source: DataState): Promise<Origin | null> {
    const drawn = await persistently(() => api.data(source, this.session.registry));
    return drawn ? { source, drawn } : null;
  }

  private snapshot(): DataSnapshot & SessionSnapshot {
    return { ...this.data.snapshot(), ...this.session.snapshot() };
  }

  private record(): void {
    this.history.record(this.snapshot());
  }

  private restore(snapshot: (DataSnapshot & SessionSnapshot) | undefined): void {
    if (!snapshot) return;
    this.data.restore(snapshot);
    this.session.restore(snapshot);
    this.selected = null;
    void this.session.learn();
  }

  /** Change something and run it. */
  private change(work: () => void): void {
    if (this.session.frozen) return;
    this.record();
    work();
    if (this.selected !== null && this.selected >= this.data.examples.length) this.selected = null;
    void this.session.learn();
  }

  // --- for those who listen -------------------------------------------------------------------

  private announceMoment(): void {
    const { run } = this.session;
    if (!this.session.fits(run) || (this.clock.playing && this.clock.speed > QUIET_SPEED)) return;
    const [course] = run.courses;
    const { now, end } = this.clock;
    const e = course.made(now) - 1;
    if (now >= end) {
      const wrong = run.wrong(now).filter(Boolean).length;
      this.announcement = `End: ${run.document.result.updates} updates, ${wrong} of ${run.points.length} wrong.`;
    } else if (e >= 0) {
      const i = course.updates.i[e];
      const name = this.data.name(this.data.examples[i].label);
      const margin = course.margin(course.weights(e), i).toPrecision(3);
      this.announcement = `Update ${run.step(now)}: point ${i + 1}, class ${name}, margin ${margin}.`;
    } else this.announcement = "Start: no update yet.";
  }
}

/** A lab that outlives the component that asked for it: an answer may come when it is gone. */
export function detachedLab(registry: Registry): Lab {
  let made: Lab | undefined;
  $effect.root(() => {
    made = new Lab(registry);
  });
  return made!;
}
