// A lab: points, algorithms on them, one clock. The workspace is one, and so is each figure.

import { api, Gone, Refused } from "./api";
import type { Facts } from "./explanations";
import { Replay } from "./replay";
import { frame, type View } from "./geometry";
import { arranged } from "./held";
import type { BranchState, DataState, PanelState, State } from "./link";
import type { Algorithm, Document, Drawn, Registry, Verdict } from "./schema";
import { stats } from "./stats";

export interface Example {
  x: [number, number];
  label: number;
}

export type Tool = "move" | "add" | "paint" | "flip" | "erase";

interface Snapshot {
  examples: Example[];
  held: number;
  share: number;
  names: Record<string, string>;
  source: DataState | null;
  drawn: Drawn | null;
  panels: PanelState[];
  seed: number;
  branch: BranchState | null;
}

/** How the server is. */
export const health = $state({ gone: false });

export const PACE = 200; // milliseconds for one mistake at speed 1

let asking = 0;

export class Lab {
  registry: Registry;
  examples = $state.raw<Example[]>([]); // those held out come last
  held = $state(0); // how many they are
  share = $state(0); // the fraction of points to hold out when a set comes
  names = $state.raw<Record<string, string>>({});
  source = $state.raw<DataState | null>(null);
  drawn = $state.raw<Drawn | null>(null);
  panels = $state.raw<PanelState[]>([]);
  seed = $state(0);
  runs = $state.raw<(Replay | null)[]>([]);
  faults = $state.raw<(string | null)[]>([]);
  verdict = $state.raw<Verdict | null>(null);
  branch = $state.raw<BranchState | null>(null);
  hand = $state.raw<[number, number, number] | null>(null);
  clock = $state(0);
  focus = $state(0);
  tab = $state("happened");
  playing = $state(false);
  speed = $state(1);
  selected = $state<number | null>(null);
  hovered = $state<number | null>(null);
  tool = $state<Tool>("move");
  brush = $state(1);
  proofShown = $state(true); // the certificate in the plane
  busy = $state(false);
  said = $state(""); // what the live region tells
  frozen = false; // an offline page: nothing can be run
  private past: Snapshot[] = $state.raw([]);
  private future: Snapshot[] = $state.raw([]);
  private ticking = 0;
  private due = 0;
  private asked = 0;
  private drawing = 0;
  private learning: Promise<void> | null = null;
  private stale = false;
  view: View = $derived(frame(this.examples.map((e) => e.x)));
  end = $derived(Math.max(0, ...this.runs.map((run) => run?.visits ?? 0)));
  run = $derived(this.runs[this.focus] ?? null);
  learned = $derived(this.examples.length - this.held);
  classes = $derived([...new Set(this.examples.map((e) => e.label))].sort((a, b) => a - b));
  readonly canUndo = $derived(this.past.length > 0);
  readonly canRedo = $derived(this.future.length > 0);

  constructor(registry: Registry) {
    this.registry = registry;
  }

  algorithm(name: string): Algorithm {
    return this.registry.algorithms.find((a) => a.name === name) ?? this.registry.algorithms[1];
  }

  // --- data -----------------------------------------------------------------------------------

  /** Draw a toy set; null if the server refused, which `faults` then tell. */
  async draw(source: DataState, keep = true): Promise<void> {
    if (keep) this.remember();
    const mine = ++this.drawing;
    await this.guarded(async () => {
      const drawn = await api.data(source);
      if (mine !== this.drawing) return; // a slider has moved on
      this.take(drawn, source);
      await this.learn();
    });
  }

  take(drawn: Drawn, source: DataState | null): void {
    this.arrange(listed(drawn), source?.seed ?? 0);
    this.source = source;
    this.drawn = drawn;
    this.names = {};
    this.branch = null;
    this.selected = null;
  }

  /** Points, with the share of them that is held out at the end. */
  private arrange(examples: Example[], seed: number): void {
    Object.assign(this, arranged(examples, this.share, seed));
  }

  /** Hold out a share of the points. */
  hold(share: number, remember = true): void {
    if (this.frozen) return;
    if (remember) this.remember();
    this.share = share;
    this.arrange(this.drawn ? listed(this.drawn) : this.examples, this.source?.seed ?? 0);
    this.selected = null;
    void this.guarded(() => this.learn());
  }

  /** A set of one's own. */
  receive(examples: Example[], names: Record<string, string>): void {
    this.remember();
    this.branch = null;
    this.arrange(examples, 0);
    this.edit(this.examples, { remember: false, names });
  }

