// Learning and proving in a thread of its own: one task after the other. A task that is no longer
// wanted is left between two passes.

import type { CertifyRequest, Document, Limits, OrdersRequest, Verdict } from "../schema";
import { engine, useCode, type Code } from "./current";
import { errorCurve, type Errors } from "./curve";
import { learning } from "./learn";
import { countUpdates } from "./over_orders";
import { ForServer, type Task } from "./plan";
import { Replay } from "./replay";
import { decide } from "./separability";
import type { Mark } from "./tally";

const SLICE = 15; // milliseconds of learning between two looks at the messages

/** What a page sends: the compiled loops, then tasks, and the numbers of those it gives up. */
export type Question = { kind: "code"; code: Code } | ({ id: number } & Asked) | { kind: "give up"; id: number };

/** A task: to learn, to decide whether points are separable, to learn in many orders. */
export type Asked =
  | { kind: "learn"; task: Task; limits: Limits; library: string }
  | { kind: "decide"; points: CertifyRequest }
  | { kind: "count updates"; points: OrdersRequest; limits: Limits };

/** A run, and its errors along the way. */
export interface Learned {
  document: Document;
  curve: Errors[] | null; // null where it has not been computed yet
  marks: Mark[][] | null; // of tallies on the examples
}

/** What it gets: what was asked for, or why there is none. */
export type Answer = { id: number } & (
  | { kind: "done"; result: Learned | Verdict | number[] }
  | { kind: "for server" | "failed"; why: string }
  | { kind: "given up" }
);

const wanted = new Set<number>();
let before: Promise<void> = Promise.resolve(); // all tasks that came before

const pause = () => new Promise<void>((done) => setTimeout(done));

/** What is asked for, step by step. */
function* stepsOf(asked: Asked): Generator<void, Learned | Verdict | number[]> {
  if (asked.kind === "decide") return decide(asked.points);
  if (asked.kind === "count updates") return yield* countUpdates(engine(), asked.points, asked.limits);
  return withCurve(yield* learning(engine(), asked.task, asked.limits, asked.library), asked.task);
}

/** Do what is asked for, looking at the messages now and then. */
async function work(id: number, asked: Asked): Promise<Answer> {
  const steps = stepsOf(asked);
  let looked = performance.now();
  for (;;) {
    if (performance.now() - looked > SLICE) {
      await pause();
      looked = performance.now();
    }
    if (!wanted.has(id)) {
      steps.return(undefined as never);
      return { id, kind: "given up" };
    }
    const step = steps.next();
    if (step.done) return { id, kind: "done", result: step.value };
  }
}

function withCurve(document: Document, { held }: Task): Learned {
  const replay = new Replay(document);
  const curve = errorCurve(replay, held);
  return { document, curve, marks: replay.marks() };
}

async function answer(id: number, asked: Asked): Promise<void> {
  try {
    postMessage(await work(id, asked));
  } catch (error) {
    const kind = error instanceof ForServer ? "for server" : "failed";
    postMessage({ id, kind, why: String((error as Error).message) } satisfies Answer);
  } finally {
    wanted.delete(id);
  }
}

globalThis.onmessage = ({ data }: MessageEvent<Question>) => {
  if (data.kind === "give up") wanted.delete(data.id);
  else if (data.kind === "code") before = useCode(data.code);
  else {
    wanted.add(data.id);
    before = before.then(() => answer(data.id, data));
  }
};
