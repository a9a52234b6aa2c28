"""Try the law of claims on random cases for as long as asked.

SOAK_MINUTES=30 python -m tests.laws.soak
python -m tests.laws.soak --seed 123 --case 4567    one case of that soak again
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from queue import Empty
from random import Random, SystemRandom
from typing import Any

from tests.laws.claims.case import Case
from tests.laws.claims.checks import broken
from tests.laws.claims.draw import draw
from tests.laws.claims.shrink import shrink

EVERY = 30.0  # seconds between two lines of progress
GRACE = 60.0  # seconds after which a case counts as one that does not end
SHOWN = 40  # claims that are printed with a repro at the end


def numbered(seed: int, number: int) -> Case:
    """A case by its number."""
    return draw(Random(f"{seed}/{number}"))


def work(seed: int, first: int, step: int, end: float, results: Any, under_way: Any) -> None:
    """Try every step-th case until time is up; send what is found.

    `under_way` shows the number of the case that each worker tries.
    """
    known: set[str] = set()
    number, tried = first, 0
    while time.time() < end:
        under_way[first] = number
        case = numbered(seed, number)
        for claim, detail in broken(case):
            code = ""
            if claim not in known:
                known.add(claim)
                code = _simplest(case, claim).code()
            results.put(("broken", number, claim, detail, code))
        number, tried = number + step, tried + 1
        if tried % 20 == 0:
            results.put(("tried", 20))
    results.put(("tried", tried % 20))
    results.put(("done",))


def _simplest(case: Case, claim: str) -> Case:
    return shrink(case, lambda simpler: any(found == claim for found, _ in broken(simpler)))


def soak(minutes: float, seed: int, workers: int) -> int:
    """Run the workers, print what they find; the number of claims broken."""
    print(f"soak: {minutes:g} minutes on {workers} processes, seed {seed}", flush=True)
    began, results = time.time(), multiprocessing.Queue()
    end, under_way = began + 60 * minutes, multiprocessing.Array("q", workers)
    processes = [
        multiprocessing.Process(
            target=work, args=(seed, first, workers, end, results, under_way), daemon=True
        )
        for first in range(workers)
    ]
    for process in processes:
        process.start()
    tried, done, reported = 0, 0, began
    found: dict[str, list[tuple[int, str, str]]] = {}
    while done < workers:
        try:
            kind, *rest = results.get(timeout=GRACE)
        except Empty:
            if time.time() < end + GRACE:
                continue
            for process, number in zip(processes, under_way, strict=True):
                if process.is_alive():
                    case = (number, f"case {number} has not ended", numbered(seed, number).code())
                    found.setdefault("every fit ends", []).append(case)
            break
        if kind == "tried":
            tried += rest[0]
        elif kind == "done":
            done += 1
        else:
            number, claim, detail, code = rest
            if claim not in found:
                print(f"broken: {claim}: {detail} (case {number})", flush=True)
            found.setdefault(claim, []).append((number, detail, code))
        if time.time() - reported > EVERY:
            reported = time.time()
            print(_progress(tried, found, reported - began), flush=True)
    _report(seed, found)
    print(_progress(tried, found, time.time() - began))
    return sum(map(len, found.values()))


def _progress(tried: int, found: dict[str, list[Any]], seconds: float) -> str:
    times = sum(map(len, found.values()))
    return (
        f"{tried:,} cases tried, {tried / max(seconds, 1e-9):.1f} a second; "
        f"{len(found)} claims broken, {times:,} times"
    )


def _report(seed: int, found: dict[str, list[tuple[int, str, str]]]) -> None:
    """Each broken claim with its simplest case."""
    often = sorted(found.items(), key=lambda item: -len(item[1]))
    for claim, times in often[:SHOWN]:
        number, detail, code = min(times, key=lambda one: len(one[2]) or 10**6)
        print(f"\n{claim}: broken {len(times)} times, first in case {number}\n  {detail}")
        print("  " + code.replace("\n", "\n  "))
        print(f"  again: python -m tests.laws.soak --seed {seed} --case {number}")


def repeat(seed: int, number: int) -> int:
    """One case again, in full."""
    case = numbered(seed, number)
    print(case.code())
    found = broken(case)
    for claim, detail in found:
        print(f"\nbroken: {claim}: {detail}\n{_simplest(case, claim).code()}")
    print(f"\n{len(found)} claims broken")
    return len(found)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.laws.soak", description=__doc__)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**9))
    parser.add_argument("--case", type=int, default=None)
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("SOAK_MINUTES", "5")))
    given = parser.parse_args()
    if given.case is not None:
        return int(repeat(given.seed, given.case) > 0)
    return int(soak(given.minutes, given.seed, os.cpu_count() or 1) > 0)


if __name__ == "__main__":
    sys.exit(main())
