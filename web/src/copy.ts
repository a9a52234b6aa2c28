// The page as one file that needs no server: its own source, and what it opens with.

import { OFFLINE, type Offline } from "./api";

/** The source of this page with other contents. The page is one file already: all it loads is in it. */
export function offlineCopy(kept: Offline): string {
  const root = document.documentElement.cloneNode(true) as HTMLElement;
  root.removeAttribute("data-theme");
  root.removeAttribute("data-present");
  const body = root.querySelector("body")!;
  // What the page has made it makes again when the copy is opened: only its place and its script stay.
  for (const child of [...body.children]) if (child.id !== "app" && !child.matches("script[type=module]")) child.remove();
  body.querySelector("#app")!.replaceChildren();
  const data = document.createElement("script");
  data.type = "application/json";
  data.id = OFFLINE;
  data.textContent = JSON.stringify(kept).replaceAll("<", "\\u003c"); // nothing in it ends the element
  body.append(data);
  return `<!doctype html>\n${root.outerHTML}\n`;
}
