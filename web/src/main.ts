// Starts the page, in the theme that was chosen last.

import { mount } from "svelte";
import "katex/dist/katex.min.css";
import "./page.css";
import { loadEngine } from "./engine/module";
import App from "./parts/App.svelte";

const saved = localStorage.getItem("theme");
if (saved === "dark" || saved === "light") document.documentElement.dataset.theme = saved;

await loadEngine();
mount(App, { target: document.getElementById("app")! });
