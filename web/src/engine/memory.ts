// The memory of compiled code, and arrays in it.

const KINDS = {
  "<f8": Float64Array,
  "<i8": BigInt64Array,
  "<i4": Int32Array,
  "<u4": Uint32Array,
  "|i1": Int8Array,
  "|b1": Uint8Array,
};
const PAGE = 65_536; // bytes by which memory grows
const ALIGNED = 16;

/** The element type of an array, as NumPy writes it. */
export type ElementType = keyof typeof KINDS;
export type Elements = Float64Array | BigInt64Array | Int32Array | Uint32Array | Int8Array | Uint8Array;

/** An array in the memory of compiled code. */
export class Held {
  constructor(
    private readonly memory: WebAssembly.Memory,
    readonly type: ElementType,
    readonly shape: readonly number[],
    readonly address: number,
    readonly size: number,
  ) {}

  /** Its elements, not copied; not to be kept: memory that grows moves them. */
  get values(): Elements {
    return new KINDS[this.type](this.memory.buffer, this.address, this.size);
  }

  /** Some elements of an array of one dimension, not copied. */
  part(start: number, stop: number): Held {
    const bytes = KINDS[this.type].BYTES_PER_ELEMENT;
    return new Held(this.memory, this.type, [stop - start], this.address + start * bytes, stop - start);
  }
}

/** Memory that is given out from the bottom up, and taken back from the top down. */
export class Memory {
  constructor(
    readonly memory: WebAssembly.Memory,
    private next: number,
  ) {}

  /** An array of zeros, or of a copy of `values`. */
  array(type: ElementType, shape: readonly number[], values?: ArrayLike<number | bigint>): Held {
    const size = shape.reduce((product, length) => product * length, 1);
    const address = this.bytes(size * KINDS[type].BYTES_PER_ELEMENT);
    const held = new Held(this.memory, type, shape, address, size);
    if (values) held.values.set(values as never);
    else new Uint8Array(this.memory.buffer, address, held.values.byteLength).fill(0);
    return held;
  }

  /** The address of a block of this size. */
  bytes(count: number): number {
    const address = Math.ceil(this.next / ALIGNED) * ALIGNED;
    this.next = address + count;
    const missing = this.next - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    return address;
  }

  /** Do some work, and take back the memory that it was given. */
  scope<T>(work: () => T): T {
    const before = this.mark();
    try {
      return work();
    } finally {
      this.release(before);
    }
  }

  /** How far memory is given out, for work that is interrupted; `release` takes back what is above. */
  mark(): number {
    return this.next;
  }

  release(mark: number): void {
    this.next = mark;
  }
}
