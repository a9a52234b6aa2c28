// The compiled loops and rules of the library, as WebAssembly. `python -m native.build --page`
// makes the module and its index.

import { Memory } from "./memory";
import { pack, unpack, type Field, type Result, type Values } from "./record";

const FIRST_PAGES = 16; // of memory: more than the module's own data and its stack

/** What the index says: loops and rules by their names. */
export interface Index {
  sources: string;
  loops: Record<string, { symbol: string; returns: string; arguments: Field[] }>;
  rules: Record<
    string,
    {
      name: string | null;
      space: string | null; // one of its own, which the page does not have
      needs_dual: boolean; // it reads its example's own coefficient
      parameters: [name: string, initial: number | boolean | string | null][];
      functions: Record<string, string>;
    }
  >;
}

type Code = (...given: never[]) => unknown;

/** C's functions. Unlike JavaScript's, 1 to the power of infinity is 1. */
const MATHEMATICS = {
  exp: Math.exp,
  expm1: Math.expm1,
  pow: (base: number, power: number) => (base === 1 ? 1 : base ** power),
};

export class Engine {
  readonly memory: Memory;
  private readonly table: WebAssembly.Table;
  private readonly addresses = new Map<string, number>();

  private constructor(
    memory: WebAssembly.Memory,
    private readonly code: WebAssembly.Exports,
    private readonly index: Index,
  ) {
    this.memory = new Memory(memory, (code.__heap_base as WebAssembly.Global).value as number);
    this.table = code.__indirect_function_table as WebAssembly.Table;
  }

  /** An engine of its own memory. */
  static async load(module: WebAssembly.Module, index: Index): Promise<Engine> {
    const memory = new WebAssembly.Memory({ initial: FIRST_PAGES });
    const instance = await WebAssembly.instantiate(module, { env: { memory, ...MATHEMATICS } });
    return new Engine(memory, instance.exports, index);
  }

  /** Call a loop, by the names of its arguments; arrays are changed in place. */
  call(loop: string, values: Values): Result {
    const found = this.index.loops[loop];
    if (!found) throw new Error(`the loop "${loop}" is not part of the page's module.`);
    return this.memory.scope(() => {
      const record = pack(this.memory, found.arguments, values);
      const failed = this.function(found.symbol)(record as never) as bigint;
      if (failed) throw new Error(`the compiled loop "${loop}" failed: it divided by zero.`);
      return unpack(this.memory, record, found.returns);
    });
  }

  /** A loop that returns nothing, with arguments that stay where they are: what is in them may change. */
  prepared(loop: string, values: Values): () => void {
    const { symbol, arguments: fields, returns } = this.index.loops[loop];
    if (returns) throw new Error(`the loop "${loop}" writes its results over its arguments.`);
    const record = pack(this.memory, fields, values);
    const code = this.function(symbol);
    return () => {
      if (code(record as never)) throw new Error(`the compiled loop "${loop}" failed: it divided by zero.`);
    };
  }

  /** A rule as loops call it, by the name of its class; its parameters take some memory. */
  rule(kind: string, parameters: number[]): Values {
    const known = this.index.rules[kind];
    if (!known) throw new Error(`the rule ${kind} is not part of the page's module.`);
    const facts = this.facts(kind, parameters);
    const { plain_step, gain_from_look } = known.functions;
    return {
      step: this.address(plain_step),
      confidence_gain: facts.prior_variance > 0 ? this.address(gain_from_look) : 0,
      fields: this.memory.array("<f8", [parameters.length], parameters),
      ...facts,
    };
  }

  /** The names of a rule's parameters; null if the module does not have it. */
  parameters(kind: string): string[] | null {
    return this.index.rules[kind]?.parameters.map(([name]) => name) ?? null;
  }

  /** What is marked on a rule: a space of its own, and whether it needs dual coefficients. */
  marks(kind: string): { space: string | null; needs_dual: boolean } {
    const { space, needs_dual } = this.index.rules[kind];
    return { space, needs_dual };
  }

  /** A rule with its defaults, by its name in the library; null if the module does not have it. */
  ruleByName(name: string): { kind: string; parameters: number[] } | null {
    const found = Object.entries(this.index.rules).find(([, rule]) => rule.name === name);
    if (!found) return null;
    const [kind, { parameters }] = found;
    return { kind, parameters: parameters.map(([, initial]) => (initial === "inf" ? Infinity : Number(initial))) };
  }

  /** The step and the scale that a rule makes of a look, the numbers in the order of `Look`. */
  step(kind: string, parameters: number[], look: number[]): [a: number, c: number] {
    return this.memory.scope(() => {
      const fields = this.memory.array("<f8", [parameters.length], parameters);
      const scale = this.memory.array("<f8", [1]);
      const [m, q, norm2, b, t, k, sum, y] = look;
      const code = this.function(this.index.rules[kind].functions.plain_step) as (...given: unknown[]) => number;
      const a = code(fields.address, m, q, norm2, b, BigInt(t), BigInt(k), sum, y, scale.address);
      return [a, scale.values[0] as number];
    });
  }

  /** What a rule says of itself, as numbers; see theory/rules/rule.py. */
  facts(kind: string, parameters: number[]) {
    const rule = Object.fromEntries(this.parameters(kind)!.map((name, at) => [name, parameters[at]]));
    return this.memory.scope(() => {
      const out = this.memory.array("<f8", [6]);
      this.call(`facts ${kind}`, { rule, out });
      const [ball_radius2, margin_limit, reads_norm2, compares_unit_margins, mean_shrinks, prior_variance] =
        Array.from(out.values, Number);
      return { ball_radius2, margin_limit, reads_norm2, compares_unit_margins, mean_shrinks, prior_variance };
    });
  }

  private function(symbol: string): Code {
    return this.code[symbol] as Code;
  }

  /** The address of a function: its place in the table. */
  private address(symbol: string): number {
    const known = this.addresses.get(symbol) ?? this.table.grow(1, this.function(symbol));
    this.addresses.set(symbol, known);
    return known;
  }
}