  /** Replace the points, as one step that can be undone. */
  edit(examples: Example[], options: { remember?: boolean; names?: Record<string, string>; held?: number } = {}): void {
    if (this.frozen) return;
    if (options.remember ?? true) this.remember();
    this.examples = examples;
    this.held = options.held ?? this.held;
    this.source = null;
    this.drawn = null;
    if (options.names) this.names = options.names;
    if (this.selected !== null && this.selected >= examples.length) this.selected = null;
    void this.guarded(() => this.learn());
  }

  add(x: [number, number], label: number): void {
    if (this.examples.length >= this.registry.limits.points) return;
    this.edit(this.examples.toSpliced(this.learned, 0, { x, label }));
    this.selected = this.learned - 1;
    this.say(`Point ${this.learned} added, class ${this.name(label)}.`);
  }

  move(index: number, x: [number, number], remember: boolean): void {
    const next = this.examples.slice();
    next[index] = { ...next[index], x };
    this.edit(next, { remember });
  }

  flip(index: number): void {
    const next = this.examples.slice();
    const at = this.classes.indexOf(next[index].label);
    const other = this.classes.length > 1
      ? this.classes[(at + 1) % this.classes.length]
      : next[index].label === 1 ? -1 : 1;
    next[index] = { ...next[index], label: other };
    this.edit(next);
    this.say(`Point ${index + 1} is now ${this.name(other)}.`);
  }

  remove(index: number): void {
    this.edit(this.examples.filter((_, n) => n !== index), { held: this.held - (index >= this.learned ? 1 : 0) });
    this.selected = this.examples.length ? Math.min(index, this.examples.length - 1) : null;
    this.say(`Point ${index + 1} deleted.`);
  }

  name(label: number): string {
    return this.names[label] ?? (this.classes.length <= 2 && Math.abs(label) === 1 ? (label > 0 ? "+1" : "−1") : String(label));
  }

  // --- algorithms -----------------------------------------------------------------------------

  setPanels(panels: PanelState[], focus = this.focus, remember = true): void {
    if (remember) this.remember();
    this.panels = panels;
    this.focus = Math.min(focus, panels.length - 1);
    void this.guarded(() => this.learn());
  }

  setParameter(panel: number, name: string, value: PanelState["parameters"][string], remember = true): void {
    const next = this.panels.slice();
    next[panel] = { ...next[panel], parameters: { ...next[panel].parameters, [name]: value } };
    this.setPanels(next, this.focus, remember);
  }

  reseed(seed: number): void {
    this.remember();
    this.seed = seed;
    void this.guarded(() => this.learn());
  }

  /** Run every panel on the points as they are. One question at a time; the latest counts. */
  learn(): Promise<void> {
    this.stale = this.learning !== null;
    this.learning ??= this.relearn().finally(() => (this.learning = null));
    return this.learning;
  }

  private async relearn(): Promise<void> {
    do {
      this.stale = false;
      await this.once();
    } while (this.stale);
  }

  private async once(): Promise<void> {
    if (this.frozen) return;
    const mine = ++this.asked;
    const learned = this.examples.slice(0, this.learned);
    const data = { points: learned.map((e) => e.x), labels: learned.map((e) => e.label) };
    if (new Set(data.labels).size < 2) {
      this.runs = this.panels.map(() => null);
      this.faults = this.panels.map(() => "Two points of different classes are needed to learn from.");
      this.verdict = null;
      return;
    }
    this.busy = true;
    const ended = this.clock >= this.end && this.end > 0;
    const answers = await Promise.allSettled(
      this.panels.map((panel) => {
        const body = { data, algorithm: panel.algorithm, parameters: panel.parameters, seed: this.seed };
        const branch = this.branch;
        return branch && this.algorithm(panel.algorithm).restarts === null
          ? api.go({ ...body, start: { coef: branch.coef, intercept: branch.intercept } })
          : api.run(body);
      }),
    );
    if (mine !== this.asked) return;
    this.busy = false;
    for (const answer of answers) {
      if (answer.status === "rejected" && answer.reason instanceof Gone) throw answer.reason;
    }
    health.gone = false;
    this.runs = answers.map((a) => (a.status === "fulfilled" ? new Replay(a.value) : null));
    this.faults = answers.map((a) => (a.status === "rejected" ? String((a.reason as Error).message) : null));
    this.clock = ended ? this.end : Math.min(this.clock, this.end);
    void this.certify(mine, data);
  }

  private async certify(mine: number, data: { points: [number, number][]; labels: number[] }): Promise<void> {
    const focused = this.panels[this.focus]?.parameters ?? {};
    try {
      const verdict = await api.certify({
        data,
        fit_intercept: (focused.fit_intercept ?? true) as boolean,
        intercept_scaling: Number(focused.intercept_scaling ?? 1),
      });
      if (mine === this.asked) this.verdict = verdict;
    } catch (error) {
      if (mine === this.asked) this.verdict = null;
      if (!(error instanceof Refused)) throw error;
    }
  }

