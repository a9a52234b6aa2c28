"""Write what comes from the code: pages, type stubs, pictures, and what examples print.

`python docs/generate.py` renews what has changed; with `--check` it only lists what is stale.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from stubs import stubs

from rosenblatt.estimators import MEMBERS
from rosenblatt.estimators.members import described
from rosenblatt.estimators.parameters import declared
from rosenblatt.storage.atomic import write
from rosenblatt.theory import rules

DOCS = Path(__file__).resolve().parent
PAGES = DOCS / "algorithms"
IMAGES = DOCS / "images"
SHOWN = (DOCS.parent / "README.md", DOCS / "proofs.md")  # pages whose code is run and shown
QUICKSTART = DOCS.parent / "examples" / "quickstart.py"
NOTE = "This page is written by `docs/generate.py` from the declarations and docstrings."
NAMES = {kind.__name__: name for name, kind in rules.RULES.items()}

ANY_RULE = """`rule` is a name from [the table of rules](../rules.md), a record such as
`rules.Margin(theta=2.0)`, or a function of `Look`."""


# --- from declarations to Markdown ----------------------------------------------------------


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    cells = [[cell.replace("|", r"\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def blocks(text: str) -> str:
    """Paragraphs, those that are a session or a formula in a block of their own."""
    done = []
    for paragraph in text.split("\n\n"):
        fence = "pycon" if paragraph.startswith(">>>") else "text"
        plain = not paragraph.startswith((">>>", "w <- "))
        done.append(paragraph if plain else f"```{fence}\n{paragraph}\n```")
    return "\n\n".join(done)


def shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)


# --- the pages ------------------------------------------------------------------------------


def rule_names(kind: type) -> list[str]:
    """The rules that an estimator may use; none stands for all."""
    source = inspect.getsource(kind._rule)  # type: ignore[attr-defined]
    called = re.findall(r"\brules\.(\w+)\(", source)
    return list(dict.fromkeys(NAMES[name] for name in called if name in NAMES))


def rule_links(kind: type) -> str:
    return ", ".join(f"[{name}](../rules.md#{name})" for name in rule_names(kind)) or "any"


def estimator_page(name: str, kind: type) -> str:
    written = described(kind)
    parameters = [(f"`{p.name}`", p.words, p.text) for p in declared(kind).values()]
    results = [f"- `{r.name}` ({r.words}): {r.text}" for r in written.results]
    used = rule_links(kind)
    page = [
        f"# {name}",
        written.about,
        ANY_RULE if used == "any" else f"Rule: {used}.",
        f"## Parameters\n\n{table(('name', 'type', 'meaning'), parameters)}",
        "## After a fit\n\n" + "\n".join(results),
        f"## Example\n\n{blocks(written.examples)}",
        f"---\n\n{NOTE} See also [all estimators](README.md) and [the guide](../guide.md).",
    ]
    return "\n\n".join(page) + "\n"


def index_page() -> str:
    rows: list[tuple[str, ...]] = []
    for name, kind in MEMBERS.items():
        rows.append((f"[{name}]({name}.md)", rule_links(kind), described(kind).summary))
    page = [
        "# Estimators",
        "Every estimator is a rule and a readout of one general classifier. All share the "
        "parameters of [PerceptronClassifier](PerceptronClassifier.md).",
        table(("estimator", "rule", "in one line"), rows),
        "[The guide](../guide.md) helps to choose; [the rules](../rules.md) have a page of their "
        f"own.\n\n---\n\n{NOTE}",
    ]
    return "\n\n".join(page) + "\n"


def rule_text(name: str, kind: Any) -> str:
    fields = [(f"`{n}`", shown(kind._field_defaults[n])) for n in kind._fields]
    users = [f"[{n}](algorithms/{n}.md)" for n, k in MEMBERS.items() if name in rule_names(k)]
    used = ", ".join(users) or f'`PerceptronClassifier("{name}")`'
    parameters = table(("parameter", "default"), fields)
    record = f"Record `rules.{kind.__name__}`, used by {used}."
    return f"## {name}\n\n{blocks(inspect.getdoc(kind) or '')}\n\n{parameters}\n\n{record}"


def rules_page() -> str:
    seen = re.findall(r"^    (\w+): (\w+)  # (.*)$", inspect.getsource(rules.Look), re.MULTILINE)
    looks = [(f"`{name}`", kind, text) for name, kind, text in seen]
    page = [
        "# Rules",
        "A rule decides when to update and how far: a function of the few numbers in `Look` that "
        "returns (a, c), meaning w <- c·w + a·y·x. R is the largest length of an example, g the "
        "best margin, u any fixed hypothesis; the constant feature counts in all of them.",
        table(("in `Look`", "type", "what it is"), looks),
        *(rule_text(name, kind) for name, kind in rules.RULES.items()),
        f"---\n\n{NOTE} See also [the estimators](algorithms/README.md).",
    ]
    return "\n\n".join(page) + "\n"


def pages() -> dict[Path, str]:
    """Every generated page, and the type stubs."""
    named = {PAGES / f"{name}.md": estimator_page(name, kind) for name, kind in MEMBERS.items()}
    return {PAGES / "README.md": index_page(), DOCS / "rules.md": rules_page()} | named | stubs()


# --- what depends on the machine ------------------------------------------------------------


def played(text: str) -> str:
    """A page whose code was run, with what each block prints in the text block right under it."""
    scope: dict[str, Any] = {"__name__": "page"}

    def renew(found: re.Match[str]) -> str:
        code, opening, closing = found[1], found[2], found[3]
        said = io.StringIO()
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, scope)
        under = f"{opening}{said.getvalue()}{closing}" if opening else ""
        return f"```python\n{code}```{under}"

    pattern = r"^```python\n(.*?)^```(?:(\n\n```text\n).*?^(```))?"
    return re.sub(pattern, renew, text, flags=re.DOTALL | re.MULTILINE)


def measured() -> dict[Path, bytes]:
    """The picture of the quick start; the pages that show what they print, and their pictures."""
    mpl.use("Agg")
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, str(QUICKSTART)], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
        with contextlib.chdir(folder):
            for page in SHOWN:
                made[page] = played(page.read_text(encoding="utf-8")).encode()
                plt.close("all")
        for picture in Path(folder).glob("*.png"):
            made[IMAGES / picture.name] = picture.read_bytes()
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is old")
    check = parser.parse_args().check
    wanted = {path: text.encode() for path, text in pages().items()}
    strays = set(PAGES.glob("*.md")) - set(wanted)
    wanted |= {} if check else measured()
    stale = [p for p, content in wanted.items() if not p.exists() or p.read_bytes() != content]
    for path in sorted({*stale, *strays}):
        print(("stale: " if check else "renewed: ") + str(path.relative_to(DOCS.parent)))
    if check:
        return 1 if stale or strays else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, wanted[path])
    for path in strays:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
