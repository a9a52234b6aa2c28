// The lesson "Many classes".

import { num } from "../numbers";
import { counted, resultOf, type Plan } from "./plan";

export const MANY = 6; // classes in the puzzle

export const plan: Plan<{ classes: number; spread: number; seed: number }> = {
  name: "classes",
  initial: { classes: 4, spread: 0.2, seed: 1 },
  source: ({ classes, spread, seed }) => ({ generator: "clouds", parameters: { n: 80, classes, spread }, seed }),
  panels: () => [{ algorithm: "Perceptron", parameters: { max_iter: 200 } }],
  answer: (lab) => resultOf(lab)?.updates ?? null,
  claims: [
    (lab) => {
      const result = resultOf(lab);
      return result?.converged ? `After ${counted(result.updates, "mistake")} all ${lab.data.examples.length} points are right.` : null;
    },
    ({ session: { run }, data }) => {
      if (!run || run.courses.length > 1) return null;
      const [course] = run.courses;
      const rows = course.asRows(course.weights(course.count));
      const sum = rows[0].map((_, j) => rows.reduce((total, row) => total + row[j], 0));
      if (Math.max(...sum.map(Math.abs)) > 1e-9) return null;
      return `Each mistake changed two of the ${num(data.classes.length)} vectors, by the same step up and down; so they still add up to zero.`;
    },
  ],
  solved: (lab) => lab.data.classes.length >= MANY && resultOf(lab)?.converged === true,
};
