"""Time contenders side by side."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

K = TypeVar("K")


def best(
    contenders: Mapping[K, Callable[[], Any]], rounds: int = 15, budget: float = math.inf
) -> dict[K, float]:
    """Least seconds of each contender over alternating rounds.

    Alternation lets a disturbance of the machine hit all alike. The first round, in which code is
    compiled and data are read, is not counted, unless it alone takes longer than `budget` seconds.
    No round starts after that time.
    """
    times: dict[K, list[float]] = {name: [] for name in contenders}
    began = time.perf_counter()
    for number in range(rounds + 1):
        for name, contender in contenders.items():
            started = time.perf_counter()
            contender()
            times[name].append(time.perf_counter() - started)
        if number < rounds and time.perf_counter() - began > budget:
            break
    return {name: min(measured[1:] or measured) for name, measured in times.items()}
