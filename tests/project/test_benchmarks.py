"""What the documents say of benchmarks is what was recorded."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from operator import ge, le

import numpy as np
import pytest

from rosenblatt.engine.execution import status

bars = pytest.importorskip("benchmarks.bars", reason="run from the repository's root")
claims = pytest.importorskip("benchmarks.claims", reason="run from the repository's root")
executions = pytest.importorskip("benchmarks.executions", reason="run from the repository's root")
lean = pytest.importorskip("benchmarks.lean", reason="run from the repository's root")
metrics = pytest.importorskip("benchmarks.metrics", reason="run from the repository's root")
synthetic = pytest.importorskip("benchmarks.synthetic", reason="run from the repository's root")
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


@pytest.mark.parametrize(
    ("ours", "holds", "plain"),
    [
        ([1.0, 3.0], "yes", "-2.00 ± 1.41: lower"),
        ([3.0, 5.0], "yes", "+0.00 ± 1.41: equal"),
        ([5.8, 7.8], "yes", "+2.80 ± 1.41: higher"),
        ([5.9, 7.9], "NO", "+2.90 ± 1.41: higher"),
    ],
)
def test_an_error_is_no_higher_within_two_standard_errors(ours, holds, plain):
    found = bars.no_higher("some error", ours, [3.0, 5.0])
    assert (found["holds"], found["ratio"]) == (holds, plain)
    assert found["against"] == "scikit-learn: 4.00 ± 1.00 %"


def test_bars_are_judged_by_their_figures():
    """Every row of a real part has a figure, and holds if and only if its bar does."""
    rows = [bars.line("small", found) for found in bars.small(1)]
    assert len(rows) == 2 * len(bars.SMALL)
    for row in rows:
        assert {*row} >= {*bars.COLUMNS}
        sign, bar = row["bar"].split()
        figure, bar = float(row["figure"].split()[0]), float(bar)
        holds = {">=": ge, "<=": le}[sign](figure, bar)
        # A figure is printed with two digits, and judged with all.
        assert abs(figure - bar) < 0.01 or row["holds"] == ("yes" if holds else "NO")
    assert bars.line("size", bars.limit_row("size", 3.0, "MB", 40))["figure"] == "3 MB"


def test_defaults_have_a_row_of_times_and_one_of_errors():
    split = bars.SETS["iris"]()
    times, errors = bars.by_default("iris", split, bars.rb.Perceptron(), bars.Perceptron(), 1)
    assert times["what"] == f"iris, {bars.SEEDS} seeds"
    assert times["ratio"].endswith("faster")
    assert errors["bar"] == "no higher"
    assert errors["ours"].endswith(" %")


def test_a_lean_environment_has_no_extra(tmp_path):
    """A first fit works there without Numba, also where nothing can be written."""
    needed = lean.needed(["rosenblatt"])
    assert needed >= {"numpy", "scipy", "scikit-learn", "safetensors"}
    assert not needed & {"numba", "llvmlite", "pyarrow", "typer"}
    if status() is not None:
        pytest.skip("the machine code is not built: make kernels")
    command = [*lean.make(tmp_path / "lean"), "-c", bars.FIRST]
    assert bars.first_fit(command, writable=True) > 0
    with pytest.raises(RuntimeError, match="is writable: True"):
        bars.first_fit(command, writable=False)
    if lean.can_seal():
        assert bars.first_fit(lean.sealed(tmp_path / "lean", command), writable=False) > 0


def test_the_size_of_folders_and_files(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(b"12345")
    (tmp_path / "c").write_bytes(b"123")
    (tmp_path / "d").symlink_to(tmp_path / "a")  # what is elsewhere is not counted here
    assert (lean.size(tmp_path / "a" / "b"), lean.size(tmp_path)) == (5, 8)


def test_a_process_makes_the_passes_of_an_execution():
    with executions.process("shipped") as make_pass:
        first = next(iter(executions.RUNS))
        assert [make_pass(first) > 0, make_pass(first) > 0] == [True, True]


def test_the_share_of_flipped_labels():
    X, y = synthetic.zipf(100, 50, 5, flipped=0.0)
    same, opposite = synthetic.zipf(100, 50, 5, flipped=1.0)
    assert (same != X).nnz == 0
    np.testing.assert_array_equal(opposite, -y)
