"""From a file to a saved model, process start included: the command against its peers."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, tables
from benchmarks.files import RESIDENT, make
from benchmarks.peers import TARGET
from benchmarks.speed import COLUMNS

HELD = 100_000
"""Rows of covertype that nobody learns from."""
HELP = 0.4
PARTS = ("start", "covertype", "large")
NOTE = (
    "Seconds from the start of a process to its end, the model saved; rounds alternate and the "
    "best counts. Covertype: one pass, {held:,} rows to test and the others to learn; each process "
    "gets its own format, CSV or vw's text, and may use all {cores} cores. vw runs one-against-all "
    "with its default update on features that it scales itself; scikit-learn is pandas' read_csv, "
    "StandardScaler and SGDClassifier(loss='perceptron', average=True), saved with joblib. What "
    "pyarrow takes to read the file, in a process that does nothing else, is the least that a "
    "program in Python can take; a third of vw's time is less than that. The "
    "large files are made for the benchmark, {size:.2g} GB of text; pyarrow only reads their "
    "columns, batch by batch."
)


# --- accuracy on the rows held out ----------------------------------------------------------


def sklearn_accuracy(folder: Path) -> float:
    import joblib
    import pandas as pd

    table = pd.read_csv(folder / "test.csv")
    y = table.pop(TARGET)
    return float(joblib.load(folder / "model.joblib").score(table, y))


def vw_accuracy(folder: Path) -> float:
    from vowpalwabbit import Workspace

    out = folder / "answers.txt"
    words = f"-t -i {folder / 'model.vw'} -d {folder / 'test.vw'} -p {out} --quiet"
    Workspace(words).finish()
    truth = [int(line.split(b" ", 1)[0]) for line in (folder / "test.vw").open("rb")]
    return float(np.mean(np.loadtxt(out) == truth))


def our_accuracy(folder: Path) -> float:
    words = [*OURS, "evaluate", str(folder / "model.rbt"), str(folder / "test.csv"), "--json"]
    told = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    return float(told["accuracy"])


# --- files ----------------------------------------------------------------------------------


def covertype(folder: Path, rows: int | None) -> None:
    """Mixed rows as CSV and as vw's text: to learn and to test."""
    import pandas as pd

    table = pd.read_csv(data.folder() / "tabular" / "covtype.csv.gz")
    table = table.sample(frac=1.0, random_state=0)[: None if rows is None else rows + HELD]
    for name, part in (("test", table[:HELD]), ("train", table[HELD:])):
        part.to_csv(folder / f"{name}.csv", index=False)
        cells, labels = part.drop(columns=TARGET).to_numpy(), part[TARGET].tolist()
        with open(folder / f"{name}.vw", "w") as file:
            for label, row in zip(labels, cells.tolist(), strict=True):
                pairs = " ".join(f"{j}:{v}" for j, v in enumerate(row) if v)
                file.write(f"{label} | {pairs}\n")


# --- measuring ------------------------------------------------------------------------------

OURS = [sys.executable, "-m", "rosenblatt"]
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
"""As where a package is installed, with its bytecode."""


def run(words: list[str]) -> tuple[float, float]:
    """Wall seconds of a process, and the megabytes it held at most."""
    started, most = time.perf_counter(), 0.0
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    # Asked for on the way: what the system tells at the end counts this process, too, whose
    # memory was the other's until it started its program.
    while process.poll() is None:
        most = max(most, held(process.pid))
        time.sleep(0.01)
    seconds = time.perf_counter() - started
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}.")
    return seconds, most


def held(pid: int) -> float:
    """Megabytes that a process has had resident at most, so far."""
    try:
        facts = Path(f"/proc/{pid}/status").read_text()
    except OSError:  # it has ended
        return 0.0
    found = [line.split()[1] for line in facts.splitlines() if line.startswith("VmHWM:")]
    return int(found[0]) / 1024 if found else 0.0


def other(name: str, path: Path) -> list[str]:
    return [sys.executable, "-m", "benchmarks.peers", name, str(path)]


def fit(source: Path, target: str, out: Path, *more: str) -> list[str]:
    return [*OURS, "fit", str(source), "--target", target, "--passes", "1", "-o", str(out), *more]


