"""What the documents say of benchmarks is what was recorded."""

from __future__ import annotations

import ast
import re
from importlib import import_module

import pytest

claims = pytest.importorskip("benchmarks.claims", reason="run from the repository's root")
metrics = pytest.importorskip("benchmarks.metrics", reason="run from the repository's root")
tables = pytest.importorskip("benchmarks.tables", reason="run from the repository's root")

DOCUMENTS = sorted([*tables.ROOT.glob("*.md"), *(tables.ROOT / "docs").rglob("*.md")])


def name(path):
    return str(path.relative_to(tables.ROOT))


MODULES = sorted(
    path.stem for path in (tables.ROOT / "benchmarks").glob("*.py") if path.stem[0] != "_"
)


@pytest.mark.parametrize("module", MODULES)
def test_every_benchmark_can_be_imported(module):
    import_module(f"benchmarks.{module}")


def test_the_page_of_benchmarks_shows_what_was_recorded():
    """docs/benchmarks.md is the recorded tables and nothing else."""
    assert tables.PAGE.read_text(encoding="utf-8") == tables.page()


@pytest.mark.parametrize("document", claims.PAGES, ids=name)
def test_speed_is_quoted_from_the_recorded_table(document):
    text = document.read_text(encoding="utf-8")
    assert claims.PLACE.search(text), "the place for the sentence about speed is gone"
    assert text == claims.renewed(text), "run `python -m benchmarks.claims`"


@pytest.mark.parametrize(
    "document", [d for d in DOCUMENTS if d.name not in ("benchmarks.md", "CHANGELOG.md")], ids=name
)
def test_no_other_speed_is_claimed(document):
    """A ratio of speeds is quoted from the table of whole fits, or not at all."""
    text = claims.without(document.read_text(encoding="utf-8"))
    ratio = r"\b(twice|thrice|[\w.]+ times) (as fast|faster)|\b[\d.]+ ?x faster"
    assert not re.findall(ratio, text, re.IGNORECASE)


def test_the_sentence_about_speed():
    """Ranges are those of the right rows; an incomplete table supports no sentence."""

    def row(setting, classes, ours, faster, passes=5):
        return {
            "setting": setting, "classes": classes, "ours": ours, "faster": faster,
            "passes": passes, "its passes": 5,
        }  # fmt: skip

    rows = [
        row("5 passes", "", "Perceptron(max_iter=5)", "1.26"),
        row("5 passes", "", "Perceptron(max_iter=5)", "4.00"),
        row("5 passes", "", "Perceptron(max_iter=5)", "8.00", passes=3),  # separated early
        row("5 passes", "", "Perceptron(count_errors=False, max_iter=5)", "9.00"),
        row("5 passes", "native / one-vs-all", "Perceptron(max_iter=5)", "12.00"),
        row("5 passes", "one-vs-rest / one-vs-all", "Perceptron(max_iter=5)", "6.04"),
        row("defaults", "", "Perceptron()", "0.50", passes=100),
        row("defaults", "native / one-vs-all", "Perceptron()", "3.00", passes=100),
    ]
    said = claims.sentence(rows)
    for part in (
        "1.3 to 4.0 times",
        "2 data sets",
        "6.0 times",
        "12.0 times",
        "0.5 times",
        "3.0 times",
    ):
        assert part in said
    assert "8.0" not in said
    assert "9.0" not in said
    assert claims.sentence(rows[:-1]) == ""


def test_metrics_count_what_they_say():
    tree = ast.parse("""
class A:
    def f(self, b):
        return b._x if self._y and b._replace() else super()._z
""")
    assert metrics.foreign(tree) == 1
    (function,) = metrics.functions(tree)
    assert (metrics.complexity(function), metrics.length(function)) == (3, 2)
    root = metrics.ROOT
    found = metrics.figures(root)
    assert found["modules at the top level"] == len(list((root / "src/rosenblatt").glob("*.py")))
    assert all(figure >= 0 for figure in found.values())
