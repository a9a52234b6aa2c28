// NumPy's random numbers, bit for bit: a run in the page visits its examples in the library's order.
//
// The library draws a seed for each run from a RandomState (Mersenne Twister) and the visits of a
// run from a Generator (PCG64). See NumPy's documentation on bit generators.

const POOL = 4; // words of entropy that a seed is mixed into
const TWISTED = 624; // words of the Mersenne Twister's state

/** The high word of the product of two words. */
function high(a: number, b: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  const other = a0 * b1 + (middle & 0xffff);
  return (a1 * b1 + Math.floor(middle / 65_536) + (other >>> 16)) >>> 0;
}

/** Words from 0 to 2^32 - 1 of a seed below 2^32, as NumPy's SeedSequence makes them. */
export function seedWords(seed: number, count: number): Uint32Array {
  let constant = 0x43b0d7e5;
  const hashed = (value: number) => {
    const mixed = value ^ constant;
    constant = Math.imul(constant, 0x931e8875);
    const product = Math.imul(mixed, constant);
    return product ^ (product >>> 16);
  };
  const pool = Array.from({ length: POOL }, (_, n) => hashed(n === 0 ? seed : 0));
  for (let from = 0; from < POOL; from++) {
    for (let to = 0; to < POOL; to++) {
      if (from === to) continue;
      const mixed = Math.imul(0xca01f9dd, pool[to]) - Math.imul(0x4973f715, hashed(pool[from]));
      pool[to] = mixed ^ (mixed >>> 16);
    }
  }
  constant = 0x8b51f9dd;
  return Uint32Array.from({ length: count }, (_, n) => {
    const mixed = pool[n % POOL] ^ constant;
    constant = Math.imul(constant, 0x58f38ded);
    const product = Math.imul(mixed, constant);
    return product ^ (product >>> 16);
  });
}

/** numpy.random.default_rng(seed); numbers of 128 bits are four words, the lowest first. */
export class Generator {
  private readonly state = new Uint32Array(4);
  private readonly increment: Uint32Array;
  private spare: number | null = null; // the high word of a number of which the low one was drawn

  constructor(seed: number) {
    const words = seedWords(seed, 8);
    const [s1, s0, i1, i0] = [0, 2, 4, 6].map((at) => [words[at], words[at + 1]]);
    const [a, b, c, d] = [...i0, ...i1];
    this.increment = Uint32Array.of((a << 1) | 1, (b << 1) | (a >>> 31), (c << 1) | (b >>> 31), (d << 1) | (c >>> 31));
    this.advance();
    this.add(Uint32Array.of(...s0, ...s1));
    this.advance();
  }

  /** The next number of 64 bits: its low word and its high word. */
  next(): [low: number, high: number] {
    this.advance();
    const { state } = this;
    const low = state[0] ^ state[2];
    const upper = state[1] ^ state[3];
    const turn = state[3] >>> 26;
    const from = turn & 32 ? upper : low;
    const other = turn & 32 ? low : upper;
    const by = turn & 31;
    if (by === 0) return [from >>> 0, other >>> 0];
    return [((from >>> by) | (other << (32 - by))) >>> 0, ((other >>> by) | (from << (32 - by))) >>> 0];
  }

  /** Words of the next numbers, as `random_raw(...).view(uint32)` gives them. */
  words(count: number): Uint32Array {
    const made = new Uint32Array(count + (count % 2));
    for (let at = 0; at < made.length; at += 2) [made[at], made[at + 1]] = this.next();
    return made.subarray(0, count);
  }

  /** A number from 0 to 1. */
  uniform(): number {
    const [low, upper] = this.next();
    return (upper * 2 ** 21 + (low >>> 11)) / 2 ** 53;
  }

  /** A whole number below a limit, without bias (Lemire 2019). */
  below(limit: number): number {
    if (limit <= 1) return 0; // nothing is drawn
    const least = (2 ** 32 - limit) % limit;
    for (;;) {
      const word = this.word();
      if (Math.imul(word, limit) >>> 0 >= least) return high(word, limit);
    }
  }

  /** A number between two others. */
  between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** A number of a normal law, by the ziggurat of Marsaglia and Tsang. */
  normal(mean: number, deviation: number): number {
    return mean + deviation * this.standardNormal();
  }

  /** The numbers below n in a random order. */
  permutation(n: number): Uint32Array {
    const order = Uint32Array.from({ length: n }, (_, k) => k);
    this.shuffle(order);
    return order;
  }

  private standardNormal(): number {
    const { widths, edges, heights } = ziggurat();
    for (;;) {
      const [low, upper] = this.next();
      const layer = low & 0xff;
      const sign = (low >>> 8) & 1 ? -1 : 1;
      const size = (upper & 0x1fffffff) * 2 ** 23 + (low >>> 9); // 52 bits
      const x = sign * size * widths[layer];
      if (size < edges[layer]) return x;
      if (layer === 0) return ((size / 256) & 1 ? -1 : 1) * this.tail();
      const height = (heights[layer - 1] - heights[layer]) * this.uniform() + heights[layer];
      if (height < Math.exp(-0.5 * x * x)) return x;
    }
  }

