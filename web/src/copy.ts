// The page as one file that needs no server: its own source, and what it opens with.

import { OFFLINE, type Offline } from "./api";

/** The source of this page with other contents. The page is one file already: all it loads is in it. */
export function offlineCopy(kept: Offline): string {
  const root = document.documentElement.cloneNode(true) as HTMLElement;
  root.removeAttribute("data-theme");
  root.removeAttribute("data-present");
  root.querySelector("#app")!.replaceChildren(); // made again when the copy is opened
  root.querySelector(`#${OFFLINE}`)?.remove();
  const data = document.createElement("script");
  data.type = "application/json";
  data.id = OFFLINE;
  data.textContent = JSON.stringify(kept).replaceAll("<", "\\u003c"); // nothing in it ends the element
  root.querySelector("body")!.append(data);
  return `<!doctype html>\n${root.outerHTML}\n`;
}
