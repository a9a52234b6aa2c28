// The parts of a lab one by one: points, history, clock.

import { beforeEach, describe, expect, it, vi } from "vitest";
import { Clock } from "../src/clock.svelte";
import { Dataset } from "../src/dataset.svelte";
import { History } from "../src/history.svelte";
import type { Replay } from "../src/engine/replay";
import type { Drawn } from "../src/schema";

const drawn: Drawn = {
  points: Array.from({ length: 10 }, (_, n) => [n, -n]),
  labels: Array.from({ length: 10 }, (_, n) => (n % 2 ? 1 : -1)),
  margin: 0.5, radius: 1, separator: null, noise: null,
};
const source = { generator: "halfplanes", parameters: {}, seed: 3 };

describe("points", () => {
  let data: Dataset;
  beforeEach(() => {
    data = new Dataset();
    data.hold(0.2);
    data.take(drawn, source);
  });

  it("are held out by a share of each class, and not learned from", () => {
    expect([data.held, data.learned]).toEqual([2, 8]);
    expect(data.table().points).toEqual(data.examples.slice(0, 8).map((e) => e.x));
    data.hold(0);
    expect(data.examples.map((e) => e.x)).toEqual(drawn.points);
  });

  it("are added before those held out", () => {
    const out = data.examples.slice(-2);
    expect(data.add([7, 7], 1)).toBe(8);
    expect(data.examples[8]).toEqual({ x: [7, 7], label: 1 });
    expect(data.examples.slice(-2)).toEqual(out);
    expect(data.held).toBe(2);
  });

  it("are one less of their kind when one is removed", () => {
    data.remove(9);
    expect([data.held, data.learned]).toEqual([1, 8]);
    data.remove(0);
    expect([data.held, data.learned]).toEqual([1, 7]);
  });

  it("take the next class when they are flipped", () => {
    const { label } = data.examples[0];
    expect(data.flip(0)).toBe(-label);
    data.add([0, 1], 5);
    expect(data.flip(data.examples.findIndex((e) => e.label === 5))).toBe(-1);
  });

  it("are the generator's until one is changed", () => {
    expect([data.source, data.drawn]).toEqual([source, drawn]);
    data.move(0, [9, 9]);
    expect([data.source, data.drawn]).toEqual([null, null]);
    expect(data.origin).toEqual({ source, drawn });
  });

  it("come back as they were", () => {
    const before = data.snapshot();
    data.receive([{ x: [0, 0], label: 0 }, { x: [1, 1], label: 1 }], { 0: "no", 1: "yes" });
    expect(data.name(1)).toBe("yes");
    data.restore(before);
    expect(data.snapshot()).toEqual(before);
    expect(data.name(1)).toBe("+1");
  });
});

describe("history", () => {
  it("goes back and forth, and forgets what was undone when something else is done", () => {
    const history = new History<number>();
    expect([history.canUndo, history.undo(0)]).toEqual([false, undefined]);
    history.record(1);
    history.record(2);
    expect(history.undo(3)).toBe(2);
    expect(history.undo(2)).toBe(1);
    expect(history.redo(1)).toBe(2);
    expect([history.canUndo, history.canRedo]).toEqual([true, true]);
    history.record(2);
    expect([history.canRedo, history.redo(9)]).toEqual([false, undefined]);
    expect(history.undo(9)).toBe(2);
  });

  it("takes all of a movement as one", () => {
    const history = new History<number>();
    history.begin();
    for (const before of [1, 2, 3]) history.record(before);
    history.end();
    history.record(4);
    expect([history.undo(5), history.undo(4), history.undo(1)]).toEqual([4, 1, undefined]);
    history.begin();
    history.end();
    expect(history.canUndo).toBe(false);
  });

  it("keeps a hundred states", () => {
    const history = new History<number>();
    for (let n = 0; n < 150; n++) history.record(n);
    let last = 150;
    for (let before = history.undo(last); before !== undefined; before = history.undo(last)) last = before;
    expect(last).toBe(50);
  });
});

describe("the clock", () => {
  const moments = [1, 2, 9, 17];
  const run = {
    moments, visits: 20, ends: () => [10, 20], step: (T: number) => moments.filter((at) => at <= T).length,
  } as unknown as Replay;

  it("steps by updates and by passes, and stays within the run", () => {
    const stepped = vi.fn();
    const clock = new Clock({ run, runs: [run], end: 20 }, stepped);
    const places = [1, 1, 1, 1, 1, -1, -1, -9].map((count) => {
      clock.stepBy(count);
      return clock.now;
    });
    expect(places).toEqual([1, 2, 9, 17, 20, 9, 2, 0]);
    const passes = ([1, 1, 1, -1, -1, -1] as const).map((direction) => {
      clock.passBy(direction);
      return clock.now;
    });
    expect(passes).toEqual([10, 20, 20, 10, 0, 0]);
    expect(stepped).toHaveBeenCalledTimes(14);
    clock.to(99);
    expect(clock.now).toBe(20);
  });

  it("stays where it is when the run changes, or at the end if it was there", () => {
    const track = { run, runs: [run], end: 20 };
    const clock = new Clock(track);
    clock.to(12);
    track.end = 5;
    expect(clock.now).toBe(5);
    track.end = 30;
    expect(clock.now).toBe(12);
    clock.to(30);
    track.end = 8;
    expect(clock.now).toBe(8);
    track.end = 50;
    expect(clock.now).toBe(50);
  });

  it("plays by visits, and on when the run in focus has ended", () => {
    vi.useFakeTimers();
    const frames: ((now: number) => void)[] = [];
    vi.stubGlobal("requestAnimationFrame", (next: (now: number) => void) => frames.push(next));
    vi.stubGlobal("cancelAnimationFrame", () => {});
    const longer = { moments: Array.from({ length: 400 }, (_, n) => 10 * (n + 1)), visits: 4000 };
    const other = { ...longer, ends: () => [4000], step: (T: number) => Math.floor(T / 10) } as unknown as Replay;
    const clock = new Clock({ run, runs: [run, other], end: 4000 });
    clock.speed = 100;
    clock.play();
    const began = performance.now();
    const places: number[] = [];
    for (let n = 1; clock.playing && n < 5000; n++) {
      frames.shift()!(began + 16 * n);
      places.push(clock.now);
    }
    const jumps = places.map((place, n) => place - (places[n - 1] ?? 0));
    expect(places[places.length - 1]).toBe(4000);
    expect(Math.max(...jumps)).toBeLessThanOrEqual(30);
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it("is logarithmic where runs are of very different length", () => {
    const other = { ...run, visits: 4000 } as unknown as Replay;
    const clock = new Clock({ run, runs: [run, other], end: 4000 });
    expect([clock.share(0), clock.share(4000)]).toEqual([0, 1]);
    expect(clock.share(20)).toBeGreaterThan(0.15);
    for (const visits of [1, 20, 333, 3999]) expect(clock.visitsAt(clock.share(visits))).toBeCloseTo(visits, 6);
    expect(new Clock({ run, runs: [run], end: 20 }).share(5)).toBe(0.25);
  });
});
