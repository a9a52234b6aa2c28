// What the page and the document that holds it tell each other.

import { describe, expect, it } from "vitest";
import { Conversation, read, type Message } from "../src/host";

describe("read", () => {
  it("takes what it knows and nothing else", () => {
    const moment = { rosenblatt: "moment", step: 3, point: null };
    expect(read({ ...moment, more: 1 })).toEqual(moment);
    expect(read({ rosenblatt: "theme", dark: "yes" })).toEqual({ rosenblatt: "theme", dark: false });
    for (const strange of [null, "moment", 3, {}, { ...moment, step: 0.5 }, { ...moment, step: "3" },
      { rosenblatt: "moment", step: 3 }, { rosenblatt: "height", height: -1 }, { rosenblatt: "else" }]) {
      expect(read(strange)).toBeNull();
    }
  });
});

describe("Conversation", () => {
  it("repeats neither what it has told nor what it has heard", () => {
    const sent: Message[] = [];
    const one = new Conversation({ step: 0, point: null }, (message) => sent.push(message));
    one.tell({ step: 0, point: null });
    one.tell({ step: 1, point: null });
    one.tell({ step: 1, point: null });
    one.hear({ step: 5, point: 2 });
    one.tell({ step: 5, point: 2 });
    one.tell({ step: 5, point: null });
    expect(sent).toEqual([
      { rosenblatt: "moment", step: 1, point: null },
      { rosenblatt: "moment", step: 5, point: null },
    ]);
  });
});
