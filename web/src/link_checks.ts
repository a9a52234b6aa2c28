// Whether the content of a link is as it must be. Anyone may have written it: nothing is taken that
// is not named here, and nothing that is larger than what the page itself writes.

import type { Edit } from "./edits";
import type { BranchState, DataState, Link, PanelState } from "./link";

/** A link that cannot be read, and why in one sentence. */
export class DamagedLink extends Error {
  constructor(why: string) {
    super(`This link cannot be read; ${why}.`);
  }
}

/** What is left out of a link if it is as here. */
export const DEFAULTS: Omit<Link, "v" | "panels"> = {
  source: null, edits: null, points: null, labels: null, seed: 0, clock: 0, focus: 0,
  tab: "happened", branch: null, hand: null, held: 0, share: 0, names: {},
};

const POINTS = 2000;
const PANELS = 9;
const CLASSES = 10;
const FARTHEST = 1e6; // of coordinates
const VISITS = 1e9;
const SEEDS = 2 ** 31 - 1;

type Raw = Record<string, unknown>;
type Test = (value: unknown) => boolean;

const isRecord = (v: unknown): v is Raw => typeof v === "object" && v !== null && !Array.isArray(v);
const isNumber: Test = (v) => typeof v === "number" && Number.isFinite(v);
const upTo = (most: number): Test => (v) => typeof v === "number" && Math.abs(v) <= most;
const isCount = (most: number): Test => (v) => Number.isInteger(v) && (v as number) >= 0 && (v as number) <= most;
const isLabel: Test = (v) => Number.isInteger(v) && Math.abs(v as number) <= 1000;
const isName: Test = (v) => typeof v === "string" && /^[A-Za-z]\w{0,63}$/.test(v);
const isText = (most: number): Test => (v) => typeof v === "string" && v.length <= most;
const listOf = (item: Test, least: number, most: number): Test => (v) =>
  Array.isArray(v) && v.length >= least && v.length <= most && v.every(item);
const recordOf = (key: Test, item: Test, most: number): Test => (v) =>
  isRecord(v) && Object.keys(v).length <= most && Object.entries(v).every(([k, one]) => key(k) && item(one));
const orNull = (test: Test): Test => (v) => v === null || test(v);
const isPoint = listOf(upTo(FARTHEST), 2, 2);
const isValue: Test = (v) => v === null || typeof v === "boolean" || isNumber(v) || isText(64)(v);

const isSource: Test = (v) =>
  isRecord(v) && isName(v.generator) && recordOf(isName, isNumber, 20)(v.parameters) && isCount(SEEDS)(v.seed);
const isPanel: Test = (v) => isRecord(v) && isName(v.algorithm) && recordOf(isName, isValue, 40)(v.parameters);
const isBranch: Test = (v) =>
  isRecord(v) && isCount(VISITS)(v.at) && isCount(VISITS)(v.visits ?? 0) && listOf(listOf(isNumber, 2, 2), 1, CLASSES)(v.coef) &&
  listOf(isNumber, 1, CLASSES)(v.intercept) && (v.coef as unknown[]).length === (v.intercept as unknown[]).length;
const isEdit: Test = (v) =>
  listOf(isCount(POINTS), 2, 2)(v) || (listOf(isNumber, 3, 3)(v) && isPoint((v as number[]).slice(0, 2)) && isLabel((v as number[])[2]));

const FIELDS: Record<keyof Omit<Link, "v">, Test> = {
  source: orNull(isSource),
  edits: orNull(listOf(isEdit, 1, POINTS)),
  points: orNull(listOf(isPoint, 0, POINTS)),
  labels: orNull(listOf(isLabel, 0, POINTS)),
  panels: listOf(isPanel, 1, PANELS),
  seed: isCount(SEEDS),
  clock: isCount(VISITS),
  focus: isCount(PANELS - 1),
  tab: isText(20),
  branch: orNull(isBranch),
  hand: orNull(listOf(isNumber, 3, 3)),
  held: isCount(POINTS),
  share: (v) => isNumber(v) && (v as number) >= 0 && (v as number) < 1,
  names: recordOf((k) => /^-?\d{1,4}$/.test(k as string), isText(200), CLASSES),
};

/** A link, or `DamagedLink`; version 1 contained all points always. */
export function checkLink(raw: unknown): Link {
  if (!isRecord(raw)) throw new DamagedLink("it contains no state of the lab");
  if (raw.v !== 1 && raw.v !== 2) throw new DamagedLink("it was made by another version of the lab");
  const link: Raw = { v: 2 };
  for (const [name, test] of Object.entries(FIELDS)) {
    const value = Object.hasOwn(raw, name) ? raw[name] : DEFAULTS[name as keyof typeof DEFAULTS];
    if (!test(value)) throw new DamagedLink(`its field ${name} is not valid`);
    link[name] = value;
  }
  return wholeLink(link as unknown as Link);
}

/** A link whose fields fit each other, as copies of what may be in them. */
function wholeLink(link: Link): Link {
  const { points, labels, source, edits, held } = link;
  if (points?.length !== labels?.length) throw new DamagedLink("its field labels does not fit the points");
  if (!points && !source) throw new DamagedLink("it names no points");
  if (edits && (!source || points)) throw new DamagedLink("its field edits needs a source, and no points");
  if (points && held > 0 && held >= points.length) throw new DamagedLink("its field held is not valid");
  return {
    ...link,
    source: source && sourceOf(source),
    panels: link.panels.map(({ algorithm, parameters }): PanelState => ({ algorithm, parameters })),
    branch: link.branch && branchOf(link.branch),
    edits: edits && edits.map((edit) => [...edit] as Edit),
  };
}

const sourceOf = ({ generator, parameters, seed }: DataState): DataState => ({ generator, parameters, seed });
const branchOf = ({ at, visits = 0, coef, intercept }: BranchState): BranchState => ({ at, visits, coef, intercept });
