// The lessons in their order, with what they show.

import type { Component } from "svelte";
import type { Registry } from "../schema";
import BestLine from "./BestLine.svelte";
import Bias from "./Bias.svelte";
import Kernels from "./Kernels.svelte";
import ManyClasses from "./ManyClasses.svelte";
import Margin from "./Margin.svelte";
import NewPoints from "./NewPoints.svelte";
import NoLine from "./NoLine.svelte";
import { ORDER, type LessonName } from "./order";
import PassiveAggressive from "./PassiveAggressive.svelte";
import Perceptron from "./Perceptron.svelte";
import Stops from "./Stops.svelte";
import Unlearnable from "./Unlearnable.svelte";
import Voting from "./Voting.svelte";

export interface Lesson {
  title: string;
  Content: Component<{ registry: Registry }>;
}

const CONTENTS: Record<LessonName, Lesson["Content"]> = {
  one: Perceptron, two: Stops, margin: Margin, bias: Bias, noline: NoLine, best: BestLine, unlearnable: Unlearnable,
  voting: Voting, passive: PassiveAggressive, kernels: Kernels, classes: ManyClasses, new: NewPoints,
};

export const LESSONS: Lesson[] = ORDER.map(({ name, title }) => ({ title, Content: CONTENTS[name] }));
