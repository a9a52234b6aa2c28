// The page's replays against the library's own scores, for every rule, readout and space.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Replay } from "../src/engine/replay";
import type { Document } from "../src/schema";

interface Case {
  name: string;
  document: Document;
  probes: number[][];
  scores: number[][][];
}

const file = fileURLToPath(new URL("./golden.json", import.meta.url));
const cases = JSON.parse(readFileSync(file, "utf8")) as Case[];

function close(mine: number, expected: number, scale: number): boolean {
  return Math.abs(mine - expected) <= 1e-9 * (1 + scale);
}

/** Examples exactly between two classes, of which rounding decides. */
function ties(replay: Replay): number {
  const scores = replay.scores(replay.visits, replay.points);
  return scores.filter((row) => {
    const [best, next] = row.length === 1 ? [row[0], 0] : [...row].sort((a, b) => b - a);
    return Math.abs(best - next) <= 1e-12 * (1 + Math.abs(best));
  }).length;
}

/** A shrinking that waits for the next update is in no journal: then each score but for its scale. */
function shown(one: Case, scores: number[][]): number[][] {
  if (!one.name.includes("bogd")) return scores;
  const most = scores[0].map((_, c) => Math.max(1e-300, ...scores.map((row) => Math.abs(row[c]))));
  return scores.map((row) => row.map((v, c) => v / most[c]));
}

describe("hypotheses equal the library's", () => {
  it("knows many journals", () => expect(cases.length).toBeGreaterThan(300));

  it.each(cases.map((one) => [one.name, one] as const))("%s", (_, one) => {
    const replay = new Replay(one.document);
    const ends = replay.ends();
    expect(one.scores.length).toBe(ends.length);
    one.scores.forEach((library, pass) => {
      // Before the visit that was drawn for a random readout comes, the page shows the newest.
      if (replay.readout === "random" && pass < ends.length - 1) return;
      const mine = shown(one, replay.scores(ends[pass], one.probes));
      const expected = shown(one, library);
      const scale = Math.max(...expected.flat().map(Math.abs));
      expected.forEach((row, n) =>
        row.forEach((value, c) => {
          const ok = close(mine[n][c], value, scale);
          expect(ok, `pass ${pass}, probe ${n}: ${mine[n][c]} is not ${value}`).toBe(true);
        }),
      );
    });
    const { result } = one.document;
    const wrong = replay.wrong(replay.visits).filter(Boolean).length;
    expect(Math.abs(wrong - result.errors)).toBeLessThanOrEqual(ties(replay));
    if (result.coef && replay.readout !== "voted" && one.document.config.space.kind !== "kernel") {
      const rows = replay.weights(replay.visits).flatMap((w, f) => replay.courses[f].asRows(w));
      const scale = Math.max(...result.coef.flat().map(Math.abs));
      result.coef.forEach((row, r) =>
        row.forEach((v, j) => expect(close(rows[r][j], v, scale)).toBe(true)),
      );
    }
  });

  it("gives lives that sum to the visits", () => {
    for (const { document } of cases) {
      const replay = new Replay(document);
      const lives = replay.courses[0].lives(replay.visits);
      expect(lives.reduce((sum, one) => sum + one.life, 0)).toBe(replay.visits);
    }
  });

  it("goes back and forth to the same bits", () => {
    const { document } = cases.find((one) => one.document.updates.t.length > 12)!;
    const there = new Replay(document).courses[0];
    const back = new Replay(document).courses[0];
    const last = there.count;
    const forth = Array.from({ length: last + 1 }, (_, k) => [...there.weights(k)]);
    for (let k = last; k >= 0; k--) expect([...back.weights(k)]).toEqual(forth[k]);
  });
});

describe("speed", () => {
  it("reaches any step of 100,000 updates in 8 ms", () => {
    const n = 100;
    const count = 100_000;
    const points = Array.from({ length: n }, (_, i) => [Math.sin(i), Math.cos(2 * i)]);
    const base = cases[0].document;
    const signs = points.map((_, i) => (i % 2 ? 1 : -1));
    const each = Array.from({ length: count }, (_, e) => e);
    const long = {
      ...base,
      data: { ...base.data, points, labels: signs, targets: signs.map((s) => (s + 1) / 2) },
      updates: {
        t: each, i: each.map((e) => e % n), r: each.map(() => 0), a: each.map(() => 1),
        c: each.map(() => 1), g: null,
      },
      counters: { ...base.counters, t: count },
    } as Document;
    const replay = new Replay(long);
    const [course] = replay.courses;
    const [averaged] = replay.readouts("averaged");
    course.weights(count); // the checkpoints are laid once
    averaged.weights(count);
    const times: number[] = [];
    for (let s = 0; s < 300; s++) {
      const k = (s * 7919 * 13) % count;
      const before = performance.now();
      course.weights(k);
      averaged.weights(k);
      times.push(performance.now() - before);
    }
    times.sort((a, b) => a - b);
    console.log(`median ${times[150].toFixed(3)} ms, worst ${times[299].toFixed(2)} ms`);
    expect(times[150]).toBeLessThanOrEqual(8);
  });
});
