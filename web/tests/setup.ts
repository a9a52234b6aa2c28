// Every test file begins with an engine, as the page does.

import { loadEngine } from "../src/engine/module";

await loadEngine();
