"""The page's WebAssembly beside native code: one call of a loop, in Node and in Python."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from web.call_recorder import Recorder

from benchmarks import tables
from benchmarks.clock import best
from benchmarks.passes import COLUMNS, row
from rosenblatt.engine import inputs
from rosenblatt.engine.execution import by_address, fast
from rosenblatt.theory import journal, loops, rules, spaces

SIZES = ((20_000, 50), (2_000, 784))
BAR = 3
WEB = tables.ROOT / "web"
TITLE = "The page's WebAssembly"
NOTE = (
    "One pass of the perceptron over a dense table of normal draws, as one call of the loop "
    "`online`: in Node with the page's module, and in Python with the shipped machine code. The "
    "best of many calls counts on either side. WebAssembly has vectors of two doubles; the best "
    "machine code has eight."
)


def arguments(examples: int, features: int) -> tuple[Any, ...]:
    """Return the arguments of a pass over normal draws, of which a tenth is labelled wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(examples, features))
    right = np.where(X @ rng.normal(size=features) > 0, 1, -1)
    y = np.where(rng.random(examples) < 0.1, -right, right).astype(np.int8)
    space = inputs.binary_space(X, 1.0)
    visits = np.arange(examples, dtype=np.uint32)
    rule = by_address(rules.Plain())
    state = spaces.origin(space), np.zeros(0), loops.Counters(), journal.blank(1 << 16)
    return space, y, np.ones(1), visits, rule, *state


def native(given: tuple[Any, ...]) -> None:
    """Call the loop from the beginning."""
    *first, h, dual, counters, updates = given
    h[:] = 0.0
    fast(loops.online)(*first, h, dual, counters, updates)


def measured(rounds: int) -> list[dict[str, Any]]:
    """Return a row for each size of table."""
    sizes = {f"{n:,} x {d}": arguments(n, d) for n, d in SIZES}
    recorder = Recorder()
    for given in sizes.values():
        recorder.call(rules.Plain(), loops.online, *given)
    content = {"arrays": recorder.arrays, "calls": recorder.taken()}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calls.json"
        file.write_text(json.dumps(content))
        command = ["node", "time_calls.mjs", str(file), str(rounds)]
        done = subprocess.run(command, cwd=WEB, check=True, capture_output=True, text=True)
    in_node = json.loads(done.stdout)
    times = best({name: partial(native, given) for name, given in sizes.items()}, rounds)
    return [
        row(f"online, dense {name} float64, in Node", theirs, "native", times[name], BAR, False)
        for name, theirs in zip(sizes, in_node, strict=True)
    ]


def main() -> None:
    """Measure, and record the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wasm", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="of each call")
    parser.add_argument("--dry", action="store_true", help="print, and record nothing")
    options = parser.parse_args()
    rows = measured(options.rounds)
    if options.dry:
        print(tables.markdown(COLUMNS, rows))
    else:
        tables.record("wasm", TITLE, NOTE, COLUMNS, rows)


if __name__ == "__main__":
    main()
