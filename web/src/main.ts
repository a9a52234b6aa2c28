// Starts the page, in the theme that was chosen last; or a figure, in that of what holds it.

import { mount } from "svelte";
import "katex/dist/katex.min.css";
import "./page.css";
import { offline } from "./api";
import { loadEngine } from "./engine/module";
import App from "./parts/App.svelte";
import Watched from "./parts/Watched.svelte";
import { restoreTheme } from "./theme";

const target = document.getElementById("app")!;
const kept = offline();
await loadEngine();
if (kept?.figure) mount(Watched, { target, props: { kept, opening: kept.figure } });
else {
  restoreTheme();
  mount(App, { target });
}
