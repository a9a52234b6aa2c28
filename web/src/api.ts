// The server, asked and answered. One function for each question of the interface.

import { draws, drawToy } from "./engine/toys";
import type { Moment } from "./host";
import type {
  Alive, CertifyRequest, ContinueRequest, DataRequest, Document, Drawn, Opening,
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

/** What a page that was written to a file carries inside it: a run to look at, or the whole lab. */
export interface Offline {
  opening: Opening;
  frozen: boolean; // a run to look at, without the rest of the lab
  registry: Registry;
  figure: Moment | null; // where a figure for another document opens; null for a page of its own
  hash: string | null; // the end of an address, of what the whole lab opens with
}

export const OFFLINE = "rosenblatt-offline"; // the element with what such a page carries
const NO_SERVER = "This needs the library: start the lab on your own machine with rosenblatt lab.";
let kept: Offline | null | undefined; // once it has been looked for

export function offline(): Offline | null {
  if (kept === undefined) {
    const text = typeof document === "undefined" ? null : document.getElementById(OFFLINE)?.textContent;
    kept = text ? (JSON.parse(text) as Offline) : null;
  }
  return kept;
}

async function ask<T>(path: string, body?: unknown): Promise<T> {
  if (offline()) throw new Refused(NO_SERVER);
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

/** Draw a toy set: the page does it itself, unless only the library knows the generator. */
async function draw(asked: DataRequest, { generators }: Registry): Promise<Drawn> {
  if (!generators.some((one) => one.name === asked.generator && draws(one.name))) return ask<Drawn>("data", asked);
  try {
    return drawToy(generators, asked.generator, asked.parameters ?? {}, asked.seed ?? 0);
  } catch (error) {
    throw new Refused(String((error as Error).message));
  }
}

export const api = {
  registry: () => ask<Registry>("registry"),
  alive: () => ask<Alive>("alive"),
  opening: () => ask<Opening>("opening"),
  data: draw,
  run: (asked: RunRequest) => ask<Document>("run", asked),
  go: (asked: ContinueRequest) => ask<Document>("continue", asked),
  certify: (asked: CertifyRequest) => ask<Verdict>("certify", asked),
  orders: (asked: OrdersRequest) => ask<Orders>("orders", asked),
};
