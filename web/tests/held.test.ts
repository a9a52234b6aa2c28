// Points held out: a share of each class, always the same, and at the end.

import { describe, expect, it } from "vitest";
import { arranged, stream } from "../src/held";

const examples = Array.from({ length: 40 }, (_, n) => ({ n, label: n % 4 === 0 ? 1 : -1 }));

describe("held out", () => {
  it("takes a share of each class and loses nothing", () => {
    for (const share of [0, 0.05, 0.2, 0.35, 0.5]) {
      const { examples: made, held } = arranged(examples, share, 7);
      const out = made.slice(made.length - held);
      expect(out.filter((e) => e.label === 1).length).toBe(Math.round(10 * share));
      expect(out.filter((e) => e.label === -1).length).toBe(Math.round(30 * share));
      expect(made.map((e) => e.n).sort((a, b) => a - b)).toEqual(examples.map((e) => e.n));
      const order = made.slice(0, made.length - held).map((e) => e.n);
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
  });

  it("is the same for the same seed and another for another", () => {
    expect(arranged(examples, 0.3, 1)).toEqual(arranged(examples, 0.3, 1));
    expect(arranged(examples, 0.3, 1)).not.toEqual(arranged(examples, 0.3, 2));
  });

  it("leaves one of each class to learn from", () => {
    const few = [{ label: 1 }, { label: -1 }, { label: -1 }];
    const { examples: made, held } = arranged(few, 0.9, 0);
    expect(new Set(made.slice(0, made.length - held).map((e) => e.label)).size).toBe(2);
    expect(held).toBe(1);
  });

  it("draws evenly", () => {
    const draw = stream(3);
    const many = Array.from({ length: 20_000 }, draw);
    expect(Math.min(...many)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...many)).toBeLessThan(1);
    const tenths = new Array<number>(10).fill(0);
    many.forEach((v) => tenths[Math.floor(10 * v)]++);
    for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(200);
  });
});
