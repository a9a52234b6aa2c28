// Learning and proving as the page asks for it: tasks go to threads of their own.

import type { CertifyRequest, Limits, OrdersRequest, Verdict } from "../schema";
import { code } from "./current";
import { ForServer, type Task } from "./plan";
import type { Answer, Asked, Learned, Question } from "./worker";
import EngineWorker from "./worker?worker&inline";

const MOST_THREADS = 4;

/** Who learns and proves, within limits; `signal` says that the answer is no longer wanted. */
export interface Learner {
  learn(task: Task, limits: Limits, library: string, signal: AbortSignal): Promise<Learned>;
  decide(points: CertifyRequest, signal: AbortSignal): Promise<Verdict>;
  countUpdates(points: OrdersRequest, limits: Limits, signal: AbortSignal): Promise<number[]>;
}

interface Waiting {
  take: (answer: Answer) => void;
}

/** A thread, and the tasks that it has been given. */
class Thread {
  readonly waiting = new Map<number, Waiting>();
  failed = false; // the browser does not let it run, or it ran out of memory
  private readonly worker = new EngineWorker();

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      this.waiting.get(data.id)?.take(data);
      this.waiting.delete(data.id);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.failed = true;
      for (const [id, { take }] of this.waiting) take({ id, kind: "for server", why: "the thread has failed." });
      this.waiting.clear();
    };
    this.send({ kind: "code", code: code() });
  }

  send(question: Question): void {
    this.worker.postMessage(question);
  }
}

/** Threads, as many as are of use. */
class Threads implements Learner {
  private readonly threads: Thread[] = [];
  private prover: Thread | null = null; // apart, so that no proof keeps a dragged point waiting
  private asked = 0;

  learn(task: Task, limits: Limits, library: string, signal: AbortSignal): Promise<Learned> {
    return this.ask(this.idlest(), { kind: "learn", task, limits, library }, signal);
  }

  decide(points: CertifyRequest, signal: AbortSignal): Promise<Verdict> {
    if (!this.prover || this.prover.failed) this.prover = new Thread();
    return this.ask(this.prover, { kind: "decide", points }, signal);
  }

  countUpdates(points: OrdersRequest, limits: Limits, signal: AbortSignal): Promise<number[]> {
    return this.ask(this.idlest(), { kind: "count updates", points, limits }, signal);
  }

  private ask<T>(thread: Thread, asked: Asked, signal: AbortSignal): Promise<T> {
    const id = ++this.asked;
    return new Promise<T>((done, fail) => {
      const giveUp = () => thread.send({ kind: "give up", id });
      signal.addEventListener("abort", giveUp, { once: true });
      const take = (answer: Answer) => {
        signal.removeEventListener("abort", giveUp);
        if (answer.kind === "done") done(answer.result as T);
        else if (answer.kind === "for server") fail(new ForServer(answer.why));
        else if (answer.kind === "given up") fail(new DOMException("no longer wanted", "AbortError"));
        else fail(new Error(answer.why));
      };
      thread.waiting.set(id, { take });
      thread.send({ id, ...asked });
      if (signal.aborted) giveUp();
    });
  }

  /** The thread with the fewest tasks; a new one if all have some. */
  private idlest(): Thread {
    const most = Math.max(1, Math.min(MOST_THREADS, (navigator.hardwareConcurrency || 2) - 1));
    const working = this.threads.filter((one) => !one.failed);
    const [found] = working.toSorted((a, b) => a.waiting.size - b.waiting.size);
    if (found && (found.waiting.size === 0 || this.threads.length >= most)) return found;
    this.threads.push(new Thread());
    return this.threads[this.threads.length - 1];
  }
}

/** The threads of this page, which all its labs share. */
export const threads: Learner = new Threads();
