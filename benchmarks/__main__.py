"""All benchmarks, one after the other; each prints its table and renews docs/benchmarks.md."""

from __future__ import annotations

import subprocess
import sys

MODULES = (
    "speed",
    "stopping",
    "passes",
    "wasm",
    "bars",
    "growth",
    "files",
    "cluster",
    "shards",
    "command",
    "pipelines",
    "certificates",
    "svmguide3",
    "second_order",
    "wendemuth",
    "mnist_linear",
    "sequences",
    "leaderboard",
    "freund_schapire",
    "support_vectors",
)

for module in MODULES:
    print(f"== benchmarks.{module}", flush=True)
    # A process each: what one allocates or compiles must not colour the next.
    subprocess.run([sys.executable, "-m", f"benchmarks.{module}"], check=True)
