// A script that makes exactly the run that is seen, with the library.

import type { Algorithm } from "./schema";
import type { PanelState, State } from "./link";

/** A table of points and the list of their labels. */
function arrays(points: number[][], labels: number[], X: string, y: string): string {
  return `${X} = np.array([
${points.map((p) => `    [${p.map(float).join(", ")}],`).join("\n")}
])
${y} = np.array([${labels.join(", ")}])
`;
}

export function script(state: State, panel: PanelState, algorithm: Algorithm): string {
  const known = [...algorithm.parameters, ...algorithm.common];
  const given = Object.entries(panel.parameters)
    .filter(([name, value]) => known.find((p) => p.name === name)?.default !== value)
    .map(([name, value]) => `${name}=${literal(value)}`);
  const fixed = Object.keys(algorithm.fixed).map((name) => `${name}=None`);
  const settings = [...given, ...fixed, `random_state=${state.seed}`].join(", ");
  const start = state.branch && algorithm.restarts === null
    ? `, coef_init=${list(state.branch.coef)}, intercept_init=${list(state.branch.intercept)}`
    : "";
  const { held } = state;
  const learned = state.points.length - held;
  const from = state.source
    ? `# ${state.source.generator}(${Object.entries(state.source.parameters)
        .map(([n, v]) => `${n}=${v}`).join(", ")}), seed ${state.source.seed}`
    : "# points of one's own";
  return `import os
import warnings

os.environ["ROSENBLATT_EXECUTION"] = "plain"  # the page's arithmetic; without it, faster
import numpy as np
import rosenblatt as rb

${from}
${arrays(state.points.slice(0, learned), state.labels.slice(0, learned), "X", "y")}${held ? `
# held out
${arrays(state.points.slice(learned), state.labels.slice(learned), "X_new", "y_new")}` : ""}
${start ? "# The branch goes on in the order of its trunk; fit begins the order anew, so updates may differ.\n" : ""}with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the summary reports whether it converged
    clf = rb.${panel.algorithm}(${settings}).fit(X, y${start})

print(clf.summary())
print("updates:", clf.n_updates_)
print("training errors:", int((clf.predict(X) != y).sum()))
${held ? 'print("held-out errors:", int((clf.predict(X_new) != y_new).sum()))\n' : ""}${panel.algorithm === "KernelPerceptron"
    ? 'print("coefficients:", clf.dual_coef_.tolist())'
    : 'print("weights:", clf.coef_.tolist(), "intercept:", clf.intercept_.tolist())'}
`;
}

function float(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function list(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(list).join(", ")}]` : float(value as number);
}

function literal(value: boolean | number | string | null): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === "inf") return 'float("inf")';
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
