"""Text of data is printed safely: it controls no terminal, forges no line and no markup."""

from __future__ import annotations

import csv
import json
import re
import unicodedata

import numpy as np
import pytest

from rosenblatt.markup import printable
from tests.cli.terminal import rosenblatt, told

WEIRD = "\x1b[2J\x9b31m\u202etxt\u2066\r\nforged: line\x7f\u2028<b>[/b]$"
"""Clears the screen, colours it, reverses text, breaks the line; markup of HTML and of Rich."""
SAFE = r"\x1b[2J\x9b31m\u202etxt\u2066\r\nforged: line\x7f\u2028<b>[/b]$"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A table whose names, labels and cells are hostile, and a model of it."""
    folder = tmp_path_factory.mktemp("weird")
    draw = np.random.default_rng(0)
    with open(folder / "data.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow([f"number{WEIRD}", f"word{WEIRD}", f"y{WEIRD}"])
        for x in draw.normal(size=60).round(3).tolist():
            out.writerow([x, f"{'ab'[x > 0.5]}{WEIRD}", f"{'pq'[x > 0]}{WEIRD}"])
    target = f"y{WEIRD}"
    rosenblatt("fit", folder / "data.csv", "-t", target, "-o", folder / "m.rbt", "--passes", "3")
    return folder


def is_safe(text):
    return all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Zl", "Zp") for c in text)


def lines_of(folder):
    """Each command that prints text of data, with its exit code."""
    data, model, target = folder / "data.csv", folder / "m.rbt", f"y{WEIRD}"
    odd = folder / f"odd{WEIRD.replace('/', '')}.csv"
    odd.write_text("a,b\n1,2\n")
    proof = folder / "c.json"
    return {
        "fit": (0, "fit", data, "-t", target, "-o", folder / "n.rbt"),
        "inspect": (0, "inspect", model),
        "evaluate": (0, "evaluate", model, data),
        "certify": (None, "certify", data, "-t", target, "-o", proof),
        "verify": (0, "verify", proof, data),
        "report": (0, "report", model, "-o", folder / "r.html"),
        "no target": (2, "fit", data),
        "no column": (2, "fit", data, "-t", f"nothing{WEIRD}"),
        "no file": (2, "predict", model, folder / f"none{WEIRD}.csv"),
        "odd file": (2, "predict", model, odd),
        "odd option": (2, "fit", data, "--set", f"x{WEIRD}=1", "-t", target),
        "odd command": (2, f"fit{WEIRD}"),
    }


def test_every_command_prints_text_of_data_safely(work):
    for name, (code, *arguments) in lines_of(work).items():
        done = rosenblatt(*arguments, code=code)
        assert is_safe(done.stdout + done.stderr), f"{name}: {done.stdout}{done.stderr!r}"
        assert "\nforged" not in done.stdout + done.stderr, name
        if name in ("fit", "inspect", "certify", "no target", "no column"):
            assert SAFE in done.stdout + done.stderr, name


def test_json_is_safe_too_and_keeps_the_text(work):
    out = rosenblatt("inspect", work / "m.rbt", "--json").stdout
    assert is_safe(out)
    assert json.loads(out)["classes"] == [f"p{WEIRD}", f"q{WEIRD}"]
    assert told("evaluate", work / "m.rbt", work / "data.csv")["classes"][0]["class"] == f"p{WEIRD}"


def test_predictions_keep_the_labels_as_they_are(work, tmp_path):
    out = tmp_path / "p.csv"
    rosenblatt("predict", work / "m.rbt", work / "data.csv", "-o", out)
    with open(out, newline="") as file:
        assert {row["prediction"] for row in csv.DictReader(file)} <= {f"p{WEIRD}", f"q{WEIRD}"}


def test_the_report_has_neither_markup_nor_controls_of_the_data(work, tmp_path):
    out = tmp_path / "r.html"
    rosenblatt("report", work / "m.rbt", "-o", out)
    page = out.read_text()
    assert is_safe(re.sub(r"[\n\t]", "", page))
    assert "<b>" not in page
    assert "number" + SAFE.replace("<", "&lt;").replace(">", "&gt;") in page


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Größe in cm²", "Größe in cm²"),
        ("名前 👩‍🔬", "名前 👩‍🔬"),
        ("a\tb\0", r"a\tb\x00"),
        ("\udcff.csv", r"\udcff.csv"),
        ("\U000e0041", r"\U000e0041"),
        (3.5, "3.5"),
    ],
)
def test_what_is_escaped(text, shown):
    assert printable(text) == shown
    assert printable(printable(text)) == shown
