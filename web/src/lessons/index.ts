// The lessons in their order; a lesson's number is its place.

import type { Component } from "svelte";
import type { Registry } from "../schema";
import Kernels from "./Kernels.svelte";
import ManyClasses from "./ManyClasses.svelte";
import Margin from "./Margin.svelte";
import NewPoints from "./NewPoints.svelte";
import NoLine from "./NoLine.svelte";
import PassiveAggressive from "./PassiveAggressive.svelte";
import Perceptron from "./Perceptron.svelte";
import Stops from "./Stops.svelte";
import Unlearnable from "./Unlearnable.svelte";
import Voting from "./Voting.svelte";

export interface Lesson {
  title: string;
  Content: Component<{ registry: Registry }>;
}

export const LESSONS: Lesson[] = [
  { title: "What a perceptron is", Content: Perceptron },
  { title: "Why it must stop", Content: Stops },
  { title: "The margin", Content: Margin },
  { title: "When no line exists", Content: NoLine },
  { title: "Learning the unlearnable", Content: Unlearnable },
  { title: "Voting and averaging", Content: Voting },
  { title: "Passive and aggressive", Content: PassiveAggressive },
  { title: "Kernels", Content: Kernels },
  { title: "Many classes", Content: ManyClasses },
  { title: "Does it generalise?", Content: NewPoints },
];
