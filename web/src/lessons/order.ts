// The names and titles of the lessons in their order; a lesson's number is its place.

export const ORDER = [
  { name: "one", title: "What a perceptron is" },
  { name: "two", title: "Why it must stop" },
  { name: "margin", title: "The margin" },
  { name: "bias", title: "The bias" },
  { name: "noline", title: "When no line exists" },
  { name: "best", title: "The best line" },
  { name: "unlearnable", title: "Learning the unlearnable" },
  { name: "voting", title: "Voting and averaging" },
  { name: "passive", title: "Passive and aggressive" },
  { name: "kernels", title: "Kernels" },
  { name: "classes", title: "Many classes" },
  { name: "new", title: "Does it generalise?" },
] as const;

export type LessonName = (typeof ORDER)[number]["name"];

export function numberOf(lesson: LessonName): number {
  return ORDER.findIndex(({ name }) => name === lesson) + 1;
}
