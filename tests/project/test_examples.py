"""The commands of examples/, run as a reader would run them, and what is said of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from benchmarks import data, pipelines, tables

NAMES = tuple(pipelines.SETS)
RECORDED = tables.RESULTS / "pipelines.json"


def folder():
    try:
        return data.folder()
    except FileNotFoundError as error:
        pytest.skip(str(error))


def test_every_data_set_has_a_command_and_a_row_in_the_page():
    page = pipelines.README.read_text()
    for name in NAMES:
        script = (pipelines.EXAMPLES / f"{name}.sh").read_text().replace("\\\n", "")
        commands = [line for line in script.splitlines() if not line.startswith("#")]
        assert len(commands) == 1
        assert commands[0].startswith(f"rosenblatt fit {name}/")
        assert f"| `{name}.sh` |" in page


def test_the_page_tells_the_errors_that_were_measured():
    page = pipelines.README.read_text()
    rows = json.loads(RECORDED.read_text())["rows"]
    assert [row["data set"] for row in rows] == list(NAMES)
    for row in rows:
        told = re.search(rf"\| `{row['data set']}\.sh` .*\| ([\d.]+) % \|", page)
        assert told[1] == row["error of the command"]
        assert row["holds"] == "yes"


# Errors that a change must not exceed, a little above what is recorded.
@pytest.mark.parametrize(("name", "most"), [("adult", 0.15), ("sms", 0.02)])
def test_an_example_reaches_its_error(name, most, tmp_path):
    shared = folder()
    prepare = [sys.executable, pipelines.EXAMPLES / "prepare.py", shared, tmp_path, name]
    subprocess.run(prepare, check=True)
    found = pipelines.command(name, tmp_path, runs=1)
    assert found["error"] <= most
    truth = pipelines.SETS[name].read(tmp_path / name / pipelines.SETS[name].test)[1]
    assert np.mean(found["said"] != truth) == pytest.approx(found["error"])


def test_errors_are_compared_row_by_row():
    truth = np.zeros(100, int)
    ours, theirs = truth.copy(), truth.copy()
    ours[:10], theirs[4:12] = 1, 1  # six wrong together, four and two alone
    error, beside, spread = pipelines.compared(ours, theirs, truth)
    assert (error, beside) == (0.1, 0.08)
    assert spread == pytest.approx(np.sqrt(6 / 100 - 0.02**2) / 10)
    assert pipelines.compared(ours, ours, truth)[2] == 0.0  # whatever both get wrong


def test_the_chunker_learns_from_a_part_of_its_corpus(tmp_path):
    with zipfile.ZipFile(folder() / "sequence" / "conll2000.zip") as archive:
        sentences = archive.read("conll2000/train.txt").decode().split("\n\n")
    files = [tmp_path / "train.txt", tmp_path / "test.txt"]
    for file, part in zip(files, (sentences[:400], sentences[400:500]), strict=True):
        file.write_text("\n\n".join(part))
    command = [sys.executable, str(pipelines.EXAMPLES / "chunker.py"), *map(str, files)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.startswith("400 sentences to learn from, 100 to test on\n")
    chunks = re.search(r"^all +\S+ +\S+ +([\d.]+)", shown, re.MULTILINE)
    words = re.search(r"([\d.]+)% of the parts of speech", shown)
    assert float(chunks[1]) > 85
    assert float(words[1]) > 85
