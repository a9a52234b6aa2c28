// Answers that come too late, and a server that is gone for a while.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Gone } from "../src/api";
import { Latest } from "../src/latest";
import { server } from "../src/server.svelte";

/** A question that is answered when the test wants it. */
function open() {
  let answer = () => {};
  let fail = (_: Error) => {};
  const promise = new Promise<void>((done, failed) => ([answer, fail] = [done, failed]));
  return { promise, answer: () => answer(), fail: (error: Error) => fail(error) };
}

beforeEach(() => {
  vi.useFakeTimers();
  server.gone = false;
});
afterEach(() => vi.useRealTimers());

describe("the newest question", () => {
  it("is the only one that is asked next, and the only fresh one", async () => {
    const latest = new Latest();
    const first = open();
    const log: string[] = [];
    const done = latest.ask(async (fresh) => {
      log.push("first asked");
      await first.promise;
      log.push(`first ${fresh() ? "fresh" : "stale"}`);
    });
    for (const name of ["second", "third"]) {
      void latest.ask(async (fresh) => {
        log.push(`${name} ${fresh() ? "fresh" : "stale"}`);
      });
    }
    expect(log).toEqual(["first asked"]);
    first.answer();
    await done;
    expect(log).toEqual(["first asked", "first stale", "third fresh"]);
  });

  it("may be asked after the one before has failed", async () => {
    const latest = new Latest();
    await expect(latest.ask(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    const asked = vi.fn(async () => {});
    await latest.ask(asked);
    expect(asked).toHaveBeenCalledOnce();
  });
});

describe("a server that is gone", () => {
  it("is asked again until it answers", async () => {
    const latest = new Latest();
    const asked = vi.fn().mockRejectedValueOnce(new Gone()).mockRejectedValueOnce(new Gone()).mockResolvedValue(undefined);
    const done = latest.ask(asked);
    await vi.advanceTimersByTimeAsync(1000);
    expect(server.gone).toBe(true);
    expect(asked).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1000);
    await done;
    expect(server.gone).toBe(false);
    expect(asked).toHaveBeenCalledTimes(3);
  });

  it("is not asked again what a newer question has replaced", async () => {
    const latest = new Latest();
    const old = vi.fn().mockRejectedValue(new Gone());
    const done = latest.ask(old);
    await vi.advanceTimersByTimeAsync(10);
    const newer = vi.fn(async () => {});
    void latest.ask(newer);
    await vi.advanceTimersByTimeAsync(1000);
    await done;
    expect(old).toHaveBeenCalledOnce();
    expect(newer).toHaveBeenCalledOnce();
  });
});
