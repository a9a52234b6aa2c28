"""A process that tries cases one after the other, within limits of memory.

It prints a line before and after each, so that the process that started it knows which case ended
it. `python -m tests.fuzz.worker FOLDER SEED NUMBER` tries one case and shows what it raises.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.fuzz.damage import WAYS, Original
from tests.fuzz.files import KINDS, Originals

MEMORY = 1 << 30  # bytes that a case may take
SLOTS = [kind for kind, entry in KINDS.items() for _ in range(entry.share)]


class Case(NamedTuple):
    """A file that is damaged in some way; its number and the seed say all about it."""

    kind: str
    name: str
    way: str
    draw: Random


def numbered(originals: Originals, seed: int, number: int) -> Case:
    """A case by its number."""
    kind, ways = SLOTS[number % len(SLOTS)], list(WAYS)
    draw = Random(f"{seed}/{number}")
    way = ways[number // len(SLOTS) % len(ways)]
    return Case(kind, draw.choice(originals.names[kind]), way, draw)


def damaged(case: Case, originals: Originals) -> bytes:
    """The file of a case."""
    raw = originals.path(case.kind, case.name).read_bytes()
    return WAYS[case.way](case.draw, Original(raw, KINDS[case.kind].container))


def outcome(case: Case, path: Path) -> tuple[str, str]:
    """What comes of a case, in a word, and what was raised."""
    try:
        KINDS[case.kind].use(case.name, path, case.draw)
    except ValueError as error:
        short = any(isinstance(cause, MemoryError) for cause in _causes(error))
        return ("memory", "MemoryError") if short else ("rejected", " ".join(str(error).split()))
    except MemoryError as error:
        return "memory", _place(error)
    except Exception as error:
        return "raised", _place(error)
    return "works", ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _place(error: BaseException) -> str:
    """An error, and the last lines of our code that it went through."""
    lines = [
        f"{Path(frame.filename).name}:{frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if "rosenblatt" in frame.filename
    ]
    return f"{type(error).__name__}: {str(error)[:120]} [{' > '.join(lines[-3:])}]"


def limit_memory() -> None:
    """Let this process take so much more than now."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _warm_up(originals: Originals, path: Path) -> None:
    """Load what all cases need, and see that undamaged files work."""
    for kind, entry in KINDS.items():
        for name in originals.names[kind]:
            path.write_bytes(originals.path(kind, name).read_bytes())
            entry.use(name, path, Random(0))


def main(arguments: list[str]) -> None:
    """Try the cases FIRST, FIRST + STEP, ... below LAST, or a single one."""
    warnings.simplefilter("ignore")
    originals, seed, first = Originals(Path(arguments[0])), int(arguments[1]), int(arguments[2])
    with tempfile.TemporaryDirectory(dir=arguments[0]) as folder:
        path = Path(folder) / "damaged"
        if len(arguments) == 3:
            case = numbered(originals, seed, first)
            path.write_bytes(damaged(case, originals))
            print(case.kind, case.name, case.way, sep=" | ")
            KINDS[case.kind].use(case.name, path, case.draw)
            return
        _warm_up(originals, path)
        limit_memory()
        _say({"ready": True})
        for number in range(first, int(arguments[4]), int(arguments[3])):
            case = numbered(originals, seed, number)
            path.write_bytes(damaged(case, originals))
            _say({"begin": number})
            word, detail = outcome(case, path)
            _say({"end": number, "outcome": word, "detail": detail})
    os._exit(0)  # threads of a cluster need not be waited for


def _say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
