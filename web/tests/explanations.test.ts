// Every explanation can be typeset, and shows the numbers of its run.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import katex from "katex";
import { describe, expect, it } from "vitest";
import { EXPLANATIONS, missing, type Asked, type Facts } from "../src/explanations";
import { Replay } from "../src/engine/replay";
import { numberOf } from "../src/lessons/order";
import { tex } from "../src/numbers";
import type { Document, Verdict } from "../src/schema";
import { stats } from "../src/stats";

const file = fileURLToPath(new URL("./golden.json", import.meta.url));
const cases = JSON.parse(readFileSync(file, "utf8")) as { name: string; document: Document }[];
const names = Object.keys(EXPLANATIONS) as Asked[];
const verdict: Verdict = {
  verdict: "separable", statement: "", margin: 0.05, margin_bracket: [0.05, 0.0500001], radius: 1.5,
  mistake_bound: 900, weights: [[1, -2]], intercept: [0.5], support: [], rivals: [], coefficients: [], shares: [],
};

function facts(document: Document, share = 1): Facts {
  const run = new Replay(document);
  const T = Math.floor(share * run.visits);
  const known = run.classes === 2 ? verdict : { ...verdict, weights: null, intercept: null };
  return { run, T, verdict: known, stats: stats(run, T, known), held: { wrong: 2, count: 8 } };
}

const typeset = (math: string) => katex.renderToString(math, { throwOnError: true, strict: "error" });

describe("explanations", () => {
  it.each(names)("%s is typeset", (name) => {
    expect(typeset(EXPLANATIONS[name].formula)).toContain("katex");
    expect(numberOf(EXPLANATIONS[name].lesson)).toBeGreaterThanOrEqual(1);
  });

  it("puts the numbers of any run in, or explains why not", () => {
    for (const { document } of cases) {
      for (const share of [0, 0.4, 1]) {
        const known = facts(document, share);
        for (const name of names) {
          const here = EXPLANATIONS[name].here(known);
          if (here === null) expect(missing(name, known)).toMatch(/\.$/);
          else {
            expect(typeset(here)).toContain("katex");
            expect(here).not.toMatch(/NaN|undefined|Infinity|–/);
          }
        }
      }
    }
  });

  it("shows the margin and the angle that the table shows", () => {
    const { document } = cases.find((one) => one.name === "plain last")!;
    const known = facts(document);
    expect(known.stats.margin).not.toBeNull();
    expect(EXPLANATIONS.margin.here(known)).toContain(`= ${tex(known.stats.margin!)}`);
    expect(EXPLANATIONS.angle.here(known)).toContain(`= ${tex(known.stats.angle!)}^\\circ`);
    expect(EXPLANATIONS.heldout.here(known)).toContain("\\frac{2}{8} = \\text{25.0 \\%}");
  });
});
