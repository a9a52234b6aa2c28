// What is run on the points: the algorithms, their runs, and what is proved of the points.

import { api, Gone, offline, Refused } from "./api";
import type { Dataset } from "./dataset.svelte";
import { errorCurve, type Errors } from "./engine/curve";
import type { Learner } from "./engine/learner";
import type { Learned } from "./engine/worker";
import { ForServer, type Held } from "./engine/plan";
import { Latest } from "./latest";
import type { BranchState, PanelState } from "./link";
import { pause } from "./server.svelte";
import { obstacle, Replay } from "./engine/replay";
import type { Algorithm, Document, Registry, Table, Verdict } from "./schema";

const ONE_CLASS = "Two points of different classes are needed to learn from.";

/** All of a session that undo brings back. */
export interface SessionSnapshot {
  panels: PanelState[];
  seed: number;
  branch: BranchState | null;
  trunk: (Replay | null)[];
}

export class Session {
  readonly registry: Registry;
  private readonly data: Dataset;
  private readonly learner: Learner;
  panels = $state.raw<PanelState[]>([]);
  focus = $state(0); // the panel that the time line and the moment are about
  seed = $state(0); // of the order
  branch = $state.raw<BranchState | null>(null); // weights to begin with, instead of zero
  trunk = $state.raw<(Replay | null)[]>([]); // the runs that a branch has left
  runs = $state.raw<(Replay | null)[]>([]);
  private curves = $state.raw<(Errors[] | null)[]>([]); // null where they have not been computed yet
  faults = $state.raw<(string | null)[]>([]); // why a panel has no run
  verdict = $state.raw<Verdict | null>(null);
  unproved = $state(""); // why there is no verdict
  busy = $state(false);
  frozen = $state(false); // a run from a file: nothing can be run again
  readonly run = $derived(this.runs[this.focus] ?? null);
  /** Errors along the run. */
  readonly curve = $derived.by(() => {
    if (!this.fits(this.run)) return [];
    return this.curves[this.focus] ?? errorCurve(this.run, this.held());
  });
  readonly end = $derived(Math.max(0, ...this.runs.map((run) => run?.visits ?? 0)));
  readonly biased = $derived((this.panels[this.focus]?.parameters.fit_intercept ?? true) === true);
  private readonly running = new Latest();
  private readonly certifying = new Latest();

  constructor(registry: Registry, data: Dataset, learner: Learner) {
    this.registry = registry;
    this.data = data;
    this.learner = learner;
  }

  algorithm(name: string): Algorithm {
    return this.registry.algorithms.find((a) => a.name === name) ?? this.registry.algorithms[1];
  }

  /** Whether there is such an algorithm. */
  knows(name: string): boolean {
    return this.registry.algorithms.some((a) => a.name === name);
  }

  /** Why a panel cannot go on from a moment; null if it can. */
  restarts(index: number): string | null {
    return this.algorithm(this.panels[index].algorithm).restarts;
  }

  /** The run of a panel after T visits: before a branch has parted, that of its trunk. */
  runAt(index: number, T: number): Replay | null {
    const trunk = this.branch && T < (this.branch.visits ?? 0) ? this.trunk[index] : null;
    return this.fits(trunk ?? null) ? trunk! : (this.runs[index] ?? null);
  }

  /** Whether a run is of the points as they are; while one is dragged it may not be. */
  fits(run: Replay | null): run is Replay {
    return run !== null && run.points.length === this.data.learned;
  }

  /** Which of the points held out a run gets wrong after T visits. */
  missed(run: Replay, T: number): boolean[] {
    const out = this.data.examples.slice(this.data.learned);
    return run.misses(T, out.map((e) => e.x), out.map((e) => e.label));
  }

  /** Run every panel on the points as they are. */
  learn(): Promise<void> {
    return this.running.ask(async (fresh, signal) => {
      if (this.frozen) return;
      const table = this.data.table();
      if (new Set(table.labels).size < 2) {
        this.refuse(ONE_CLASS);
        return;
      }
      // Shown even if points have been changed meanwhile: while one is dragged the picture follows.
      await this.accept(await this.ask(table, signal));
      void this.certify(table, fresh);
    });
  }

  /** Show no run, and why. */
  refuse(why: string): void {
    this.runs = this.panels.map(() => null);
    this.faults = this.panels.map(() => why);
    this.verdict = null;
    this.unproved = "";
  }

  /** Show a run that is already there. */
  show(document: Document): void {
    this.panels = [{ algorithm: document.config.algorithm, parameters: this.given(document) }];
    this.seed = document.config.seed ?? 0;
    void this.accept([{ document, curve: null, marks: null }]);
  }

  snapshot(): SessionSnapshot {
    const { panels, seed, branch, trunk } = this;
    return { panels, seed, branch, trunk };
  }

  restore({ panels, seed, branch, trunk }: SessionSnapshot): void {
    Object.assign(this, { panels, seed, branch, trunk });
    this.focus = Math.max(0, Math.min(this.focus, panels.length - 1));
  }

