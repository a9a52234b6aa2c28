// Learning in a thread of its own: one task after the other. A task that is no longer wanted is left
// between two passes.

import type { Document, Limits } from "../schema";
import { engine, useCode, type Code } from "./current";
import { errorCurve, type Errors } from "./curve";
import { learning } from "./learn";
import { ForServer, type Task } from "./plan";
import { Replay } from "./replay";
import type { Mark } from "./tally";

const SLICE = 15; // milliseconds of learning between two looks at the messages

/** What a page sends: the compiled loops, then tasks, and the numbers of those it gives up. */
export type Question =
  | { kind: "code"; code: Code }
  | { kind: "learn"; id: number; task: Task; limits: Limits; library: string }
  | { kind: "give up"; id: number };

/** A run, and its errors along the way. */
export interface Learned {
  document: Document;
  curve: Errors[] | null; // null where it has not been computed yet
  marks: Mark[][] | null; // of tallies on the examples
}

/** What it gets: a document, or why there is none. */
export type Answer = { id: number } & (
  | { kind: "learned"; learned: Learned }
  | { kind: "for server" | "failed"; why: string }
  | { kind: "given up" }
);

const wanted = new Set<number>();
let before: Promise<void> = Promise.resolve(); // all tasks that came before

const pause = () => new Promise<void>((done) => setTimeout(done));

/** Learn, looking at the messages now and then. */
async function work({ id, task, limits, library }: Extract<Question, { kind: "learn" }>): Promise<Answer> {
  const steps = learning(engine(), task, limits, library);
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
    if (step.done) return { id, kind: "learned", learned: withCurve(step.value, task) };
  }
}

function withCurve(document: Document, { held }: Task): Learned {
  const replay = new Replay(document);
  const curve = errorCurve(replay, held);
  return { document, curve, marks: replay.marks() };
}

async function answer(question: Extract<Question, { kind: "learn" }>): Promise<void> {
  const { id } = question;
  try {
    postMessage(await work(question));
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
    before = before.then(() => answer(data));
  }
};
