// A lab against a server that answers when the test wants it: late answers, refusals, undo.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { engine } from "../src/engine/current";
import { learn } from "../src/engine/learn";
import type { Learner } from "../src/engine/learner";
import { ForServer, type Task } from "../src/engine/plan";
import { decide } from "../src/engine/separability";
import type { Learned } from "../src/engine/worker";
import { Lab } from "../src/lab.svelte";
import type { Document, Drawn, Registry, RunRequest, Verdict } from "../src/schema";

const file = fileURLToPath(new URL("./golden.json", import.meta.url));
const cases = JSON.parse(readFileSync(file, "utf8")) as { name: string; document: Document }[];
const { document } = cases.find((one) => one.name === "plain last")!;
const golden = JSON.parse(readFileSync(fileURLToPath(new URL("./learned.json", import.meta.url)), "utf8")) as {
  registry: Registry;
  cases: { name: string; parameters: Task["parameters"]; seed: number; document: Document }[];
  data: Record<string, { points: number[][]; labels: number[] }>;
};
const algorithm = {
  name: "Perceptron", text: "", parameters: [], common: [], classes: "many" as const, restarts: null, proof: true, fixed: {},
};
const registry: Registry = {
  library: "", algorithms: [algorithm, algorithm], readouts: [], generators: [],
  limits: { points: 2000, features: 20, classes: 10, updates: 1000, seconds: 1, largest: 1e6 },
};

/** Leaves every task to the server, as the page does with what it does not know. */
const refused = () => Promise.reject(new ForServer("asked of the server"));
const forServer: Learner = { learn: refused, decide: refused, countUpdates: refused };

interface Asked<Body> {
  path: string;
  body: Body;
  answer: (value: unknown, status?: number) => Promise<void>;
}
let asked: Asked<never>[] = [];

/** Lets pending callbacks run. */
const soon = () => new Promise<void>((later) => setTimeout(later));

/** The questions of one kind so far. */
function questions<Body>(path: string): Asked<Body>[] {
  return asked.filter((one) => one.path === `api/${path}`) as unknown as Asked<Body>[];
}

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", (path: string, options: { body: string }) =>
    new Promise((done) => {
      const answer = async (value: unknown, status = 200) => {
        done({ ok: status === 200, status, json: async () => value });
        await soon();
      };
      asked.push({ path, body: JSON.parse(options.body) as never, answer });
    }));
});
afterEach(() => vi.unstubAllGlobals());

const points = (seed: number): Drawn => ({
  points: [[seed, 0], [0, seed], [-seed, 1]], labels: [1, -1, 1], margin: 1, radius: 1, separator: null, noise: null,
});
const source = (seed: number) => ({ generator: "halfplanes", parameters: {}, seed });

/** A run of three points, and a number to know it by. */
function run(body: RunRequest, updates: number): Document {
  const targets = body.data.labels.map((label) => (label > 0 ? 1 : 0));
  return {
    ...document,
    data: { ...document.data, points: body.data.points, labels: body.data.labels, targets },
    updates: { t: [0], i: [0], r: [0], a: [1], c: [1], g: null },
    result: { ...document.result, updates },
  };
}

async function labWithPoints(): Promise<Lab> {
  const lab = new Lab(registry, forServer);
  lab.session.panels = [{ algorithm: "Perceptron", parameters: {} }];
  lab.take(points(1), source(1));
  const learned = lab.session.learn();
  await soon();
  const [first] = questions<RunRequest>("run");
  await first.answer(run(first.body, 1));
  await learned;
  return lab;
}
const shown = (lab: Lab) => lab.session.run?.document.result.updates;

