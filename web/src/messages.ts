// What a figure in the frame of another page tells that page. It takes no messages from there.

/** Messages of version 1, with numbers of the first panel; fields may be added, never changed. */
export type Told =
  | { rosenblatt: "height"; height: number } // in pixels, of all that is shown
  | { rosenblatt: "ready"; visits: number; updates: number; link: string } // a run is there
  | { rosenblatt: "step"; visit: number; update: number; wrong: number } // the moment has changed
  | { rosenblatt: "done"; visits: number; updates: number; wrong: number }; // its end is shown

/** Tell the page around; it may be of any origin, and learns what anyone sees. */
export function tell(message: Told): void {
  if (parent !== window) parent.postMessage({ ...message, version: 1 }, "*");
}