  /** Show a run that is already there. */
  show(document: Document): void {
    const { points, classes, targets } = document.data;
    const labels = classes.map((c, n) => (typeof c === "number" ? c : classes.length === 2 ? 2 * n - 1 : n));
    this.examples = points.map((p, n) => ({ x: [p[0], p[1] ?? 0], label: labels[targets[n]] }));
    this.held = 0;
    this.names = Object.fromEntries(classes.flatMap((c, n) => typeof c === "number" ? [] : [[labels[n], String(c)]]));
    const known = this.algorithm(document.config.algorithm);
    const names = [...known.parameters, ...known.common];
    const parameters: PanelState["parameters"] = {};
    for (const p of names) {
      const value = document.config.settings[p.name];
      if (value !== undefined && value !== p.default && p.default !== "inf") {
        parameters[p.name] = value as PanelState["parameters"][string];
      }
    }
    this.panels = [{ algorithm: document.config.algorithm, parameters }];
    this.seed = document.config.seed ?? 0;
    this.runs = [new Replay(document)];
    this.faults = [null];
    this.clock = 0;
  }

  // --- what is known of a panel ----------------------------------------------------------------

  /** Whether a run is of the points as they are; while one is dragged it may not be. */
  fits(run: Replay | null): run is Replay {
    return run !== null && run.points.length === this.learned;
  }

  /** Which of the points held out a run gets wrong after T visits. */
  missed(run: Replay, T: number): boolean[] {
    const out = this.examples.slice(this.learned);
    const classes = run.document.data.classes;
    return run.predicted(T, out.map((e) => e.x)).map((c, n) => classes[c] !== out[n].label);
  }

  facts(index: number): Facts | null {
    const run = this.runs[index] ?? null;
    if (!this.fits(run)) return null;
    const T = Math.min(this.clock, run.visits);
    const held = this.held ? { wrong: this.missed(run, T).filter(Boolean).length, count: this.held } : null;
    return { run, T, verdict: this.verdict, told: stats(run, T, this.verdict), held };
  }

  // --- time -----------------------------------------------------------------------------------

  to(clock: number): void {
    this.clock = Math.max(0, Math.min(this.end, Math.round(clock)));
  }

  /** To the next or the last update of the panel in focus. */
  stepBy(count: number): void {
    const moments = this.run?.moments ?? [];
    const at = this.run?.step(this.clock) ?? 0;
    const next = at + count;
    if (next <= 0) this.to(0);
    else if (next > moments.length) this.to(this.end);
    else this.to(moments[next - 1]);
    this.narrate();
  }

  passBy(count: number): void {
    const ends = this.run?.ends() ?? [];
    const at = [0, ...ends];
    const here = count > 0 ? at.findIndex((t) => t > this.clock) : at.findLastIndex((t) => t < this.clock);
    this.to(here < 0 ? (count > 0 ? this.end : 0) : at[here]);
    this.narrate();
  }

  play(): void {
    if (this.end === 0) return;
    if (this.clock >= this.end) this.to(0);
    this.playing = true;
    this.due = performance.now();
    cancelAnimationFrame(this.ticking);
    const tick = (now: number) => {
      if (!this.playing) return;
      const pace = PACE / this.speed;
      const steps = Math.min(5000, Math.floor((now - this.due) / pace));
      if (steps > 0) {
        this.due += steps * pace;
        this.stepBy(steps);
        if (this.clock >= this.end) {
          this.pause();
          return;
        }
      }
      this.ticking = requestAnimationFrame(tick);
    };
    this.ticking = requestAnimationFrame(tick);
  }

