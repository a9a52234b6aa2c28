// Lessons to open with a click: the four demonstrations of the article that started this, mended,
// and some more.

import type { DataState, PanelState } from "./link";

export interface Preset {
  name: string;
  note: string;
  source: DataState;
  panels: PanelState[];
}

const draw = (generator: string, parameters: Record<string, number>, seed = 0): DataState => ({
  generator, parameters, seed,
});
/** A panel with a member and its parameters. */
export const use = (algorithm: string, parameters: PanelState["parameters"] = {}): PanelState => ({
  algorithm, parameters,
});
const bare = { fit_intercept: false };

export const PRESETS: Preset[] = [
  {
    name: "Article 1: the plain perceptron",
    note: "As many updates as it takes: a clean set always ends without an error, and fitting again changes nothing.",
    source: draw("wedge", { n: 50, wedge: 0.03, noise: 0 }),
    panels: [use("Perceptron", { ...bare, max_iter: 5000 })],
  },
  {
    name: "Article 2: the margin",
    note: "The slider is the distance of the theorem, not a wedge that closes at the origin.",
    source: draw("halfplanes", { n: 50, margin: 0.1 }),
    panels: [use("Perceptron", bare)],
  },
  {
    name: "Article 3: MaxOver",
    note: "Wendemuth's algorithms as published; kappa does what it says.",
    source: draw("wedge", { n: 50, wedge: 0.03, noise: 0.1 }),
    panels: [
      use("MaxOver", { ...bare, algorithm: 2, kappa: 0 }),
      use("MaxOver", { ...bare, algorithm: 3, kappa: 0 }),
    ],
  },
  {
    name: "Article 4: the vote",
    note: "A hypothesis keeps its votes over passes, and the last one counts too.",
    source: draw("wedge", { n: 50, wedge: 0.03, noise: 0.1 }),
    panels: [
      use("VotedPerceptron", { ...bare, max_iter: 5 }),
      use("AveragedPerceptron", { ...bare, max_iter: 5 }),
      use("Perceptron", { ...bare, max_iter: 5 }),
    ],
  },
  {
    name: "Four algorithms, one clock",
    note: "The same points in the same order.",
    source: draw("halfplanes", { n: 40, margin: 0.05 }, 3),
    panels: [use("Perceptron"), use("AveragedPerceptron"), use("PassiveAggressive"), use("MinOver")],
  },
  {
    name: "Rings, with a kernel",
    note: "No line will do; in the kernel's space one does.",
    source: draw("rings", { n: 60 }),
    panels: [use("KernelPerceptron", { kernel: "rbf", gamma: 2, readout: "last" }), use("Perceptron", { max_iter: 20 })],
  },
  {
    name: "Five classes",
    note: "One vector for each class; the best score wins.",
    source: draw("clouds", { n: 60, classes: 5, spread: 0.14 }),
    panels: [use("Perceptron"), use("MIRA", { margin: 0.1 })],
  },
];
