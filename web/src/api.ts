// The server, asked and answered. One function for each question of the interface.

import type {
  Alive, CertifyRequest, ContinueRequest, Curves, DataRequest, Document, Drawn, HoldoutRequest, Opening,
  Orders, OrdersRequest, Problem, Registry, RunRequest, Verdict,
} from "./schema";

/** The server refused, and explained it in one sentence. */
export class Refused extends Error {}

/** There is no server. */
export class Gone extends Error {
  constructor() {
    super("The lab's server does not answer. Start it again: the page goes on by itself.");
  }
}

export interface Offline {
  opening: Opening;
  registry: Registry;
}

/** A page that was written to a file carries its run inside it. */
export function offline(): Offline | null {
  const element = document.getElementById("rosenblatt-offline");
  return element?.textContent ? (JSON.parse(element.textContent) as Offline) : null;
}

async function ask<T>(path: string, body?: unknown): Promise<T> {
  let answer: Response;
  for (let attempt = 0; ; attempt++) {
    try {
      answer = await fetch(`api/${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: body === undefined ? {} : { "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch {
      throw new Gone();
    }
    if (answer.status !== 503 || attempt >= 4) break;
    await new Promise((done) => setTimeout(done, 200 * 2 ** attempt)); // busy: wait, ask again
  }
  if (!answer.ok) {
    const problem = (await answer.json().catch(() => null)) as Partial<Problem> | null;
    throw new Refused(problem?.detail ?? `The server answered ${answer.status}.`);
  }
  return (await answer.json()) as T;
}

export const api = {
  registry: () => ask<Registry>("registry"),
  alive: () => ask<Alive>("alive"),
  opening: () => ask<Opening>("opening"),
  data: (asked: DataRequest) => ask<Drawn>("data", asked),
  run: (asked: RunRequest) => ask<Document>("run", asked),
  go: (asked: ContinueRequest) => ask<Document>("continue", asked),
  certify: (asked: CertifyRequest) => ask<Verdict>("certify", asked),
  orders: (asked: OrdersRequest) => ask<Orders>("orders", asked),
  holdout: (asked: HoldoutRequest) => ask<Curves>("holdout", asked),
};
