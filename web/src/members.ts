// What people call the members of the family, and the questions that they answer.

import type { PanelState } from "./link";

const GROUPS: Record<string, Record<string, string>> = {
  separable: {
    Perceptron: "Perceptron", BatchPerceptron: "Batch perceptron", Ballseptron: "Ballseptron",
    PassiveAggressive: "Passive-aggressive", WinnowPerceptron: "Winnow",
  },
  noisy: {
    AveragedPerceptron: "Averaged perceptron", VotedPerceptron: "Voted perceptron", PocketPerceptron: "Pocket",
    ThermalPerceptron: "Thermal perceptron", MaxOver: "MaxOver (Wendemuth)", AROW: "AROW", SCW: "Soft confidence",
    ConfidenceWeighted: "Confidence-weighted", NHERD: "Normal herd", SecondOrderPerceptron: "Second-order perceptron",
  },
  curved: { KernelPerceptron: "Kernel perceptron" },
  "many classes": { MIRA: "MIRA" },
  "large margin": {
    MinOver: "MinOver", AdaTron: "AdaTron", MarginPerceptron: "Perceptron with margin", ROMMA: "ROMMA", ALMA: "ALMA",
    DynamicMarginPerceptron: "Dynamic margin",
  },
};
const OTHERS = "others";

/** What a member is called; its own name if it is not one of the library's. */
export function called(algorithm: string): string {
  return Object.values(GROUPS).find((names) => names[algorithm])?.[algorithm] ?? algorithm;
}

/** Members by the question that they answer, in its order. */
export function grouped<T extends { name: string }>(algorithms: T[]): [string, T[]][] {
  const group = (name: string) => Object.keys(GROUPS).find((key) => GROUPS[key][name]) ?? OTHERS;
  return [...Object.keys(GROUPS), OTHERS]
    .map((key): [string, T[]] => [key, algorithms.filter((one) => group(one.name) === key)])
    .filter(([, members]) => members.length > 0);
}

/** What tells a panel from others of the same member: the settings in which they differ. */
export function distinction(panels: PanelState[], index: number): string {
  const { algorithm, parameters } = panels[index];
  const alike = panels.filter((panel) => panel.algorithm === algorithm);
  const names = [...new Set(alike.flatMap((panel) => Object.keys(panel.parameters)))];
  const differing = names.filter((name) => new Set(alike.map((panel) => panel.parameters[name])).size > 1);
  return differing.map((name) => `${name} ${parameters[name] ?? "as usual"}`).join(", ");
}
