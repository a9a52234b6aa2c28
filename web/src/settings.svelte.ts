// The settings of lessons in the address, so that they survive reload, Back and sharing.
//
// The address of the guide is #guide/3?margin.seed=2: a lesson to begin at, then each setting that
// is not as its lesson begins. An address is written by anyone: a value counts only if it is of
// the kind that the lesson has there, and lessons check its size as they check what is typed in.

export type Settings = Record<string, boolean | number | string>;

const LONGEST = 4000; // characters of an address that are looked at
const ROUTE = /^#guide(?:\/(\d{1,2}))?(?:\?(.*))?$/;

let changed = new URLSearchParams(); // "lesson.setting" and its value
const read = $state({ times: 0 }); // how often they have come from an address
let follow: () => void = () => {}; // called when they have been changed by the reader

/** The lesson that an address of the guide names; null for another address. */
export function lessonIn(hash: string): number | null {
  const found = ROUTE.exec(hash.slice(0, LONGEST));
  return found && Number(found[1] ?? 0);
}

/** Take the settings in an address; one without any leaves them as they are. */
export function takeSettings(hash: string): void {
  const text = ROUTE.exec(hash.slice(0, LONGEST))?.[2];
  if (text === undefined) return;
  changed = new URLSearchParams(text);
  read.times++;
}

/** The address of a lesson with all settings as they are. */
export function guideAddress(lesson: number): string {
  const path = lesson > 0 ? `#guide/${lesson}` : "#guide";
  return changed.size ? `${path}?${changed}` : path;
}

/** Have a function called after each change by the reader. */
export function onSettings(changedByReader: () => void): void {
  follow = changedByReader;
}

/** The settings of a lesson by the address. */
export function settingsOf<T extends Settings>(lesson: string, initial: T): T {
  const named = Object.entries(initial).map(([name, value]) => [name, parsed(changed.get(`${lesson}.${name}`), value)]);
  return Object.fromEntries(named) as T;
}

/** Note the settings of a lesson for the address. */
export function noteSettings<T extends Settings>(lesson: string, initial: T, settings: T): void {
  const before = changed.toString();
  for (const [name, value] of Object.entries(settings)) {
    if (value === initial[name]) changed.delete(`${lesson}.${name}`);
    else changed.set(`${lesson}.${name}`, String(value));
  }
  if (changed.toString() !== before) follow();
}

/** Settings of a lesson that follow the address, and that it follows; for a component's start. */
export function linkedSettings<T extends Settings>(lesson: string, initial: T): T {
  const settings = $state({ ...initial });
  $effect.pre(() => {
    void read.times;
    Object.assign(settings, settingsOf(lesson, initial));
  });
  $effect(() => noteSettings(lesson, initial, settings));
  return settings;
}

/** A value from an address, if it is of the same kind as another; else that one. */
function parsed<V extends boolean | number | string>(text: string | null, initial: V): V {
  if (text === null) return initial;
  if (typeof initial === "number") {
    const value = Number(text);
    return (text.trim() !== "" && Number.isFinite(value) ? value : initial) as V;
  }
  if (typeof initial === "boolean") return (text === "true") as V;
  return (/^[\w-]{1,40}$/.test(text) ? text : initial) as V;
}