  /** A document for each panel, or why there is none. */
  private async ask(data: Table, signal: AbortSignal): Promise<(Learned | string)[]> {
    this.busy = true;
    try {
      // All are settled before any failure counts: a question is repeated as a whole.
      const answers = await Promise.allSettled(this.panels.map((panel) => this.askOne(panel, data, signal)));
      signal.throwIfAborted();
      return answers.map((answer) => {
        if (answer.status === "fulfilled") return answer.value;
        if (answer.reason instanceof Gone) throw answer.reason;
        return String((answer.reason as Error).message);
      });
    } finally {
      this.busy = false;
    }
  }

  private askOne(panel: PanelState, data: Table, signal: AbortSignal): Promise<Learned> {
    const { parameters } = panel;
    const { seed, branch } = this;
    const algorithm = this.algorithm(panel.algorithm);
    const start = branch && algorithm.restarts === null ? { coef: branch.coef, intercept: branch.intercept, visits: branch.visits ?? 0 } : null;
    const { limits, library } = this.registry;
    const task = { ...data, algorithm, parameters, seed, start, held: this.held() };
    return inPage(() => this.learner.learn(task, limits, library, signal), async () => {
      const body = { data, algorithm: panel.algorithm, parameters, seed };
      return { document: await (start ? api.go({ ...body, start: { coef: start.coef, intercept: start.intercept } }) : api.run(body)), curve: null, marks: null };
    });
  }

  /** Show the answers: the panel in focus first, then one after the other, so that no task is long. */
  private async accept(answers: (Learned | string)[]): Promise<void> {
    const sized = <T>(values: (T | null)[]) => answers.map((_, n) => values[n] ?? null);
    [this.runs, this.curves, this.faults] = [sized(this.runs), sized(this.curves), sized(this.faults)];
    this.acceptOne(answers, this.focus);
    for (let n = 0; n < answers.length; n++) {
      if (n === this.focus) continue;
      await pause(0);
      this.acceptOne(answers, n);
    }
  }

  private acceptOne(answers: (Learned | string)[], n: number): void {
    const answer = answers[n];
    if (answer === undefined || n >= this.runs.length) return; // panels have been closed meanwhile
    const fault = typeof answer === "string" ? answer : obstacle(answer.document);
    const shown = typeof answer === "string" || fault ? null : answer;
    this.runs = this.runs.with(n, shown && new Replay(shown.document, shown.marks));
    this.curves = this.curves.with(n, shown && shown.curve);
    this.faults = this.faults.with(n, fault);
  }

  /** The points held out, as the engine takes them. */
  private held(): Held | null {
    const out = this.data.examples.slice(this.data.learned);
    return out.length ? { points: out.map((e) => [...e.x]), labels: out.map((e) => e.label) } : null;
  }

  private certify(data: Table, fresh: () => boolean): Promise<void> {
    const scaling = Number(this.panels[this.focus]?.parameters.intercept_scaling ?? 1);
    const body = { data, fit_intercept: this.biased, intercept_scaling: scaling };
    return this.certifying.ask(async (_, signal) => {
      const decided = inPage(() => this.learner.decide(body, signal), () => api.certify(body));
      let [verdict, why]: [Verdict | null, string] = [null, ""];
      try {
        verdict = await decided;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        why = error.message;
      }
      if (fresh()) [this.verdict, this.unproved] = [verdict, why];
    });
  }

  /** Updates of the perceptron until it stops, over some orders of a run's points. */
  countUpdates(run: Replay, orders: number, signal: AbortSignal): Promise<number[]> {
    const { points, targets, document } = run;
    const { bias } = document.data;
    const data = { points, labels: targets.map((t) => 2 * t - 1) };
    const body = { data, fit_intercept: bias > 0, intercept_scaling: bias || 1, orders };
    return inPage(
      () => this.learner.countUpdates(body, this.registry.limits, signal),
      async () => (await api.orders(body)).updates,
    );
  }

  /** The parameters of a document that are not the defaults. */
  private given(document: Document): PanelState["parameters"] {
    const { parameters, common } = this.algorithm(document.config.algorithm);
    const changed = [...parameters, ...common].flatMap((p) => {
      const value = document.config.settings[p.name] as PanelState["parameters"][string] | undefined;
      return value === undefined || value === p.default || p.default === "inf" ? [] : [[p.name, value]];
    });
    return Object.fromEntries(changed);
  }
}

/** Ask the page's own engine; what it does not know, or the library rejects, is for the server. */
async function inPage<T>(here: () => Promise<T>, there: () => Promise<T>): Promise<T> {
  try {
    return await here();
  } catch (error) {
    if (!(error instanceof ForServer)) throw error;
    if (offline()) throw new Refused(`This page has no server to ask, and ${error.message}`);
    return there();
  }
}

/** For questions whose refusal needs no words of its own. */
export function refusedAsNull(error: unknown): null {
  if (error instanceof Refused) return null;
  throw error;
}
