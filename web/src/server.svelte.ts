// Whether the server answers, and questions that are repeated until it does.

import { api, Gone } from "./api";

export const server = $state({ gone: false });

const RETRY = 1000; // milliseconds until a question is repeated

export const pause = (time: number) => new Promise<void>((done) => setTimeout(done, time));

/** Ask until the server answers; undefined if the answer was no longer wanted before. */
export async function persistently<T>(
  question: () => Promise<T>, wanted: () => boolean = () => true,
): Promise<T | undefined> {
  while (wanted()) {
    try {
      const answer = await question();
      server.gone = false;
      return answer;
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
      server.gone = true;
      await pause(RETRY);
    }
  }
  return undefined;
}

/** Ask once whether it is there. */
export async function checkServer(): Promise<void> {
  try {
    await api.alive();
    server.gone = false;
  } catch (error) {
    if (!(error instanceof Gone)) throw error;
    server.gone = true;
  }
}
