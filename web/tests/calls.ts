// Calls of compiled loops as web/call_recorder.py writes them.

import type { Engine, Index } from "../src/engine/engine";
import type { ElementType, Held } from "../src/engine/memory";
import type { Field, Kind, Value, Values } from "../src/engine/record";

type Given =
  | number
  | string
  | boolean
  | { array: number }
  | { rule: string; parameters: (number | string)[] }
  | { record: Given[] };

export interface Call {
  loop: string;
  arguments: Given[];
  returned: unknown;
  changed: number[][]; // the places that lead to an array, then the number of what it became
  exact: boolean;
}

export interface Kept {
  type: ElementType;
  shape: number[];
  bytes: string;
}

export class Calls {
  constructor(
    private readonly engine: Engine,
    private readonly index: Index,
    private readonly arrays: Kept[],
  ) {}

  /** The arguments of a call by their names, in the memory of compiled code. */
  values(call: Call): Values {
    return this.named(this.index.loops[call.loop].arguments, call.arguments);
  }

  /** A kept array, in the memory of compiled code. */
  held(number: number): Held {
    const { type, shape, bytes } = this.arrays[number];
    const made = this.engine.memory.array(type, shape);
    const { buffer, byteOffset, byteLength } = made.values;
    new Uint8Array(buffer, byteOffset, byteLength).set(Buffer.from(bytes, "base64"));
    return made;
  }

  private named(fields: Field[], given: Given[]): Values {
    return Object.fromEntries(fields.map(([name, kind], at) => [name, this.value(kind, given[at])]));
  }

  private value(kind: Kind, given: Given): Value {
    if (typeof given === "boolean") return given;
    if (typeof given !== "object") return Number(given);
    if ("array" in given) return this.held(given.array);
    if ("rule" in given) return this.engine.rule(given.rule, given.parameters.map(Number));
    return this.named((kind as { fields: Field[] }).fields, given.record);
  }
}
