// Time: how many visits are done in what is shown, and playing them.

import type { Replay } from "./engine/replay";
import { still } from "./motion";

const PACE = 900; // milliseconds for one update at speed 1
const QUIET = 30; // for a visit without an update
const QUIET_PASS = 2000; // for a pass of them, at most
const STEP = 280; // for a step by hand
const SHORTEST = 150; // an update that takes less is made at once
const FINE = 400; // visits up to which scrubbing passes through the movements
const MOST_STEPS = 5000; // at once, however long a frame took

const ALIKE = 8; // times as long as the shortest run the longest may be on a scale without logarithms

/** What time runs over: the visits of the longest run, all runs, and the one whose updates are steps. */
export interface Track {
  readonly end: number;
  readonly runs: (Replay | null)[];
  readonly run: Replay | null;
}

export class Clock {
  playing = $state(false);
  speed = $state(1);
  fraction = $state(1); // how far the update that led to this moment has moved
  private position = $state(0);
  private atEnd = $state(false); // it stays at the end when the runs change
  private readonly track: Track;
  private readonly stepped: () => void;
  private frame = 0;
  private due = 0; // when time was looked at last
  private rest = 0; // milliseconds of speed 1 until the next visit
  private quiet = QUIET;
  readonly end = $derived.by(() => this.track.end);
  readonly now = $derived.by(() => (this.atEnd ? this.end : Math.min(this.position, this.end)));

  /** Where the time line begins to be logarithmic; null if all runs are of similar length. */
  readonly bend = $derived.by(() => {
    const shortest = Math.min(...this.track.runs.map((run) => run?.visits || Infinity));
    return this.end > ALIKE * shortest ? shortest / 4 : null;
  });

  /** `stepped` is called after each step of the user's or of playing. */
  constructor(track: Track, stepped: () => void = () => {}) {
    this.track = track;
    this.stepped = stepped;
  }

  to(visits: number): void {
    this.fraction = 1;
    this.position = Math.max(0, Math.min(this.end, Math.round(visits)));
    this.atEnd = this.end > 0 && this.position === this.end;
  }

  /** To a place between visits: the part after the point is how far an update there has moved. */
  scrub(visits: number): void {
    this.stop();
    const whole = Math.ceil(visits);
    if (this.end > FINE || still()) this.to(visits);
    else {
      this.to(whole);
      this.fraction = 1 - (whole - visits);
    }
  }

  /** How far along the time line a moment is, from 0 to 1. */
  share(visits: number): number {
    if (this.end === 0) return 0;
    return this.bend === null ? visits / this.end : Math.log1p(visits / this.bend) / Math.log1p(this.end / this.bend);
  }

  /** The visits done at a place on the time line. */
  visitsAt(share: number): number {
    return this.bend === null ? share * this.end : this.bend * Math.expm1(share * Math.log1p(this.end / this.bend));
  }

  /** Where the scrubber is. */
  get place(): number {
    return Math.max(0, this.now - (1 - this.fraction));
  }

  /** Complete the movement that scrubbing or a pause has left unfinished. */
  settle(from = this.fraction, time = STEP): void {
    cancelAnimationFrame(this.frame);
    if (from >= 1) return;
    const began = performance.now() - from * time;
    const move = (now: number) => {
      this.fraction = Math.max(from, Math.min(1, (now - began) / time));
      if (this.fraction < 1) this.frame = requestAnimationFrame(move);
    };
    this.fraction = from;
    this.frame = requestAnimationFrame(move);
  }

  /** To the moment after a number of updates, or to a fraction of the last one's movement. */
  toUpdate(count: number, fraction = 1): void {
    this.stop();
    const moments = this.track.run?.moments ?? [];
    const made = Math.min(count, moments.length);
    this.to(made > 0 ? moments[made - 1] : 0);
    if (made > 0 && !still()) this.fraction = fraction;
  }

  /** To an update, passing through its movement as slowly as at speed 1. */
  replay(count: number): void {
    this.toUpdate(count);
    if (count > 0 && !still()) this.settle(0, PACE);
  }

  /** Some updates on, or back. */
  stepBy(count: number): void {
    this.go(count);
    if (count === 1 && !still()) this.settle(0);
  }

  private go(count: number): void {
    const moments = this.track.run?.moments ?? [];
    const next = (this.track.run?.step(this.now) ?? 0) + count;
    if (next <= 0) this.to(0);
    else {
      // After its last update a run goes on to its own end, and then with the others.
      const visits = this.track.run?.visits ?? this.end;
      this.to(moments[next - 1] ?? (this.now < visits ? visits : this.end));
    }
    this.stepped();
  }

  /** To the next end of a pass, or to the one before. */
  passBy(direction: 1 | -1): void {
    const ends = [0, ...(this.track.run?.ends() ?? [])];
    const at = direction > 0
      ? ends.find((t) => t > this.now) ?? this.end
      : ends.findLast((t) => t < this.now) ?? 0;
    this.to(at);
    this.stepped();
  }

  play(): void {
    if (this.end === 0) return;
    if (this.now >= this.end) this.to(0);
    this.playing = true;
    this.due = performance.now();
    this.rest = 0; // the first visit is made at once
    this.quiet = Math.min(QUIET, QUIET_PASS / (this.track.run?.ends()[0] ?? 1));
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  /** Go on by visits: those that update a run take the time of a movement, others little. */
  private tick(now: number): void {
    if (!this.playing) return;
    this.rest -= Math.max(0, now - this.due) * this.speed;
    this.due = now;
    for (let steps = 0; this.rest <= 0 && this.now < this.end && steps < MOST_STEPS; steps++) this.visit();
    if (this.rest <= 0 && this.now >= this.end) {
      this.pause();
      return;
    }
    this.rest = Math.max(this.rest, 0);
    const moves = PACE / this.speed >= SHORTEST && !still() && this.rest > this.quiet;
    this.fraction = moves ? 1 - this.rest / PACE : 1;
    this.frame = requestAnimationFrame((later) => this.tick(later));
  }

  /** The next update, or as many visits without one as the time that has passed allows. */
  private visit(): void {
    const next = Math.min(...this.track.runs.map((run) => run?.moments[run.step(this.now)] ?? Infinity));
    const before = Math.min(next - 1, this.end) - this.now; // visits in which nothing happens
    if (before > 0) {
      const count = Math.min(before, Math.max(1, Math.floor(-this.rest / this.quiet)));
      this.to(this.now + count);
      this.rest += count * this.quiet;
    } else {
      this.to(next);
      this.rest += PACE;
      this.stepped();
    }
  }

  pause(): void {
    this.stop();
    this.settle();
    this.stepped();
  }

  /** Pause without a word. */
  stop(): void {
    this.playing = false;
    cancelAnimationFrame(this.frame);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }
}
