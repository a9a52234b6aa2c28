// Made by web/generate.py from src/rosenblatt/lab/schema.py; change it there.

export interface Algorithm {
  name: string;
  text: string;
  parameters: Parameter[];
  common: Parameter[];
  classes: "two" | "many";
  restarts: string | null;
  proof: boolean;
  fixed: Record<string, null>;
}

export interface Alive {
  library: string;
}

export interface Bounds {
  above: number | null;
  least: number | null;
  below: number | null;
  most: number | null;
  infinite: boolean;
}

export interface CertifyRequest {
  data: Table;
  fit_intercept?: boolean;
  intercept_scaling?: number;
}

export interface Checkpoints {
  k: number[];
  w: number[][][];
}

export interface Config {
  rule: string;
  parameters: Record<string, unknown>;
  bias: number;
  from_zero: boolean;
  algorithm: string;
  settings: Record<string, unknown>;
  readout: string;
  drawn: number | null;
  order: string | null;
  seed: number | null;
  problem: "binary" | "native" | "ovr";
  space: Space;
  library: string;
}

export interface ContinueRequest {
  data: Table;
  algorithm: string;
  parameters?: Record<string, boolean | number | string | null>;
  seed?: number;
  start: Start;
}

export interface Data {
  labels: number[];
  points: number[][];
  targets: number[];
  classes: unknown[];
  bias: number;
  offset: number;
}

export interface DataRequest {
  generator: string;
  parameters?: Record<string, number>;
  seed?: number;
}

export interface Document {
  format: "rosenblatt-journal/1";
  config: Config;
  data: Data;
  start: Started;
  updates: Updates;
  checkpoints: Checkpoints;
  passes: Passes;
  counters: Record<string, number | null>;
  reads: Reads | null;
  others: Entries[];
  result: Result;
  cut: string | null;
}

export interface Drawer {
  name: string;
  text: string;
  parameters: Parameter[];
}

export interface Drawn {
  points: number[][];
  labels: number[];
  margin: number | null;
  radius: number | null;
  separator: number[] | null;
  noise: number | null;
}

export interface Entries {
  format: "rosenblatt-journal/1";
  config: Record<string, unknown>;
  data: Record<string, unknown>;
  start: Started;
  updates: Updates;
  checkpoints: Checkpoints;
  passes: Passes;
  counters: Record<string, number | null>;
  reads: Reads | null;
}

export interface Limits {
  points: number;
  features: number;
  classes: number;
  updates: number;
  seconds: number;
  largest: number;
}

export interface Opening {
  document: Document | null;
  verdict: Verdict | null;
  data: Drawn | null;
  sheet: Sheet | null;
  name: string | null;
}

export interface Orders {
  updates: number[];
  converged: boolean[];
  bound: number | null;
  margin: number | null;
  radius: number;
}

export interface OrdersRequest {
  data: Table;
  fit_intercept?: boolean;
  intercept_scaling?: number;
  orders?: number;
  seed?: number;
}

export interface Parameter {
  name: string;
  kind: "number" | "integer" | "boolean" | "choice";
  default: boolean | number | string | null;
  text: string;
  choices: (boolean | number | string | null)[];
  nullable: boolean;
  bounds: Bounds | null;
  low: number | null;
  high: number | null;
  step: number | null;
}

export interface Passes {
  visits: number[];
  updates: number[];
  mistakes: number[];
  errors: number[];
}

export interface Problem {
  detail: string;
}

export interface Reads {
  t: number[];
  w: number[][][];
}

export interface Registry {
  library: string;
  algorithms: Algorithm[];
  readouts: string[];
  generators: Drawer[];
  limits: Limits;
}

export interface Result {
  coef: number[][] | null;
  intercept: number[] | null;
  updates: number;
  passes: number;
  converged: boolean;
  radius: number;
  margin_bracket: (number | null)[];
  pass_mistakes: number[];
  pass_errors: number[];
  errors: number;
  summary: string;
}

export interface RunRequest {
  data: Table;
  algorithm: string;
  parameters?: Record<string, boolean | number | string | null>;
  seed?: number;
}

export interface Sheet {
  names: string[];
  rows: string[][];
  lines: number[];
}

export interface Space {
  kind: "linear" | "rows" | "mirror" | "diagonal" | "full" | "kernel";
  prior: number | null;
  shrinks: boolean | null;
  p: number | null;
  kernel: string | null;
  degree: number | null;
  gamma: number | null;
  coef0: number | null;
  constant: number | null;
}

export interface Start {
  coef: number[][];
  intercept: number[];
}

export interface Started {
  w: number[][];
  counters: Record<string, number | null>;
}

export interface Table {
  points: number[][];
  labels: number[];
}

export interface Updates {
  t: number[];
  i: number[];
  r: number[];
  a: number[];
  c: number[];
  g: number[] | null;
}

export interface Verdict {
  verdict: "separable" | "inseparable" | "undecided";
  statement: string;
  margin: number | null;
  margin_bracket: (number | null)[];
  radius: number;
  mistake_bound: number | null;
  weights: number[][] | null;
  intercept: number[] | null;
  support: number[];
  rivals: number[];
  coefficients: string[];
  shares: number[];
}