def rounds_of(commands: dict[str, list[str]], rounds: int) -> dict[str, tuple[float, float]]:
    """Least seconds and most megabytes of each command; the first round is not counted."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, words in commands.items():
            measured = run(words)
            if number:
                found[name].append(measured)
    return {name: (min(m)[0], max(megabytes for _, megabytes in m)) for name, m in found.items()}


def line(what: str, ours: str, against: str, ratio: str, bar: str, holds: bool) -> dict[str, Any]:
    cells = (what, ours, against, ratio, bar, "yes" if holds else "NO")
    return dict(zip(COLUMNS, cells, strict=True))


def faster(what: str, ours: float, peer: str, theirs: float, bar: float) -> dict[str, Any]:
    ratio = theirs / ours
    told = (f"{ours:.2f} s", f"{peer}: {theirs:.2f} s", f"{ratio:.2f} faster", f">= {bar:g}")
    return line(what, *told, ratio >= bar)


def models(folder: Path, rounds: int, rows: int | None) -> list[dict[str, Any]]:
    """Covertype: seconds and accuracy of the three."""
    covertype(folder, rows)
    commands = {
        "ours": fit(folder / "train.csv", TARGET, folder / "model.rbt", "--model", "averaged"),
        "vw": other("vw", folder),
        "sklearn": other("sklearn", folder),
        "parse": other("parse", folder),
    }
    times = {name: seconds for name, (seconds, _) in rounds_of(commands, rounds).items()}
    what = "covertype, file to model"
    table = [
        faster(what, times["ours"], "vw", times["vw"], 3),
        faster(what, times["ours"], "pandas + scikit-learn", times["sklearn"], 2),
        {
            "what": f"{what}: reading alone", "ours": f"{times['ours']:.2f} s",
            "against": f"pyarrow's read_csv: {times['parse']:.2f} s",
            "ratio": f"{times['parse'] / times['ours']:.2f} of the time",
        },
    ]  # fmt: skip
    ours = our_accuracy(folder)
    for peer, theirs in (
        ("vw", vw_accuracy(folder)),
        ("pandas + scikit-learn", sklearn_accuracy(folder)),
    ):
        told = (f"{100 * ours:.2f} %", f"{peer}: {100 * theirs:.2f} %", "", "no lower")
        table.append(line("covertype, accuracy on the rows held out", *told, ours >= theirs))
    return table


def large(folder: Path, size: float, rounds: int) -> list[dict[str, Any]]:
    """Files that fit no memory: a pass against plain reading, and what is held."""
    table = []
    for path in make(folder, size):
        commands = {
            "ours": fit(
                path, "label", folder / "large.rbt", "--memory", "0", "--model", "perceptron"
            ),
            "read": other("read", path),
        }
        found = rounds_of(commands, rounds)
        (ours, held), (theirs, _) = found["ours"], found["read"]
        what = f"one pass, {path.suffix[1:]}, {path.stat().st_size / 1e9:.2f} GB"
        table.append(faster(what, ours, "pyarrow reading", theirs, 0.6))
        told = (f"{held:.0f} MB resident", "", "", f"<= {RESIDENT} MB")
        table.append(line(what, *told, held <= RESIDENT))
        path.unlink()
    return table


def start(rounds: int) -> dict[str, Any]:
    seconds = rounds_of({"help": [*OURS, "--help"]}, 2 * rounds)["help"][0]
    told = (f"{seconds:.2f} s", "", "", f"<= {HELP} s")
    return line("rosenblatt --help", *told, seconds <= HELP)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=4.0, help="of the files made")
    parser.add_argument("--rows", type=int, help="of covertype to learn from (default: all)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--parts", nargs="*", choices=PARTS, default=PARTS, help="what to measure (default: all)"
    )
    parser.add_argument("--dry", action="store_true", help="print, and record nothing")
    options = parser.parse_args()
    rows = [start(options.rounds)] if "start" in options.parts else []
    with tempfile.TemporaryDirectory() as name:
        if "covertype" in options.parts:
            rows += models(Path(name), options.rounds, options.rows)
        if "large" in options.parts:
            rows += large(Path(name), options.gigabytes, max(1, options.rounds - 1))
    told = {
        (line["what"], line.get("bar"), line["against"].partition(":")[0]): line
        for line in [*tables.kept("command"), *rows]
    }
    note = NOTE.format(held=HELD, cores=os.cpu_count(), size=options.gigabytes)
    if options.dry:
        print(tables.markdown(COLUMNS, rows))
    else:
        tables.record("command", "From a file to a saved model", note, COLUMNS, [*told.values()])


if __name__ == "__main__":
    main()
