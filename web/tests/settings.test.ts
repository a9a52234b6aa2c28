// Settings of lessons in the address: what is read of it, and what it says.

import { beforeEach, expect, it } from "vitest";
import { guideAddress, lessonIn, noteSettings, onSettings, settingsOf, takeSettings } from "../src/settings.svelte";

const initial = { margin: 0.1, kind: "xor", bias: true };
const read = () => settingsOf("margin", initial);
beforeEach(() => takeSettings("#guide?"));

it("come from the address, and go there when they are changed", () => {
  takeSettings("#guide/3?margin.margin=0.25&margin.bias=false&other.seed=4");
  expect(read()).toEqual({ margin: 0.25, kind: "xor", bias: false });
  let followed = 0;
  onSettings(() => followed++);
  noteSettings("margin", initial, { margin: 0.1, kind: "rings", bias: false });
  noteSettings("margin", initial, { margin: 0.1, kind: "rings", bias: false });
  expect(followed).toBe(1);
  expect(guideAddress(3)).toBe("#guide/3?margin.bias=false&other.seed=4&margin.kind=rings");
  takeSettings("#guide/4"); // a link inside the page keeps them
  expect(guideAddress(4)).toContain("margin.kind=rings");
  takeSettings("#guide/3?margin.margin=0.3"); // Back to an address that had others
  expect(read()).toEqual({ margin: 0.3, kind: "xor", bias: true });
});

it.each([
  "margin.margin=much", "margin.margin=", "margin.margin=1e999", "margin.kind=<img src=x onerror=alert(1)>",
  "margin.__proto__=1", "margin.toString=1", "__proto__.margin=1", `margin.kind=${"a".repeat(41)}`, "%%%=%", "margin.kind",
  `margin.margin=${"9".repeat(5000)}`,
])("are left alone by a damaged or hostile %s", (text) => {
  takeSettings(`#guide/3?${text}`);
  expect(read()).toEqual(initial);
});

it("belong to a lesson, or to no address of the guide", () => {
  expect(["#guide", "#guide/7", "#guide/7?a=1", "#guide?a=1"].map(lessonIn)).toEqual([0, 7, 7, 0]);
  expect(["", "#s=abc", "#guided", "#guide/x", "#guide/123", "#workspace"].map(lessonIn)).toEqual(Array(6).fill(null));
});
