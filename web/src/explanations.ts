// Why a number is what it is: plain words, the formula, and the run's own numbers put into it.

import { bestSeparator, dot, squaredRatio } from "./proof";
import type { Replay } from "./engine/replay";
import type { LessonName } from "./lessons/order";
import { num, percent, tex } from "./numbers";
import type { Verdict } from "./schema";
import type { Stats } from "./stats";

/** What an explanation may draw on: a run at a moment, and what is proved of its examples. */
export interface Facts {
  run: Replay;
  T: number;
  verdict: Verdict | null;
  stats: Stats;
  held: { wrong: number; count: number } | null; // of the examples held out
}

export interface Explanation {
  title: string;
  words: string;
  formula: string; // TeX
  here: (facts: Facts) => string | null; // TeX with the run's numbers; null where it has none
  lesson: LessonName; // of the guide
}

/** TeX of words in a formula. */
const text = (words: string) => `\\text{${words.replaceAll("%", "\\%")}}`;

/** The weights that margin and angle are about. */
const hypothesis = ({ run, T }: Facts) => run.weights(T)[0];

function worst(facts: Facts): { i: number; m: number; length: number } | null {
  const [course] = facts.run.courses;
  if (facts.run.courses.length !== 1) return null;
  const w = hypothesis(facts);
  const length = course.norm(w);
  if (length === 0) return null;
  let [i, m] = [0, Infinity];
  facts.run.points.forEach((_, n) => {
    const own = course.margin(w, n);
    if (own < m) [i, m] = [n, own];
  });
  return { i, m, length };
}

