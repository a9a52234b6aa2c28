// Readouts that the page cannot course: samples of the library, or a clear refusal.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { obstacle, Replay } from "../src/engine/replay";
import type { Document, Reads } from "../src/schema";

const file = fileURLToPath(new URL("./golden.json", import.meta.url));
const cases = JSON.parse(readFileSync(file, "utf8")) as { name: string; document: Document }[];
const named = (name: string) => cases.find((one) => one.name === name)!.document;

/** The same run, as if its readout were one that the page has never heard of. */
function unknown(document: Document, sample: (course: number) => Reads | null): Document {
  return {
    ...document,
    config: { ...document.config, readout: "median" },
    reads: sample(0),
    others: document.others.map((run, n) => ({ ...run, reads: sample(n + 1) })),
  };
}

/** Samples of the averaged hypothesis, every few visits. */
function averages(document: Document, every: number): (course: number) => Reads {
  const replay = new Replay(document);
  const t = Array.from({ length: Math.floor(replay.visits / every) }, (_, n) => (n + 1) * every);
  return (f) => ({
    t,
    w: t.map((T) => replay.courses[f].asRows(replay.weights(T, "averaged")[f])),
  });
}

const SAMPLED = ["plain averaged", "plain averaged native", "plain averaged ovr", "kernel rbf averaged 2"];

describe("a readout that the page does not know", () => {
  it.each(SAMPLED)("is shown by its samples: %s", (name) => {
    const document = named(name);
    const every = 3;
    const sampled = new Replay(unknown(document, averages(document, every)));
    const folded = new Replay(document);
    const probes = document.data.points.map(([x, z]) => [x + 0.01, z - 0.02]);
    for (let T = every; T <= folded.visits; T++) {
      const latest = T - (T % every);
      expect(sampled.sampledAt(T)).toBe(latest);
      const folds = folded.scores(latest, probes).flat();
      sampled.scores(T, probes).flat().forEach((score, n) => expect(score).toBeCloseTo(folds[n], 12));
    }
    expect(sampled.predicted(folded.visits - (folded.visits % every), probes))
      .not.toEqual(folded.predicted(1, probes)); // the samples differ, so that a wrong one is noticed
  });

  it("begins with the start, before the first sample", () => {
    const document = named("plain averaged");
    const sampled = new Replay(unknown(document, averages(document, 3)));
    expect([...sampled.weights(2)[0]]).toEqual(document.start.w[0]);
    expect(sampled.sampledAt(2)).toBe(0);
  });

  it("is refused in words where there are no samples", () => {
    const document = named("plain averaged ovr");
    for (const reads of [null, { t: [], w: [] }]) {
      const bare = unknown(document, () => reads);
      expect(obstacle(bare)).toContain('does not know the readout "median"');
      expect(() => new Replay(bare)).toThrow("median");
    }
    const partly = unknown(document, (f) => (f === 1 ? null : averages(document, 3)(f)));
    expect(obstacle(partly)).toContain("median");
  });

  it("is not confused with a name that every object has", () => {
    const document = named("plain last");
    expect(obstacle({ ...document, config: { ...document.config, readout: "toString" } })).not.toBeNull();
  });

  it("is not shown in place of another that was asked for", () => {
    const document = named("plain averaged");
    const sampled = new Replay(unknown(document, averages(document, 3)));
    expect(() => sampled.weights(5, "mode")).toThrow('does not know the readout "mode"');
    expect([...sampled.weights(5, "last")[0]]).toEqual([...new Replay(document).weights(5, "last")[0]]);
  });
});

describe("what the page can show", () => {
  it("is every document of the library, by its own course", () => {
    for (const { document } of cases) {
      expect(obstacle(document)).toBeNull();
      expect(new Replay(document).sampledAt(5)).toBeNull();
    }
  });

  it("is no kernel but the library's own", () => {
    const document = named("kernel rbf last 2");
    const config = { ...document.config, space: { ...document.config.space, kernel: "own" } };
    expect(obstacle({ ...document, config })).toContain('kernel "own"');
  });
});
