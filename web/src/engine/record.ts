// The packed record: how arguments enter compiled code, and how results leave it. The layout is
// that of src/rosenblatt/engine/execution/record.py: slots of 8 bytes, one for a number; for an
// array its address and its shape; for a record the slots of its fields.

import { Held, type Memory } from "./memory";

const SLOT = 8;
const RESULTS = 16; // slots that a record has at least, for the results

/** "d", "q" or "?" for a number; element type and dimensions for an array; or the fields. */
export type Kind = string | { record: string; fields: Field[] };
export type Field = [name: string, kind: Kind];
export type Value = number | bigint | boolean | Held | Values;
export interface Values {
  [name: string]: Value;
}
export type Result = null | number | boolean | Result[];

/** Write values to a new record, in the order of the fields; returns its address. */
export function pack(memory: Memory, fields: Field[], values: Values): number {
  const slots = fields.reduce((sum, [, kind]) => sum + width(kind), 0);
  const address = memory.bytes(SLOT * Math.max(RESULTS, slots));
  new Packing(new DataView(memory.memory.buffer, address)).fields(fields, values);
  return address;
}

/** Read the results from a record; `returns` says what they are, in parentheses where several. */
export function unpack(memory: Memory, address: number, returns: string): Result {
  if (!returns) return null;
  const view = new DataView(memory.memory.buffer, address);
  const letters = returns[Symbol.iterator]();
  let slot = 0;

  function several(): Result[] {
    const found: Result[] = [];
    for (let letter = letters.next(); !letter.done && letter.value !== ")"; letter = letters.next()) {
      found.push(letter.value === "(" ? several() : one(letter.value));
    }
    return found;
  }

  function one(letter: string): number | boolean {
    const at = SLOT * slot++;
    if (letter === "d") return view.getFloat64(at, true);
    const whole = view.getBigInt64(at, true);
    return letter === "?" ? whole !== 0n : Number(whole);
  }

  return several()[0];
}

function width(kind: Kind): number {
  if (typeof kind !== "string") return kind.fields.reduce((sum, [, one]) => sum + width(one), 0);
  const [, dimensions] = kind.split(" ");
  return 1 + Number(dimensions ?? 0);
}

class Packing {
  private at = 0;

  constructor(private readonly view: DataView) {}

  fields(fields: Field[], values: Values): void {
    for (const [name, kind] of fields) {
      const value = values[name];
      if (typeof kind === "string" && kind.includes(" ")) this.array(name, kind, value);
      else if (typeof kind === "string") this.number(name, kind, value);
      else if (typeof value === "object" && !(value instanceof Held)) this.fields(kind.fields, value);
      else throw new TypeError(`${name} must be a record ${kind.record}.`);
    }
  }

  private array(name: string, kind: string, value: Value): void {
    if (!(value instanceof Held) || `${value.type} ${value.shape.length}` !== kind) {
      throw new TypeError(`${name} must be an array of element type and dimensions ${kind}.`);
    }
    for (const slot of [value.address, ...value.shape]) this.whole(slot);
  }

  private number(name: string, kind: string, value: Value): void {
    if (typeof value === "object" || value === undefined) {
      throw new TypeError(`${name} must be a number.`);
    }
    if (kind !== "d") this.whole(value);
    else this.view.setFloat64(this.next(), Number(value), true);
  }

  private whole(value: number | bigint | boolean): void {
    this.view.setBigInt64(this.next(), BigInt(value), true);
  }

  private next(): number {
    this.at += SLOT;
    return this.at - SLOT;
  }
}
