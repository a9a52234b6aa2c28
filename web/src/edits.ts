// Points that were changed by hand, as runs of those that a generator drew and points between them.

import type { Example } from "./dataset.svelte";
import { arranged } from "./held";
import type { Origin } from "./link";
import type { Drawn } from "./schema";

/** A run of the generator's points, the first and how many; or a point, x1, x2 and its label. */
export type Edit = [first: number, count: number] | [x1: number, x2: number, label: number];

const MOST = 0.5; // of the points: with more changes a link has all points

export function listed(drawn: Drawn): Example[] {
  return drawn.points.map((p, n) => ({ x: [p[0], p[1]], label: drawn.labels[n] }));
}

/** The points that edits are about. */
function before({ source, drawn }: Origin, share: number): Example[] {
  return arranged(listed(drawn), share, source.seed).examples;
}

/** What has been changed; null if that is most of it. */
export function editsOf(origin: Origin, share: number, points: number[][], labels: number[]): Edit[] | null {
  const key = (x: number[], label: number) => `${x[0]} ${x[1]} ${label}`;
  const old = before(origin, share).map(({ x, label }) => key(x, label));
  const place = new Map(old.map((one, n) => [one, n]));
  const edits: Edit[] = [];
  let next = -1; // the generator's point that would continue a run
  points.forEach((x, n) => {
    const mine = key(x, labels[n]);
    const last = edits.at(-1);
    if (last?.length === 2 && old[next] === mine) last[1]++;
    else {
      next = place.get(mine) ?? -1;
      edits.push(next < 0 ? [x[0], x[1], labels[n]] : [next, 1]);
    }
    next = next < 0 ? -1 : next + 1;
  });
  return edits.length <= MOST * points.length ? edits : null;
}

/** The points after edits; null if one of these is about a point that is not there, or there are more. */
export function edited(origin: Origin, share: number, edits: Edit[], most: number): Example[] | null {
  const old = before(origin, share);
  const counts = edits.map((edit) => (edit.length === 3 ? 1 : edit[1]));
  const beyond = edits.some((edit) => edit.length === 2 && edit[0] + edit[1] > old.length);
  if (beyond || counts.reduce((sum, count) => sum + count, 0) > most) return null;
  return edits.flatMap((edit): Example[] => {
    if (edit.length === 3) return [{ x: [edit[0], edit[1]], label: edit[2] }];
    return old.slice(edit[0], edit[0] + edit[1]);
  });
}
