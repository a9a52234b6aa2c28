// Points in space as they are seen from a direction: without perspective, so that lengths compare.

import type { XY } from "./geometry";

export type XYZ = [number, number, number];

/** Where one looks from, in radians: turned about the upright axis, and risen above the floor. */
export interface Camera {
  turn: number;
  rise: number;
}

/** The place of a point on the screen, upwards positive, and how far behind the middle it is. */
export function seen({ turn, rise }: Camera, [x, y, z]: XYZ): { at: XY; depth: number } {
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const across = x * cos - y * sin;
  const away = x * sin + y * cos;
  return {
    at: [across, away * Math.sin(rise) + z * Math.cos(rise)],
    depth: away * Math.cos(rise) - z * Math.sin(rise),
  };
}

/** The part of a polygon in space in which a function of a point, flat between corners, is positive. */
export function cut(polygon: XYZ[], value: (p: XYZ) => number): XYZ[] {
  return polygon.flatMap((p, n) => {
    const q = polygon[(n + 1) % polygon.length];
    const [here, there] = [value(p), value(q)];
    const kept: XYZ[] = here >= 0 ? [p] : [];
    if (here >= 0 !== there >= 0) {
      const s = here / (here - there);
      kept.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1]), p[2] + s * (q[2] - p[2])]);
    }
    return kept;
  });
}
