// The replay's own counting against definitions written out.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Pocket } from "../src/engine/readouts";
import { choice, Replay } from "../src/engine/replay";
import type { Document } from "../src/schema";

const file = fileURLToPath(new URL("./golden.json", import.meta.url));
const cases = JSON.parse(readFileSync(file, "utf8")) as { name: string; document: Document }[];
const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

describe("counting", () => {
  it("knows the moments that have passed after any number of visits", () => {
    for (const { document } of cases) {
      const replay = new Replay(document);
      for (let T = 0; T <= replay.visits; T++) {
        expect(replay.step(T)).toBe(replay.moments.filter((at) => at <= T).length);
        for (const course of replay.courses) {
          expect(course.made(T)).toBe(course.updates.t.filter((t) => t < T).length);
        }
      }
    }
  });

  it("has a pass end with its last visit", () => {
    for (const { document } of cases) {
      const replay = new Replay(document);
      let done = 0;
      document.passes.visits.forEach((visits, number) => {
        expect(replay.passes(done + visits - 1)).toBe(number);
        done += visits;
        expect(replay.passes(done)).toBe(number + 1);
      });
    }
  });

  it("counts the mistakes that the library counted", () => {
    const plain = cases.filter((one) => /^plain \w+( native| ovr)?$/.test(one.name));
    expect(plain.length).toBeGreaterThan(8);
    for (const { document } of plain) {
      const counted = [document, ...document.others].map((run) => sum(run.passes.mistakes));
      expect(new Replay(document).mistaken(Infinity)).toBe(sum(counted));
    }
  });

  it("breaks ties as the library does", () => {
    expect([[0], [-1], [1e-300]].map(choice)).toEqual([0, 0, 1]);
    expect(choice([1, 3, 3])).toBe(1);
  });
});

describe("votes in a kernel's space", () => {
  it("are those of every hypothesis, scaled ones too", () => {
    const { document } = cases.find((one) => one.name === "kernel rbf voted 2")!;
    const scaled = document.updates.c.map((_, e) => (e % 2 ? 0.25 : 1));
    const replay = new Replay({ ...document, updates: { ...document.updates, c: scaled } });
    const [course] = replay.courses;
    const probes = document.data.points.map(([x, z]) => [x + 0.01, z - 0.02]);
    const T = Number(document.counters.t);
    const votes = probes.map((x) =>
      sum(course.lives(T).map(({ k, life }) => (course.space.scores(course.weights(k), x)[0] > 0 ? life : -life))),
    );
    expect(course.count).toBeGreaterThan(3);
    expect(replay.scores(T, probes, "voted").flat()).toEqual(votes);
  });
});

describe("a tally", () => {
  const count = 1000;
  const each = Array.from({ length: count }, (_, e) => e);
  const points = Array.from({ length: 60 }, (_, i) => [Math.sin(i), Math.cos(2 * i)]);

  /** A long run with votes, in the space of a document. */
  function long(name: string, readout: string): Document {
    const { document } = cases.find((one) => one.name === name)!;
    const signs = points.map((_, i) => (i % 3 ? 1 : -1));
    const updates = { t: each, i: each.map((e) => (e * 7) % 60), r: each.map(() => 0), a: each.map((e) => 1 + (e % 3)), c: each.map((e) => (e % 9 ? 1 : 0.5)), g: null };
    const data = { ...document.data, points, labels: signs, targets: signs.map((s) => (s + 1) / 2) };
    return { ...document, data, updates, config: { ...document.config, readout }, counters: { ...document.counters, t: count } } as Document;
  }

  it.each([["plain last", "voted"], ["kernel rbf last 2", "voted"], ["kernel rbf last 2", "averaged"], ["kernel rbf last 2", "last"]])(
    "of %s, %s, is the same from any mark", (name, readout) => {
      const document = long(name, readout);
      const there = new Replay(document);
      there.wrong(count);
      const marks = there.marks()!;
      expect(marks[0].length).toBeGreaterThan(10);
      const here = new Replay(document, marks);
      for (const T of [999, 3, 620, 621, 60, 1000, 0, 430]) {
        const afresh = new Replay(document).scores(T, points);
        expect(here.scores(T, points)).toEqual(afresh);
        expect(there.scores(T, points)).toEqual(afresh);
      }
    });
});

describe("the pocket", () => {
  it("keeps the first of two runs of one length", () => {
    const { document } = cases.find((one) => one.name === "plain pocket")!;
    const [first, second] = [0, 1].map((target) => document.data.targets.indexOf(target));
    const updates = {
      t: [0, 4], i: [first, second], r: [0, 0], a: [1, 1], c: [1, 1], g: null,
    };
    const pocket = new Pocket(new Replay({ ...document, updates } as Document).courses[0]);
    expect([4, 7, 8].map((T) => pocket.held(T).run)).toEqual([3, 3, 3]);
    expect(pocket.held(8).k).toBe(1);
  });
});
