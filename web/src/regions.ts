// Where linear hypotheses decide for which class, exactly: polygons, and the borders between them.
//
// One hypothesis gives each class a half-plane's worth of scores; many vote. The plane is quartered
// until few lines cross a cell, and the cell is then cut along them. Where the votes are decided
// whatever the lines that cross, nothing is cut.

import { clip, corners, type View, type XY } from "./geometry";
import type { Line } from "./motion";

/** A hypothesis: its scores are a·x + b·y + c, one for each choice; the largest is chosen, the first of equals. */
export interface Voter {
  scores: Line[];
  weight: number;
  against?: number; // choice 1 is for this class, choice 0 against it; otherwise choices are classes
}

export interface Piece {
  polygon: XY[];
  winner: number;
}

export interface Regions {
  pieces: Piece[];
  borders: [XY, XY][];
}

/** A voter in a cell that its lines cross, with the choices that are possible there. */
interface Open {
  voter: Voter;
  choices: number[];
  line: Line; // the difference of the first two choices
  near: number; // scores that differ by less are equal
}

/** What a voter chooses on either side of a line. */
type Change = [Voter, number, number];

const FEW = 12; // lines to cut a cell along
const SMALLEST = 1 / 64; // of the view: a cell that is cut along whatever lines there are
const OFF_CENTRE = 0.4871; // a cell's quarters do not meet where symmetric points put lines
const ROUNDING = 1e-10; // of the largest term of a score

const at = ([a, b, c]: Line, [x, y]: XY): number => a * x + b * y + c;

/** The number of the largest value, the first of equals. */
function largest(values: number[]): number {
  let best = 0;
  for (let n = 1; n < values.length; n++) if (values[n] > values[best]) best = n;
  return best;
}

/** What a choice adds to the totals. */
function count(totals: number[], { weight, against }: Voter, choice: number): void {
  if (against === undefined) totals[choice] += weight;
  else totals[against] += choice === 1 ? weight : -weight;
}

/** A voter without one of its choices. */
function without(one: Open, lost: number): Open {
  const { voter: { scores }, near } = one;
  const choices = one.choices.filter((c) => c !== lost);
  return { voter: one.voter, choices, near, line: difference(scores[choices[0]], scores[choices[1] ?? choices[0]]) };
}

/** The choice of a voter on all of some points; null if it differs. */
function uniform({ voter: { scores }, choices, line: [a, b, c], near }: Open, points: XY[]): number | null {
  if (choices.length === 1) return choices[0];
  if (choices.length === 2) {
    let [low, high] = [Infinity, -Infinity];
    for (const p of points) {
      const lead = a * p[0] + b * p[1] + c;
      if (lead < low) low = lead;
      if (lead > high) high = lead;
    }
    return low >= -near ? choices[0] : high <= near ? choices[1] : null;
  }
  const bests = points.map((p) => Math.max(...choices.map((c) => at(scores[c], p))) - near);
  return choices.find((c) => points.every((p, n) => at(scores[c], p) >= bests[n])) ?? null;
}

/** Whether two choices of a voter are equal all along a segment. */
function tied({ voter: { scores }, choices, near }: Open, ends: [XY, XY]): boolean {
  const bests = ends.map((p) => Math.max(...choices.map((c) => at(scores[c], p))) - near);
  return choices.filter((c) => ends.every((p, n) => at(scores[c], p) >= bests[n])).length > 1;
}

/** Divides a view among classes. */
class Division {
  readonly pieces: Piece[] = [];
  readonly borders: [XY, XY][] = [];
  private readonly smallest: number;

  constructor(view: View) {
    this.smallest = SMALLEST * (view.x[1] - view.x[0]);
  }

  /** Divide a cell, whose sides are parallel to the axes as long as it is quartered. */
  divide(cell: XY[], before: number[], among: Open[], whole: boolean): void {
    const totals = before.slice();
    const open = this.settle(cell, totals, among);
    if (open.length === 0 || this.decided(totals, open)) this.pieces.push({ polygon: cell, winner: largest(totals) });
    else if (whole && open.length > FEW && cell[1][0] - cell[0][0] > this.smallest) this.quarter(cell, totals, open);
    else this.cut(cell, totals, open);
  }

  /** Count the voters that choose alike on all points; those that are left. */
  private settle(points: XY[], totals: number[], among: Open[]): Open[] {
    return among.filter((one) => {
      const choice = uniform(one, points);
      if (choice !== null) count(totals, one.voter, choice);
      return choice === null;
    });
  }

  /** Whether the leader stays ahead, whatever the open voters choose. */
  private decided(totals: number[], open: Open[]): boolean {
    const leader = largest(totals);
    const swings = totals.map(() => 0); // of the leads over each class
    for (const { voter: { weight, against } } of open) {
      for (let c = 0; c < swings.length; c++) {
        if (against === undefined) swings[c] += weight;
        else if (against === c || against === leader) swings[c] += weight;
      }
    }
    return totals.every((total, c) => c === leader || totals[leader] - total > swings[c]);
  }

  private quarter([[x0, y0], , [x1, y1]]: XY[], totals: number[], open: Open[]): void {
    const [x, y] = [x0 + OFF_CENTRE * (x1 - x0), y0 + OFF_CENTRE * (y1 - y0)];
    for (const [left, right] of [[x0, x], [x, x1]]) {
      for (const [low, high] of [[y0, y], [y, y1]]) {
        this.divide(corners({ x: [left, right], y: [low, high] }), totals, open, true);
      }
    }
  }