  /** A number beyond the last layer. */
  private tail(): number {
    for (;;) {
      const x = -Math.log1p(-this.uniform()) / LAST;
      const y = -Math.log1p(-this.uniform());
      if (2 * y > x * x) return LAST + x;
    }
  }

  /** Shuffle in place, as `Generator.shuffle` does. */
  shuffle(values: Uint32Array): void {
    for (let last = values.length - 1; last > 0; last--) {
      const other = this.upTo(last);
      [values[last], values[other]] = [values[other], values[last]];
    }
  }

  /** A whole number of at most `most`: words cut to its bits, until one is not above it. */
  private upTo(most: number): number {
    const mask = 2 ** (32 - Math.clz32(most)) - 1;
    for (;;) {
      const drawn = (this.word() & mask) >>> 0;
      if (drawn <= most) return drawn;
    }
  }

  private word(): number {
    if (this.spare !== null) {
      const kept = this.spare;
      this.spare = null;
      return kept;
    }
    const [low, upper] = this.next();
    this.spare = upper;
    return low;
  }

  /** One step of the generator: state <- state · multiplier + increment. */
  private advance(): void {
    const { 0: a, 1: b, 2: c, 3: d } = this.state;
    const { 0: m0, 1: m1, 2: m2, 3: m3 } = MULTIPLIER;
    let carry = high(a, m0) + (Math.imul(a, m1) >>> 0) + (Math.imul(b, m0) >>> 0);
    this.state[0] = Math.imul(a, m0);
    this.state[1] = carry;
    carry = Math.floor(carry / 2 ** 32) + high(a, m1) + high(b, m0) +
      (Math.imul(a, m2) >>> 0) + (Math.imul(b, m1) >>> 0) + (Math.imul(c, m0) >>> 0);
    this.state[2] = carry % 2 ** 32;
    this.state[3] = Math.floor(carry / 2 ** 32) + high(a, m2) + high(b, m1) + high(c, m0) +
      Math.imul(a, m3) + Math.imul(b, m2) + Math.imul(c, m1) + Math.imul(d, m0);
    this.add(this.increment);
  }

  private add(number: Uint32Array): void {
    let carry = 0;
    for (let at = 0; at < 4; at++) {
      carry += this.state[at] + number[at];
      this.state[at] = carry;
      carry = carry >= 2 ** 32 ? 1 : 0;
    }
  }
}

const LAYERS = 256;
const LAST = 3.6541528853610088; // where the last layer of the ziggurat ends

interface Ziggurat {
  widths: Float64Array; // of the layers, over 2^52
  edges: Float64Array; // below which a number of 52 bits is inside
  heights: Float64Array; // of the density where a layer ends
}

let layers: Ziggurat | null = null;

/** Layers of equal area under the normal density exp(-x²/2), made once. */
function ziggurat(): Ziggurat {
  if (layers) return layers;
  const [widths, edges, heights] = [0, 1, 2].map(() => new Float64Array(LAYERS));
  const density = (x: number) => Math.exp(-0.5 * x * x);
  let fraction = 0; // of the tail: exp(-x²/2)/(x + 1/(x + 2/(x + ...)))
  for (let n = 200; n > 0; n--) fraction = n / (LAST + fraction);
  const area = LAST * density(LAST) + density(LAST) / (LAST + fraction);
  const base = area / density(LAST);
  [edges[0], edges[1]] = [Math.floor((LAST / base) * 2 ** 52), 0];
  [widths[0], widths[LAYERS - 1]] = [base / 2 ** 52, LAST / 2 ** 52];
  [heights[0], heights[LAYERS - 1]] = [1, density(LAST)];
  let outer = LAST;
  for (let n = LAYERS - 2; n > 0; n--) {
    const inner = Math.sqrt(-2 * Math.log(area / outer + density(outer)));
    edges[n + 1] = Math.floor((inner / outer) * 2 ** 52);
    [widths[n], heights[n]] = [inner / 2 ** 52, density(inner)];
    outer = inner;
  }
  return (layers = { widths, edges, heights });
}

const MULTIPLIER = [0x9fccf645, 0x4385df64, 0x1fc65da4, 0x2360ed05];

/** numpy.random.RandomState(seed). */
export class RandomState {
  private readonly key = new Uint32Array(TWISTED);
  private at = TWISTED;

  constructor(seed: number) {
    let word = seed >>> 0;
    for (let n = 0; n < TWISTED; n++) {
      this.key[n] = word;
      word = (Math.imul(1_812_433_253, word ^ (word >>> 30)) + n + 1) >>> 0;
    }
  }

  /** `randint(2**31)`. */
  seed(): number {
    return this.word() & 0x7fffffff;
  }

  /** `uniform()`. */
  uniform(): number {
    const [first, second] = [this.word() >>> 5, this.word() >>> 6];
    return (first * 2 ** 26 + second) / 2 ** 53;
  }

  private word(): number {
    if (this.at === TWISTED) this.twist();
    let word = this.key[this.at++];
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  private twist(): void {
    const { key } = this;
    for (let n = 0; n < TWISTED; n++) {
      const joined = (key[n] & 0x80000000) | (key[(n + 1) % TWISTED] & 0x7fffffff);
      key[n] = key[(n + 397) % TWISTED] ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
    }
    this.at = 0;
  }
}
