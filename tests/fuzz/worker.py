"""A process that tries cases one after the other, within limits of memory.

It prints a line before and after each, so that the process that started it knows which case ended
it. With other arguments it writes the files that are to be damaged, or tries a single case.
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
PLAIN = 5  # one case in this many runs as plain Python, which notices an index out of bounds
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


def in_plain_python(number: int) -> bool:
    """Whether a case runs as plain Python."""
    return number % PLAIN == PLAIN - 1


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
    """Load what all cases need, and see that undamaged content works in a container built anew."""
    for kind, entry in KINDS.items():
        for name in originals.names[kind]:
            original = Original(originals.path(kind, name).read_bytes(), entry.container)
            path.write_bytes(original.rebuilt(original.content()))
            entry.use(name, path, Random(0))


def main(arguments: list[str]) -> None:
    """Write the originals to FOLDER, or try the case NUMBER of SEED, or those of a range."""
    warnings.simplefilter("ignore")
    originals, numbers = Originals(Path(arguments[0])), [int(number) for number in arguments[1:]]
    if not numbers:
        originals.write()
    elif len(numbers) == 2:
        _try_one(originals, *numbers)
    else:
        _try_all(originals, *numbers)
    sys.stdout.flush()
    os._exit(0)  # threads of a cluster need not be waited for


def _try_one(originals: Originals, seed: int, number: int) -> None:
    """Try one case; what it raises is shown."""
    case = numbered(originals, seed, number)
    print(case.kind, case.name, case.way, sep=" | ", flush=True)
    with tempfile.TemporaryDirectory(dir=originals.folder) as folder:
        path = Path(folder) / "damaged"
        path.write_bytes(damaged(case, originals))
        KINDS[case.kind].use(case.name, path, case.draw)


def _try_all(originals: Originals, seed: int, first: int, last: int, plain: int) -> None:
    """Try the cases from `first` to `last` that run as plain Python, or those that do not."""
    with tempfile.TemporaryDirectory(dir=originals.folder) as folder:
        path = Path(folder) / "damaged"
        _warm_up(originals, path)
        limit_memory()
        for number in range(first, last):
            if in_plain_python(number) != bool(plain):
                continue
            case = numbered(originals, seed, number)
            path.write_bytes(damaged(case, originals))
            _print({"begin": number})
            word, detail = outcome(case, path)
            _print({"end": number, "outcome": word, "detail": detail})


def _print(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
