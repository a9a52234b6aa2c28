// The journal of a run: its updates as columns, and the buffer that loops write them to.

import type { Engine } from "./engine";
import type { Held } from "./memory";
import type { Values } from "./record";

/** Updates as parallel columns: w <- c·w + a·(signed example i, against rival r) at visit t. */
export interface Updates {
  t: number[];
  i: number[];
  r: number[];
  a: number[];
  c: number[];
}

export const noUpdates = (): Updates => ({ t: [], i: [], r: [], a: [], c: [] });

/** Add updates to others. */
export function append(to: Updates, more: Updates): void {
  for (const name of ["t", "i", "r", "a", "c"] as const) {
    const [column, added] = [to[name], more[name]];
    for (let e = 0; e < added.length; e++) column.push(added[e]);
  }
}

/** Room for updates in the memory of compiled code. */
export class Buffer {
  private readonly columns: Record<keyof Updates, Held>;

  constructor(engine: Engine, size: number) {
    const { memory } = engine;
    this.columns = {
      t: memory.array("<i8", [size]), i: memory.array("<i8", [size]), r: memory.array("<i4", [size]),
      a: memory.array("<f8", [size]), c: memory.array("<f8", [size]),
    };
  }

  get record(): Values {
    return this.columns;
  }

  /** The first updates, not copied. */
  part(used: number): Values {
    return Object.fromEntries(Object.entries(this.columns).map(([name, column]) => [name, column.part(0, used)]));
  }

  /** The first updates, copied. */
  taken(used: number): Updates {
    const copy = (name: keyof Updates) => Array.from(this.columns[name].part(0, used).values, Number);
    return { t: copy("t"), i: copy("i"), r: copy("r"), a: copy("a"), c: copy("c") };
  }
}
