"""Write what the library draws, for the page's engine to equal: `python -m web.learned`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from rosenblatt.theory.orders import ORDERS, shuffle

ORDERS_FILE = Path(__file__).parent / "tests" / "orders.json"
SEEDS = (0, 1, 7, 12_345, 2**31 - 1, 2**32 - 1)
SIZES = (1, 2, 3, 14, 255, 600)
PASSES = 3


def orders() -> list[dict[str, Any]]:
    """Return seeds, numbers and the visits of some passes, in every order."""
    return [_drawn(seed) for seed in SEEDS]


def _drawn(seed: int) -> dict[str, Any]:
    state = check_random_state(seed)
    return {
        "seed": seed,
        "seeds": state.randint(2**31, size=700).tolist(),
        "moment": float(state.uniform()),
        "uniform": np.random.default_rng(seed).random(5).tolist(),
        "visits": {name: [_visits(name, seed, n) for n in SIZES] for name in ORDERS},
    }


def _visits(name: str, seed: int, examples: int) -> list[list[int]]:
    """Return the visits of some passes, with a number drawn after each pass."""
    rng = np.random.default_rng(seed)
    passes = []
    for _ in range(PASSES):
        passes.append(ORDERS[name].draw(examples, rng, shuffle).tolist())
        rng.random()
    return passes


if __name__ == "__main__":
    ORDERS_FILE.write_text(json.dumps({"sizes": SIZES, "streams": orders()}))
    print(f"wrote {ORDERS_FILE.name}: {ORDERS_FILE.stat().st_size:,} bytes")
