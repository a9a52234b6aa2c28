// Starts the page, in the theme that was chosen last; or a figure, in that of what holds it.

import { mount } from "svelte";
import "katex/dist/katex.min.css";
import "./page.css";
import { offline } from "./api";
import { loadEngine } from "./engine/module";
import App from "./parts/App.svelte";
import Watched from "./parts/Watched.svelte";

const target = document.getElementById("app")!;
const kept = offline();
await loadEngine();
if (kept?.figure) mount(Watched, { target, props: { kept, opening: kept.figure } });
else {
  const saved = localStorage.getItem("theme");
  if (saved === "dark" || saved === "light") document.documentElement.dataset.theme = saved;
  mount(App, { target });
}
