// Shapes in the plane: what is seen of it, half-planes, markers, regions.

import { contours } from "d3-contour";
import { scaleLinear } from "d3-scale";

export type XY = [number, number];

export interface View {
  x: [number, number];
  y: [number, number];
}

/** What to show of the plane: all points, true angles, some room, and the origin if it is near. */
export function frame(points: number[][]): View {
  if (points.length === 0) return { x: [-1.2, 1.2], y: [-1.2, 1.2] };
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of points) {
    x0 = Math.min(x0, x);
    x1 = Math.max(x1, x);
    y0 = Math.min(y0, y);
    y1 = Math.max(y1, y);
  }
  const wide = Math.max(x1 - x0, y1 - y0, 1e-6);
  if (x0 > 0 && x0 < wide) x0 = 0;
  if (x1 < 0 && -x1 < wide) x1 = 0;
  if (y0 > 0 && y0 < wide) y0 = 0;
  if (y1 < 0 && -y1 < wide) y1 = 0;
  const half = Math.max(x1 - x0, y1 - y0, 1e-6) * 0.56;
  const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
  return { x: [cx - half, cx + half], y: [cy - half, cy + half] };
}

export function scales(view: View, size: number) {
  return {
    x: scaleLinear(view.x, [0, size]),
    y: scaleLinear(view.y, [size, 0]),
  };
}

export function corners({ x, y }: View): XY[] {
  return [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]];
}

/** The part of a polygon in which a·x + b·y + c >= 0. */
export function clip(polygon: XY[], a: number, b: number, c: number): XY[] {
  const out: XY[] = [];
  polygon.forEach((p, n) => {
    const q = polygon[(n + 1) % polygon.length];
    const here = a * p[0] + b * p[1] + c;
    const there = a * q[0] + b * q[1] + c;
    if (here >= 0) out.push(p);
    if (here >= 0 !== there >= 0) {
      const s = here / (here - there);
      out.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]);
    }
  });
  return out;
}

/** The two points where the line a·x + b·y + c = 0 meets the border of a view. */
export function chord(view: View, a: number, b: number, c: number): [XY, XY] | null {
  const box = corners(view);
  const at: XY[] = [];
  box.forEach((p, n) => {
    const q = box[(n + 1) % 4];
    const here = a * p[0] + b * p[1] + c;
    const there = a * q[0] + b * q[1] + c;
    if (here >= 0 !== there >= 0) {
      const s = here / (here - there);
      at.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]);
    }
  });
  return at.length >= 2 ? [at[0], at[1]] : null;
}

/** A path through points. */
export function path(points: XY[], to: (p: XY) => XY, closed = true): string {
  if (points.length === 0) return "";
  const parts = points.map((p) => to(p).map((v) => v.toFixed(2)).join(","));
  return `M${parts.join("L")}${closed ? "Z" : ""}`;
}

/** Where a function is at least 0, on a grid over the view, as one path. */
export function region(
  view: View, cells: number, values: number[], to: (p: XY) => XY,
): string {
  const [ring] = contours().size([cells, cells]).thresholds([0])(values);
  const dx = (view.x[1] - view.x[0]) / cells;
  const dy = (view.y[1] - view.y[0]) / cells;
  return ring.coordinates
    .flatMap((polygon) => polygon.map((line) =>
      path(line.map(([u, v]) => [view.x[0] + u * dx, view.y[0] + v * dy] as XY), to)))
    .join("");
}

/** Values on a grid over a view; where the largest changes it is finer, by an odd factor. */
export function contour(
  view: View, coarse: number, times: number, evaluate: (at: XY[]) => number[][],
): { cells: number; values: number[][] } {
  const values = evaluate(grid(view, coarse));
  if (times <= 1) return { cells: coarse, values };
  const winners = values.map((row) => row.indexOf(Math.max(...row)));
  const changes = (n: number) => {
    const [u, v] = [n % coarse, Math.floor(n / coarse)];
    for (let dv = -1; dv <= 1; dv++) for (let du = -1; du <= 1; du++) {
      const [x, y] = [u + du, v + dv];
      if (x >= 0 && y >= 0 && x < coarse && y < coarse && winners[y * coarse + x] !== winners[n]) return true;
    }
    return false;
  };
  const changing = winners.map((_, n) => changes(n));
  const cells = coarse * times;
  const owner = (n: number) => Math.floor(Math.floor(n / cells) / times) * coarse + Math.floor((n % cells) / times);
  const at = grid(view, cells);
  const chosen = at.map((_, n) => n).filter((n) => changing[owner(n)]);
  const exact = evaluate(chosen.map((n) => at[n]));
  const all = at.map((_, n) => values[owner(n)]);
  chosen.forEach((n, k) => (all[n] = exact[k]));
  return { cells, values: all };
}

/** Centres of the grid's cells. */
export function grid(view: View, cells: number): XY[] {
  const out: XY[] = [];
  const dx = (view.x[1] - view.x[0]) / cells;
  const dy = (view.y[1] - view.y[0]) / cells;
  for (let v = 0; v < cells; v++) {
    for (let u = 0; u < cells; u++) {
      out.push([view.x[0] + (u + 0.5) * dx, view.y[0] + (v + 0.5) * dy]);
    }
  }
  return out;
}

/** Markers: never colour alone. With two classes the first is a triangle, the second a disc. */
export function marker(kind: number, [x, y]: XY, r: number): string {
  const f = (v: number) => v.toFixed(2);
  switch (kind % 8) {
    case 1:
      return `M${f(x - r)},${f(y)}a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`;
    case 2:
      return `M${f(x - r * 0.88)},${f(y - r * 0.88)}h${f(r * 1.76)}v${f(r * 1.76)}h${f(-r * 1.76)}Z`;
    case 3:
      return `M${f(x)},${f(y - r * 1.25)}l${f(r * 1.25)},${f(r * 1.25)}l${f(-r * 1.25)},${f(r * 1.25)}l${f(-r * 1.25)},${f(-r * 1.25)}Z`;
    case 4:
      return `M${f(x)},${f(y + r * 1.2)}l${f(-r * 1.1)},${f(-r * 1.95)}h${f(r * 2.2)}Z`;
    case 5: {
      const t = r * 0.42;
      const l = r * 1.15;
      return `M${f(x - t)},${f(y - l)}h${f(2 * t)}v${f(l - t)}h${f(l - t)}v${f(2 * t)}h${f(t - l)}v${f(l - t)}h${f(-2 * t)}v${f(t - l)}h${f(t - l)}v${f(-2 * t)}h${f(l - t)}Z`;
    }
    case 6: {
      const h = r * 0.62;
      const l = r * 1.15;
      return `M${f(x - l)},${f(y)}l${f(l - h)},${f(-l)}h${f(2 * h)}l${f(l - h)},${f(l)}l${f(h - l)},${f(l)}h${f(-2 * h)}Z`;
    }
    case 7:
      return star([x, y], r * 1.3);
    default:
      return `M${f(x)},${f(y - r * 1.2)}l${f(r * 1.1)},${f(r * 1.95)}h${f(-r * 2.2)}Z`;
  }
}

function star([x, y]: XY, r: number): string {
  const at = Array.from({ length: 10 }, (_, n) => {
    const size = n % 2 ? r * 0.45 : r;
    const turn = (Math.PI * n) / 5 - Math.PI / 2;
    return `${(x + size * Math.cos(turn)).toFixed(2)},${(y + size * Math.sin(turn)).toFixed(2)}`;
  });
  return `M${at.join("L")}Z`;
}
