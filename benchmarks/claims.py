"""The sentence about speed in README.md and the guide, made of the recorded table of whole fits.

`python -m benchmarks.claims` writes it again. Without a recorded table there is no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import tables
from rosenblatt.storage.atomic import write

PAGES = (tables.ROOT / "README.md", tables.ROOT / "docs" / "guide.md")
PLACE = re.compile(r"(<!-- speed: written by benchmarks/claims.py -->).*?(<!-- end of speed -->)")


def sentence(rows: Sequence[dict[str, Any]]) -> str:
    """What the table of whole fits supports; nothing if a part of it is missing."""
    equal = [
        row
        for row in rows
        if row["setting"].endswith("passes")
        and row["passes"] == row["its passes"]
        and "count_errors" not in row["ours"]
    ]
    two = [row for row in equal if not row["classes"]]
    native = [row for row in equal if row["classes"].startswith("native")]
    like = [row for row in equal if row["classes"].startswith("one-vs-rest")]
    defaults = [row for row in rows if row["setting"] == "defaults"]
    default_two = [row for row in defaults if not row["classes"]]
    default_many = [row for row in defaults if row["classes"]]
    if not (two and native and like and default_two and default_many):
        return ""
    return (
        f"With equal passes and everything else at its default, a whole fit of two classes is "
        f"{between(two)} times as fast as scikit-learn's on {len(two)} data sets, and one of "
        f"MNIST's ten classes {between(like)} times with one run per class on both sides, "
        f"{between(native)} times with our multi-class rule. Left to the defaults of both, which "
        f"stop by different rules, it is {between(default_two)} times as fast with two classes "
        f"and {between(default_many)} times with ten; below 1 is slower."
    )


def between(rows: Sequence[dict[str, Any]]) -> str:
    """The least and the greatest ratio."""
    ratios = sorted(float(row["faster"]) for row in rows)
    return " to ".join(dict.fromkeys(f"{ratio:.1f}" for ratio in (ratios[0], ratios[-1])))


def renewed(text: str) -> str:
    """A page with the sentence that today's table supports in its place."""
    found = sentence(tables.kept("speed"))
    return PLACE.sub(lambda place: f"{place[1]}{found}{place[2]}", text)


def without(text: str) -> str:
    """A page without the sentence."""
    return PLACE.sub("", text)


def renew(pages: Sequence[Path] = PAGES) -> None:
    """Write the sentence into the pages."""
    for page in pages:
        write(page, renewed(page.read_text(encoding="utf-8")).encode())


if __name__ == "__main__":
    renew()
