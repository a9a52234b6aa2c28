// The thread that learns, as the page talks to it.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { code, engine } from "../src/engine/current";
import type { Task } from "../src/engine/plan";
import type { Answer, Learned, Question } from "../src/engine/worker";
import type { Registry, Verdict } from "../src/schema";

const file = fileURLToPath(new URL("./learned.json", import.meta.url));
const { registry, data, orders } = JSON.parse(readFileSync(file, "utf8")) as {
  registry: Registry;
  orders: { data: string; fit_intercept: boolean; intercept_scaling: number; seed: number; updates: number[] }[];
  data: Record<string, { points: number[][]; labels: number[] }>;
};
const { limits, library } = registry;

function task(name: string, set: string, parameters: Task["parameters"]): Task {
  const algorithm = registry.algorithms.find((one) => one.name === name)!;
  return { ...data[set], algorithm, parameters, seed: 0, start: null, held: null };
}

let answers: Answer[] = [];
const send = (question: Question) => (globalThis as unknown as { onmessage: (event: { data: Question }) => void }).onmessage({ data: question });

beforeAll(async () => {
  vi.stubGlobal("postMessage", (answer: Answer) => answers.push(answer));
  await import("../src/engine/worker");
  send({ kind: "code", code: code() });
});

async function answered(count: number): Promise<Answer[]> {
  await vi.waitFor(() => expect(answers.length).toBe(count), 20_000);
  const found = answers;
  answers = [];
  return found;
}

describe("a thread", () => {
  it("answers with a run, its errors along the way and marks of its votes", async () => {
    send({ kind: "learn", id: 1, task: task("VotedPerceptron", "noisy", { max_iter: 50 }), limits, library });
    const [answer] = await answered(1);
    if (answer.kind !== "done") throw new Error(answer.kind);
    const { document, curve, marks } = answer.result as Learned;
    expect(document.config.algorithm).toBe("VotedPerceptron");
    expect(curve![curve!.length - 1].wrong).toBe(document.result.errors / data.noisy.points.length);
    expect(marks![0].length).toBeGreaterThan(2);
  });

  it("gives up a long task that is no longer wanted, and goes on with the next", async () => {
    const before = engine().memory.mark();
    const long = { ...limits, updates: 1e12, seconds: 1e6 };
    send({ kind: "learn", id: 2, task: task("Perceptron", "noisy", { max_iter: 1e9 }), limits: long, library });
    send({ kind: "learn", id: 3, task: task("Perceptron", "two", {}), limits, library });
    await new Promise((later) => setTimeout(later, 60));
    expect(answers).toEqual([]);
    send({ kind: "give up", id: 2 });
    const [first, second] = await answered(2);
    expect([first.id, first.kind, second.id, second.kind]).toEqual([2, "given up", 3, "done"]);
    expect(engine().memory.mark()).toBe(before);
  });

  it("decides whether points are separable", async () => {
    send({ kind: "decide", id: 8, points: { data: data.two } });
    send({ kind: "decide", id: 9, points: { data: data.noisy } });
    send({ kind: "decide", id: 10, points: { data: data.two, intercept_scaling: NaN } });
    const found = await answered(3);
    expect(found.map((one) => (one.kind === "done" ? (one.result as Verdict).verdict : one.kind))).toEqual(["separable", "inseparable", "for server"]);
  });

  it("counts the library's updates over many orders", async () => {
    const before = engine().memory.mark();
    for (const [n, { data: set, updates, ...settings }] of orders.entries()) {
      const points = { data: data[set], orders: updates.length, ...settings };
      send({ kind: "count updates", id: 20 + n, points, limits });
      expect(await answered(1)).toEqual([{ id: 20 + n, kind: "done", result: updates }]);
    }
    expect(engine().memory.mark()).toBe(before);
  });

  it("leaves to the server what the library would reject", async () => {
    send({ kind: "learn", id: 4, task: task("Perceptron", "two", { eta0: -1 }), limits, library });
    send({ kind: "learn", id: 5, task: task("ALMA", "two", { p: 3, readout: "voted" }), limits, library });
    expect((await answered(2)).map((one) => one.kind)).toEqual(["for server", "for server"]);
  });

  it("leaves to the server a readout and a member that it does not know", async () => {
    const given = task("MarginPerceptron", "two", { readout: "late" });
    const common = given.algorithm.common.map((p) => (p.name === "readout" ? { ...p, choices: [...p.choices, "late"] } : p));
    send({ kind: "learn", id: 6, task: { ...given, algorithm: { ...given.algorithm, common } }, limits, library });
    send({ kind: "learn", id: 7, task: { ...given, algorithm: { ...given.algorithm, name: "SlowingPerceptron" }, parameters: {} }, limits, library });
    expect((await answered(2)).map((one) => one.kind)).toEqual(["for server", "for server"]);
  });
});
