"""The documents tell the truth: pages are fresh, code runs, links lead somewhere."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
import warnings
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).resolve().parents[2]
RUNNABLE = [
    ROOT / "README.md",
    *(
        ROOT / "docs" / f"{page}.md"
        for page in ("guide", "notebook", "proofs", "regression", "sequences")
    ),
]
BLOCK = r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?"  # code, and what it prints
NUMBER = r"[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?"
WALKED = re.findall(  # `name` in `file`
    r"`([\w.]+)` in `([\w/.]+)`", (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
)
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def name(path):
    return str(path.relative_to(ROOT))


def test_generated_pages_are_up_to_date():
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run `make docs`\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("document", RUNNABLE, ids=name)
def test_code_runs(document, tmp_path, monkeypatch):
    text = document.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    scope = {"__name__": document.stem}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for block in re.finditer(BLOCK, text, re.DOTALL | re.MULTILINE):
            before = text[: block.start(1)].count("\n")  # so that an error names the line
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile("\n" * before + block[1], name(document), "exec"), scope)
            if block[2] is not None:
                assert_alike(printed.getvalue(), block[2])
    plt.close("all")


def assert_alike(printed, shown):
    """The same words, and the same numbers but for their last digits."""
    assert re.sub(NUMBER, "0", printed) == re.sub(NUMBER, "0", shown)
    numbers = [
        [float(n.replace(",", "")) for n in re.findall(NUMBER, text)] for text in (printed, shown)
    ]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-4)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_lead_to_files(document):
    text = document.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (document.parent / path).resolve() if path else document
        assert there.exists(), target
        if anchor:
            assert anchor in anchors(there), target


@pytest.mark.parametrize(("names", "file"), WALKED, ids=[f"{n} in {f}" for n, f in WALKED])
def test_walks_of_the_design_name_real_code(names, file):
    path = ROOT / file if file.startswith("web") else ROOT / "src" / "rosenblatt" / file
    text = path.read_text(encoding="utf-8")
    for part in names.split("."):
        defined = (
            rf"^\s*(export )?(def|class|async def|const) {part}\b|^  (\w+ )?{part}(\(.*{{$|: )"
        )
        assert re.search(defined, text, re.MULTILINE), part


def anchors(document):
    """The headings of a document, as links spell them."""
    heads = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}