  /** Cut a cell along a line on which a voter changes its mind. */
  private cut(cell: XY[], totals: number[], [first, ...others]: Open[]): void {
    const [a, b] = this.rivals(first, cell);
    const line = difference(first.voter.scores[a], first.voter.scores[b]);
    const halves = [{ lost: b, side: line }, { lost: a, side: negative(line) }];
    for (const { lost, side } of halves) {
      const part = clip(cell, ...side);
      if (part.length > 2) this.divide(part, totals, [without(first, lost), ...others], false);
    }
    this.border(cell, totals, first, others, a, b);
  }

  /** Two choices that different corners make. */
  private rivals({ voter: { scores }, choices }: Open, cell: XY[]): [number, number] {
    let [best, least] = [choices[0], Infinity];
    const made = cell.map((p) => choices[largest(choices.map((c) => at(scores[c], p)))]);
    const [a] = made;
    // The rival that leads by most somewhere: rounding cannot have made it one.
    for (const b of new Set(made)) {
      if (b === a) continue;
      const low = Math.min(...cell.map((p) => at(scores[a], p) - at(scores[b], p)));
      if (low < least) [best, least] = [b, low];
    }
    return [a, best];
  }

  /** The part of a voter's line between two choices at which the winner changes. */
  private border(cell: XY[], totals: number[], first: Open, others: Open[], a: number, b: number): void {
    const { scores } = first.voter;
    let ends = onLine(cell, difference(scores[a], scores[b]));
    for (const c of first.choices) {
      if (ends && c !== a && c !== b) ends = within(ends, difference(scores[a], scores[c]));
    }
    if (!ends) return;
    const change: Change[] = [[first.voter, a, b]];
    const line = difference(scores[a], scores[b]);
    const order = cell.toSorted((p, q) => at(line, q) - at(line, p));
    const sides = [order[0], order[order.length - 1]];
    const rest = others.filter((one) => {
      if (!tied(one, ends)) return true;
      const [here, there] = sides.map((p) => one.choices[largest(one.choices.map((c) => at(one.voter.scores[c], p)))]);
      change.push([one.voter, here, there]); // its line is the same
      return false;
    });
    this.follow(ends, totals, rest, change);
  }

  private follow(ends: [XY, XY], before: number[], among: Open[], change: Change[]): void {
    const totals = before.slice();
    const open = this.settle(ends, totals, among);
    const sides = ([1, 2] as const).map((side) => {
      const counted = totals.slice();
      for (const each of change) count(counted, each[0], each[side]);
      return { winner: largest(counted), decided: open.length === 0 || this.decided(counted, open) };
    });
    if (sides.every((side) => side.decided)) {
      if (sides[0].winner !== sides[1].winner) this.borders.push(ends);
      return;
    }
    const [next, ...rest] = open;
    const [a, b] = this.rivals(next, ends);
    const line = difference(next.voter.scores[a], next.voter.scores[b]);
    const middle = between(ends, at(line, ends[0]), at(line, ends[1]));
    for (const [n, part] of ([[ends[0], middle], [middle, ends[1]]] as [XY, XY][]).entries()) {
      const lost = at(line, ends[n]) > 0 ? b : a;
      this.follow(part, totals, [without(next, lost), ...rest], change);
    }
  }
}

const difference = (p: Line, q: Line): Line => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
const negative = ([a, b, c]: Line): Line => [-a, -b, -c];

/** The point between two at which a value that is `from` and `to` there is 0. */
function between([p, q]: [XY, XY], from: number, to: number): XY {
  const share = Math.max(0, Math.min(1, from / (from - to || 1)));
  return [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])];
}

/** The part of a line within a convex polygon. */
function onLine(polygon: XY[], line: Line): [XY, XY] | null {
  const met: XY[] = [];
  polygon.forEach((p, n) => {
    const q = polygon[(n + 1) % polygon.length];
    const [here, there] = [at(line, p), at(line, q)];
    if (here >= 0 !== there >= 0) met.push(between([p, q], here, there));
  });
  return met.length === 2 ? [met[0], met[1]] : null;
}

/** The part of a segment on which a·x + b·y + c >= 0. */
function within(ends: [XY, XY], line: Line): [XY, XY] | null {
  const [here, there] = [at(line, ends[0]), at(line, ends[1])];
  if (here >= 0 && there >= 0) return ends;
  if (here < 0 && there < 0) return null;
  const middle = between(ends, here, there);
  return here >= 0 ? [ends[0], middle] : [middle, ends[1]];
}

/** Divide a view among classes by the votes of linear hypotheses. */
export function regions(view: View, voters: Voter[], classes: number): Regions {
  const reach = [view.x, view.y].map((ends) => Math.max(...ends.map(Math.abs)));
  const open = voters.map((voter): Open => {
    const terms = voter.scores.map(([a, b, c]) => Math.abs(a) * reach[0] + Math.abs(b) * reach[1] + Math.abs(c));
    const line = difference(voter.scores[0], voter.scores[1]);
    return { voter, choices: voter.scores.map((_, n) => n), line, near: ROUNDING * Math.max(...terms) };
  });
  const division = new Division(view);
  division.divide(corners(view), new Array<number>(classes).fill(0), open, true);
  return division;
}