export const EXPLANATIONS = {
  updates: {
    title: "Updates",
    words: "How often the hypothesis has been changed so far. Most visits change nothing: the example is already where the rule wants it.",
    formula: "w_k = c_k\\,w_{k-1} + a_k\\,y\\,x",
    here: ({ stats, T }) => `k = ${tex(stats.updates)}\\ ${text("updates in")}\\ ${tex(T)}\\ ${text("visits")}`,
    lesson: "one",
  },
  mistakes: {
    title: "Mistakes",
    words: "Updates on examples that were on the wrong side, or exactly on the boundary, when they were visited. Some rules also update on examples that are right, for the sake of a margin; those do not count here.",
    formula: "M = \\#\\{\\,k : y\\,f_{k-1}(x) \\le 0\\,\\}",
    here: ({ stats }) => stats.mistakes === null ? null
      : `M = ${tex(stats.mistakes)} \\le k = ${tex(stats.updates)}`,
    lesson: "one",
  },
  passes: {
    title: "Passes",
    words: "How often all examples have been gone through. A pass without an update ends the run: nothing would ever change again.",
    formula: `${text("passes")} = \\lfloor T / n \\rfloor`,
    here: ({ run, T, stats }) => `T = ${tex(T)}\\ ${text("visits to")}\\ n = ${tex(run.points.length)}\\ ${text("examples:")}\\ ${tex(stats.passes)}`,
    lesson: "one",
  },
  error: {
    title: "Wrong",
    words: "Examples on the wrong side at this moment, by the readout of this panel, of all those it learns from. A score of exactly zero means minus.",
    formula: "\\frac{1}{n}\\,\\#\\{\\,i : \\hat y_i \\ne y_i\\,\\}",
    here: ({ run, stats }) => {
      const n = run.points.length;
      return `\\frac{${stats.wrong}}{${tex(n)}} = ${text(percent(stats.wrong / n))}`;
    },
    lesson: "one",
  },
  heldout: {
    title: "Held out",
    words: "Points that were kept away from learning, drawn hollow, and how many of them are wrong. Only such points show what to expect of new ones; with so few of them, only roughly.",
    formula: "p \\pm \\sqrt{p\\,(1-p)/m}",
    here: ({ held }) => {
      if (!held || held.count === 0) return null;
      const p = held.wrong / held.count;
      const error = Math.sqrt((p * (1 - p)) / held.count);
      return `\\frac{${held.wrong}}{${tex(held.count)}} = ${text(percent(p))} \\pm ${text(percent(error))}`;
    },
    lesson: "new",
  },
  margin: {
    title: "Margin",
    words: "How far the example nearest to the boundary is from it, or if one is on the wrong side, how far the worst of them is beyond it: then it is negative. The bias counts as one more weight.",
    formula: "\\min_i\\, \\frac{y_i\\,f(x_i)}{\\lVert w\\rVert}",
    here: (facts) => {
      const found = worst(facts);
      return found && `\\frac{y\\,f(x_{${found.i + 1}})}{\\lVert w\\rVert} = \\frac{${tex(found.m)}}{${tex(found.length)}} = ${tex(found.m / found.length)}`;
    },
    lesson: "margin",
  },
  angle: {
    title: "Angle to the best",
    words: "The angle between these weights and those of the separator with the largest margin, dashed in the plane. It need not reach zero: the perceptron stops at any separator.",
    formula: "\\arccos \\frac{w\\cdot w^*}{\\lVert w\\rVert\\,\\lVert w^*\\rVert}",
    here: (facts) => {
      const { stats, verdict, run } = facts;
      const best = bestSeparator(run, verdict);
      if (stats.angle === null || !best) return null;
      const w = hypothesis(facts);
      return `\\arccos \\frac{${tex(dot(best, w))}}{${tex(run.courses[0].norm(w))}\\cdot ${tex(Math.hypot(...best))}} = ${tex(stats.angle)}^\\circ`;
    },
    lesson: "margin",
  },
  radius: {
    title: "Radius",
    words: "Length of the longest example. With a bias every example has one more coordinate, the constant that the bias is multiplied by, and it counts.",
    formula: "R = \\max_i \\lVert x_i\\rVert",
    here: ({ run, verdict }) => {
      const { bias } = run.document.data;
      let i = 0;
      run.points.forEach((x, n) => { if (Math.hypot(...x) > Math.hypot(...run.points[i])) i = n; });
      if (!verdict || run.document.config.space.kind === "kernel" || run.points[i].length > 4) return null;
      const parts = [...run.points[i], ...(bias ? [bias] : [])].map((v) => v < 0 ? `(${tex(v)})^2` : `${tex(v)}^2`);
      return `\\lVert x_{${i + 1}}\\rVert = \\sqrt{${parts.join(" + ")}} = ${tex(verdict.radius, 4)}`;
    },
    lesson: "two",
  },
  bracket: {
    title: "Best margin",
    words: "The largest margin that any hypothesis has on these examples. It is proved to lie between two numbers: the margin of a separator that was found, and the length of a weighted mean of the signed examples, which no margin can exceed.",
    formula: "\\min_i \\frac{y_i\\,w\\cdot x_i}{\\lVert w\\rVert} \\le \\gamma \\le \\Bigl\\lVert \\sum_i \\alpha_i y_i x_i \\Bigr\\rVert,\\quad \\alpha_i \\ge 0,\\ \\sum_i \\alpha_i = 1",
    here: ({ verdict }) => {
      const [low, high] = verdict?.margin_bracket ?? [null, null];
      if (low === null || high === null) return null;
      const [from, to] = [tex(low, 9), tex(high, 9)];
      return from === to ? `\\gamma \\approx ${from}` : `${from} \\le \\gamma \\le ${to}`;
    },
    lesson: "margin",
  },
  bound: {
    title: "The bound",
    words: "If some separator through zero keeps every example at distance γ or more, and none is longer than R, then a perceptron that begins at zero makes at most this many mistakes, in whatever order the examples come and however many there are.",
    formula: "M \\le \\left(\\frac{R}{\\gamma}\\right)^2",
    here: ({ verdict, stats }) => {
      const ratio = verdict && squaredRatio(verdict);
      if (!ratio || !verdict.margin) return null;
      const bound = `\\left(\\frac{${tex(verdict.radius, 4)}}{${tex(verdict.margin, 4)}}\\right)^2 \\approx ${tex(ratio)}`;
      return stats.mistakes === null ? bound : `${tex(stats.mistakes)} \\le ${bound}`;
    },
    lesson: "two",
  },
  votes: {
    title: "Votes",
    words: "Visits that a hypothesis survived until the next update changed it. The voted perceptron gives each hypothesis one vote per visit survived; the averaged one weights it by them. The newest has votes too.",
    formula: "c_k = t_{k+1} - t_k, \\qquad \\sum_k c_k = T",
    here: ({ run, T }) => {
      const [course] = run.courses;
      const k = course.made(T);
      return `c_{${k}} = ${tex(T)} - ${tex(course.born(k))} = ${tex(course.life(k, T))}\\ ${text("of")}\\ ${tex(T - course.begun)}\\ ${text("votes")}`;
    },
    lesson: "voting",
  },
} satisfies Record<string, Explanation>;

export type Asked = keyof typeof EXPLANATIONS;

/** What is shown instead of numbers where a run has none. */
export function missing(asked: Asked, facts: Facts | null): string {
  if (!facts) return "There is no run at the moment to put numbers in.";
  if (asked === "mistakes") return facts.run.bounded
    ? "The journal of a hypothesis on a budget records what was kept and what was dropped, not which point was visited."
    : "This run is too long to count them while it is shown.";
  if (asked === "margin") return facts.run.courses.length > 1 ? "With one problem a class there is one margin for each." : "w = 0 has none yet: step on.";
  if (asked === "heldout") return "No point is held out.";
  if (facts.verdict?.verdict === "inseparable") return "These examples cannot be separated, so there is none.";
  return `There is none for ${num(facts.run.points.length)} examples as they are shown here.`;
}
