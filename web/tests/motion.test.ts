// One update as one movement: it begins with the old hypothesis and ends with the new one.

import { describe, expect, it } from "vitest";
import { shotAt, stageAt, turned, unitFor, type Line, type Movement } from "../src/motion";

const before: Line = [1, 0, 0.5];
const movement: Movement = { x: [1, -2], score: -0.5, step: [-1, 2], tip: [1, 0], before, after: [0, 2, -1] };
const from0: Movement = { x: [1, 1], score: 0, step: [1, 1], tip: [0, 0], before: [0, 0, 0], after: [1, 1, 0] };

describe("a movement", () => {
  it("has its parts one after the other", () => {
    expect(stageAt(0)).toEqual({ light: 0, slide: 0, swing: 0, turn: 0 });
    expect(stageAt(1)).toEqual({ light: 1, slide: 1, swing: 1, turn: 1 });
    const quarter = stageAt(0.25);
    expect(quarter.light).toBe(1);
    expect(quarter.slide).toBeGreaterThan(0);
    expect(quarter.swing).toBe(0);
    const late = stageAt(0.7);
    expect(late.slide).toBe(1);
    expect(late.swing).toBeGreaterThan(late.turn);
  });

  it("begins with the old line and ends with the new one", () => {
    expect(shotAt(movement, 0)).toMatchObject({ light: 0, w: [1, 0], line: before, turned: false });
    expect(shotAt(movement, 1)).toMatchObject({ w: [0, 2], line: [0, 2, -1], shown: 1, turned: true });
  });

  it("moves y·x from the origin to the tip of w, where it ends at the new tip", () => {
    expect(shotAt(movement, 0.15).step).toMatchObject({ from: [0, 0], to: [-1, 2] });
    expect(shotAt(movement, 0.5).step).toMatchObject({ from: [1, 0], to: [0, 2] });
    const small = shotAt(movement, 0.5, 0.25);
    expect(small.step).toMatchObject({ from: [0.25, 0], to: [0, 0.5] });
    expect(shotAt(movement, 1, 0.25).w).toEqual([0, 0.5]);
  });

  it("lets the first line appear, since w = 0 has none to turn", () => {
    expect(shotAt(from0, 0.3).shown).toBe(0);
    expect(shotAt(from0, 1)).toMatchObject({ shown: 1, line: [1, 1, 0] });
    expect(turned([0, 0, 0], [0, 0, 0], 1)).toBeNull();
  });

  it("turns the line the shorter way round", () => {
    const line = turned([-1, 0.1, 0], [-1, -0.1, 0], 0.5)!;
    expect(line[0]).toBeCloseTo(-1);
    expect(line[1]).toBeCloseTo(0);
    const quarter = turned([2, 0, 2], [0, 1, 0], 0.5)!;
    expect(quarter[0]).toBeCloseTo(Math.SQRT1_2);
    expect(quarter[2]).toBeCloseTo(0.5);
  });
});

describe("the scale of w", () => {
  const view = { x: [-1, 2], y: [-2, 2] } as { x: [number, number]; y: [number, number] };
  it("is that of the data where w fits", () => expect(unitFor([[0.5, 1], [0, 0]], view)).toBe(1));
  it("shrinks until the longest fits", () => {
    expect(unitFor([[-4, 0], [1, 1]], view)).toBeCloseTo(0.23);
    expect(unitFor([[4, 0]], view)).toBeCloseTo(0.46);
  });
});