describe("answers that come too late", () => {
  it("shows the runs of a movement as they come, one question at a time, the newest next", async () => {
    const lab = await labWithPoints();
    lab.grab();
    for (const x of [2, 3, 4]) lab.move(0, [x, 0]);
    lab.letGo();
    await soon();
    const asks = () => questions<RunRequest>("run").slice(1);
    expect(asks().map((one) => one.body.data.points[0][0])).toEqual([2]);
    await asks()[0].answer(run(asks()[0].body, 22));
    expect(shown(lab)).toBe(22);
    expect(asks().map((one) => one.body.data.points[0][0])).toEqual([2, 4]);
    await asks()[1].answer(run(asks()[1].body, 44));
    expect(shown(lab)).toBe(44);
    lab.undo();
    expect(lab.data.examples[0].x).toEqual([1, 0]);
  });

  it("drops the verdict on points that have been changed", async () => {
    const lab = await labWithPoints();
    const certify = () => questions("certify");
    expect(certify().length).toBe(1);
    lab.move(0, [2, 0]);
    await soon();
    await certify()[0].answer({ verdict: "inseparable" } as Verdict);
    expect(lab.session.verdict).toBeNull();
    const again = questions<RunRequest>("run")[1];
    await again.answer(run(again.body, 2));
    await certify()[1].answer({ verdict: "separable" } as Verdict);
    expect(lab.session.verdict?.verdict).toBe("separable");
  });

  it("drops points that a slider has moved on from", async () => {
    const lab = await labWithPoints();
    void lab.draw(source(2));
    void lab.draw(source(3));
    await questions("data")[0].answer(points(2));
    expect(lab.data.source?.seed).toBe(1);
    await questions("data")[1].answer(points(3));
    expect(lab.data.source?.seed).toBe(3);
    expect(lab.data.examples[0].x).toEqual([3, 0]);
  });
});

describe("learning in the page", () => {
  it("asks the server for nothing, and shows the library's run and the verdict", async () => {
    const here: Learner = {
      ...forServer,
      learn: async (task, limits, library) => ({ document: learn(engine(), task, limits, library), curve: null, marks: null }),
      decide: async (points) => decide(points),
    };
    const { registry: known, cases: learned, data } = golden;
    const one = learned.find((each) => each.name === "Perceptron noisy")!;
    const lab = new Lab(known, here);
    lab.session.panels = [{ algorithm: "Perceptron", parameters: one.parameters }];
    lab.session.seed = one.seed;
    lab.receive(data.noisy.points.map((x, n) => ({ x: [x[0], x[1]], label: data.noisy.labels[n] })), {});
    await soon();
    expect(asked).toEqual([]);
    expect(lab.session.verdict?.verdict).toBe("inseparable");
    expect(lab.session.run?.document.updates.i).toEqual(one.document.updates.i);
    expect(lab.session.run?.document.result.errors).toBe(one.document.result.errors);
  });

  it("gives up what takes long once a newer question waits, and shows that", async () => {
    const tasks: { task: Task; signal: AbortSignal; done: (learned: Learned) => void }[] = [];
    const slow: Learner = {
      ...forServer,
      learn: (task, _limits, _library, signal) =>
        new Promise((done, fail) => {
          signal.addEventListener("abort", () => fail(signal.reason as Error));
          tasks.push({ task, signal, done });
        }),
    };
    const lab = new Lab(registry, slow);
    lab.session.panels = [{ algorithm: "Perceptron", parameters: {} }];
    lab.take(points(1), source(1));
    void lab.session.learn();
    lab.move(0, [2, 0]);
    lab.move(0, [3, 0]);
    expect(tasks.length).toBe(1);
    await vi.waitFor(() => expect(tasks.length).toBe(2));
    expect([tasks[0].signal.aborted, tasks[1].signal.aborted]).toEqual([true, false]);
    expect(tasks[1].task.points[0]).toEqual([3, 0]);
    tasks[1].done({ document: run({ data: { points: tasks[1].task.points, labels: tasks[1].task.labels }, algorithm: "Perceptron" }, 7), curve: null, marks: null });
    await vi.waitFor(() => expect(shown(lab)).toBe(7));
  });
});

describe("what cannot be shown", () => {
  it("is explained where a readout is not known", async () => {
    const lab = await labWithPoints();
    lab.reseed(5);
    await soon();
    const again = questions<RunRequest>("run")[1];
    const config = { ...document.config, readout: "median" };
    await again.answer({ ...run(again.body, 2), config });
    expect(lab.session.run).toBeNull();
    expect(lab.session.faults[0]).toContain('readout "median"');
  });

  it("is explained in the words of the server where it refuses", async () => {
    const lab = await labWithPoints();
    lab.reseed(5);
    await soon();
    await questions("run")[1].answer({ detail: "no such rule." }, 422);
    expect([lab.session.run, lab.session.faults[0]]).toEqual([null, "no such rule."]);
    void lab.draw(source(9));
    await questions("data")[0].answer({ detail: "no such generator." }, 422);
    expect(lab.session.faults[0]).toBe("no such generator.");
    expect(lab.data.source?.seed).toBe(1);
  });

  it("is explained where all points are of one class", async () => {
    const lab = await labWithPoints();
    lab.flip(1);
    await vi.waitFor(() => expect(lab.session.faults[0]).toContain("different classes"));
    expect(lab.session.run).toBeNull();
    expect(questions("run").length).toBe(1);
  });
});
