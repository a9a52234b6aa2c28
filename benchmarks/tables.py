"""Keep a benchmark's table, and write the page that shows them all."""

from __future__ import annotations

import json
import platform
import statistics
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rosenblatt.storage.atomic import write

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
INTRODUCTION = """# Benchmarks

This page is written by `benchmarks/tables.py`, from the files in `benchmarks/results`.
`make bench` measures again.
"""


def record(
    name: str, title: str, note: str, columns: Sequence[str], rows: Sequence[dict[str, Any]]
) -> None:
    """Keep a table under its name, renew the page, and print the table."""
    result = {
        "title": title,
        "note": note,
        "columns": list(columns),
        "rows": list(rows),
        "machine": machine(),
    }
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    write(RESULTS / f"{name}.json", text.encode())
    write(PAGE, page().encode())
    print(f"\n{title}\n\n{markdown(columns, rows)}\n\n{note}")


def kept(name: str) -> list[dict[str, Any]]:
    """The rows of a table that were recorded before."""
    path = RESULTS / f"{name}.json"
    rows: list[dict[str, Any]] = json.loads(path.read_text())["rows"] if path.exists() else []
    return rows


def joined(
    name: str, fresh: Sequence[dict[str, Any]], parts: Sequence[str]
) -> list[dict[str, Any]]:
    """Fresh rows, and the recorded ones of parts that were not measured again, in order."""
    renewed = {row["part"] for row in fresh}
    before = [row for row in kept(name) if row.get("part") in set(parts) - renewed]
    return sorted([*before, *fresh], key=lambda row: parts.index(row["part"]))


def spread(values: Sequence[float], digits: int) -> str:
    """Mean and sample standard deviation, or the one value there is."""
    mean = f"{statistics.fmean(values):.{digits}f}"
    return f"{mean} ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else mean


def machine() -> dict[str, str]:
    """What the figures were measured on and with."""
    packages = ("numpy", "numba", "scikit-learn")
    return {
        "date": date.today().isoformat(),
        "cpu": _cpu(),
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }


def _cpu() -> str:
    # Linux tells the model in a file only; elsewhere the standard library knows it.
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def page() -> str:
    """All tables kept so far, one section each."""
    results = [json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))]
    return "\n".join([INTRODUCTION, *map(_section, results)])


def _section(result: dict[str, Any]) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in result["machine"].items())
    table = markdown(result["columns"], result["rows"])
    return f"## {result['title']}\n\n{result['note']}\n\n{table}\n\nMeasured: {facts}.\n"


def markdown(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """A Markdown table, padded so that it reads well as plain text too."""
    cells = [list(columns)] + [[_cell(row.get(name)) for name in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, ["-" * width for width in widths])
    padded = (map(str.ljust, row, widths) for row in cells)
    return "\n".join(f"| {' | '.join(row)} |" for row in padded)


def _cell(value: Any) -> str:
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", r"\|")
