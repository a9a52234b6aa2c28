"""The lowest versions that pyproject.toml allows: `make lowest` installs and tests them."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
BOUND = re.compile(r"([\w.-]+)>=([\w.]+)")
EXTRAS = re.compile(r"rosenblatt\[([\w,]+)\]")


def lowest(*extras: str) -> list[str]:
    """Return the requirements of build, package and extras, each with its lowest version."""
    described = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    project = described["project"]
    waiting = [*described["build-system"]["requires"], *project["dependencies"]]
    waiting += [f"rosenblatt[{','.join(extras)}]"] if extras else []
    pins: dict[str, str] = {}
    for text in waiting:  # which grows while it is read
        if names := EXTRAS.fullmatch(text):
            for name in names[1].split(","):
                waiting += project["optional-dependencies"][name]
        elif bound := BOUND.fullmatch(text):
            pins[bound[1]] = bound[2]
        else:
            raise ValueError(f"{text} in pyproject.toml has no lower bound; write name>=version.")
    return [f"{name}=={version}" for name, version in pins.items()]


if __name__ == "__main__":
    print(*lowest(*sys.argv[1:]), sep="\n")