  pause(): void {
    this.playing = false;
    cancelAnimationFrame(this.ticking);
    this.narrate();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Tell the live region what has just happened; not while it all rushes by. */
  private narrate(): void {
    if (this.playing && this.speed > 4) return;
    const run = this.run;
    if (!run) return;
    const k = run.folds[0].made(this.clock);
    if (!this.fits(run)) return;
    if (this.clock >= this.end) {
      const wrong = run.wrong(this.clock).filter(Boolean).length;
      this.say(`End: ${run.document.result.updates} updates, ${wrong} of ${run.points.length} wrong.`);
    } else if (k > 0) {
      const e = k - 1;
      const i = run.folds[0].updates.i[e];
      const m = run.folds[0].margin(run.folds[0].weights(e), i);
      this.say(`Update ${run.step(this.clock)}: point ${i + 1}, class ${this.name(this.examples[i].label)}, margin ${m.toPrecision(3)}.`);
    } else this.say("Start: no update yet.");
  }

  say(words: string): void {
    this.said = words;
  }

  // --- a branch: the hypothesis of this moment, on points that may change ----------------------

  get canBranch(): boolean {
    const run = this.run;
    return !this.frozen && run !== null && this.clock > 0 &&
      this.restarts(this.focus) === null;
  }

  /** Why a panel cannot go on from a moment; null if it can. */
  restarts(index: number): string | null {
    return this.algorithm(this.panels[index].algorithm).restarts;
  }

  startBranch(): void {
    const run = this.run;
    if (!run) return;
    this.remember();
    const { bias } = run.document.data;
    const rows = run.weights(this.clock, "last").flatMap((w, f) => run.folds[f].asRows(w));
    this.branch = {
      at: run.step(this.clock),
      coef: rows.map((row) => row.slice(0, -1)),
      intercept: rows.map((row) => row[row.length - 1] * bias),
    };
    this.clock = 0;
    void this.guarded(() => this.learn());
  }

  endBranch(): void {
    this.remember();
    this.branch = null;
    this.clock = 0;
    void this.guarded(() => this.learn());
  }

  // --- undo, redo, links ----------------------------------------------------------------------

  private snapshot(): Snapshot {
    const { examples, held, share, names, source, drawn, panels, seed, branch } = this;
    return { examples, held, share, names, source, drawn, panels, seed, branch };
  }

  remember(): void {
    this.past = [...this.past.slice(-99), this.snapshot()];
    this.future = [];
  }

  undo(): void {
    const last = this.past[this.past.length - 1];
    if (!last) return;
    this.past = this.past.slice(0, -1);
    this.future = [...this.future, this.snapshot()];
    this.restore(last);
  }

  redo(): void {
    const next = this.future[this.future.length - 1];
    if (!next) return;
    this.future = this.future.slice(0, -1);
    this.past = [...this.past, this.snapshot()];
    this.restore(next);
  }

  private restore(snapshot: Snapshot): void {
    Object.assign(this, snapshot);
    this.selected = null;
    this.focus = Math.min(this.focus, this.panels.length - 1);
    void this.guarded(() => this.learn());
  }

  state(): State {
    return {
      v: 1,
      points: this.examples.map((e) => [...e.x]),
      labels: this.examples.map((e) => e.label),
      held: this.held,
      share: this.share,
      names: this.names,
      source: this.source,
      panels: this.panels,
      seed: this.seed,
      clock: this.clock,
      focus: this.focus,
      tab: this.tab,
      branch: this.branch,
      hand: this.hand,
    };
  }

  async open(state: State): Promise<void> {
    this.examples = state.points.map((x, n) => ({ x: [x[0], x[1]], label: state.labels[n] }));
    this.held = state.held ?? 0;
    this.share = state.share ?? 0;
    this.names = state.names;
    this.source = state.source;
    this.drawn = null;
    this.panels = state.panels;
    this.seed = state.seed;
    this.branch = state.branch;
    this.hand = state.hand;
    this.focus = Math.max(0, Math.min(state.focus, state.panels.length - 1));
    this.tab = state.tab;
    this.past = [];
    this.future = [];
    const source = state.source;
    await this.guarded(async () => {
      await this.learn();
      this.to(state.clock);
      // The numbers of the theory come with the set itself, if it is still what was drawn.
      if (source) {
        const drawn = await api.data(source);
        const { examples } = arranged(listed(drawn), this.share, source.seed);
        if (JSON.stringify(examples) === JSON.stringify(this.examples)) this.drawn = drawn;
      }
    });
  }

  /** Do something that needs the server; if it is gone, say so and try again until it is back. */
  async guarded(work: () => Promise<void>): Promise<void> {
    const mine = ++asking;
    try {
      await work();
    } catch (error) {
      if (error instanceof Gone) {
        this.busy = false;
        health.gone = true;
        setTimeout(() => {
          if (mine === asking || health.gone) void this.guarded(() => this.learn());
        }, 1500);
      } else if (error instanceof Refused) {
        this.faults = this.panels.map(() => error.message);
      } else throw error;
    }
  }
}

function listed(drawn: Drawn): Example[] {
  return drawn.points.map((p, n) => ({ x: [p[0], p[1]], label: drawn.labels[n] }));
}

/** A lab that outlives the component that asked for it: an answer may come when it is gone. */
export function freeLab(registry: Registry): Lab {
  let made: Lab | undefined;
  $effect.root(() => {
    made = new Lab(registry);
  });
  return made!;
}

export function panel(algorithm: string, parameters: PanelState["parameters"] = {}): PanelState {
  return { algorithm, parameters };
}
