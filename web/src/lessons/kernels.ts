// The lesson "Kernels".

import { counted, errorsOf, resultOf, type Plan } from "./plan";

const PASSES = 200;
const KERNELS: Record<string, Record<string, string | number>> = {
  quadratic: { kernel: "poly", degree: 2 },
  gaussian: { kernel: "rbf" },
  none: { kernel: "linear" },
};

export const plan: Plan<{ kind: string; kernel: string; gamma: number; seed: number }> = {
  name: "kernels",
  initial: { kind: "rings", kernel: "quadratic", gamma: 1, seed: 0 },
  source: ({ kind, seed }) => ({ generator: kind, parameters: { n: 60 }, seed }),
  panels: ({ kernel, gamma }) => [
    { algorithm: "KernelPerceptron", parameters: { ...KERNELS[kernel], gamma, readout: "last", max_iter: PASSES } },
  ],
  answer: (lab) => resultOf(lab)?.updates ?? null,
  claims: [
    (lab) => {
      const [run, result] = [lab.session.run, resultOf(lab)];
      if (!run || !result?.converged) return null;
      const kept = new Set(run.document.updates.i).size;
      return `After ${counted(result.updates, "mistake")} all ${lab.data.examples.length} points are right. It remembers ${kept} of them.`;
    },
    (lab) => {
      const result = resultOf(lab);
      if (!result || result.converged) return null;
      return `After ${PASSES} passes and ${counted(result.updates, "mistake")} it still gets ${errorsOf(lab)} of ${lab.data.examples.length} wrong.`;
    },
  ],
  solved: (lab) => lab.data.source?.generator === "spirals" && resultOf(lab)?.converged === true,
};
