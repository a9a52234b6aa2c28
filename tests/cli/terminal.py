"""The command as a person or a script meets it: a process, files, exit codes."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys

import numpy as np

from tests.support.forks import command, forked


def rosenblatt(*arguments, code=0, cwd=None, stdin="", limit=None):
    """Run the command; its output. The exit code must be the one expected, if one is."""
    given = [str(argument) for argument in arguments]
    if limit or any(argument.startswith("local:") for argument in given):
        done = subprocess.run(
            [sys.executable, "-m", "rosenblatt", *given], capture_output=True, text=True, cwd=cwd,
            input=stdin, check=False, preexec_fn=limit, env=os.environ | {"COLUMNS": "120"},
        )  # fmt: skip
    else:
        done = forked(command, given, cwd or os.getcwd(), stdin)
    assert code in (done.returncode, None), f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    if code == 2:
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1, done.stderr
        assert done.stderr.startswith("rosenblatt: ")
    return done


def told(*arguments, **options):
    """The JSON that a command prints."""
    return json.loads(rosenblatt(*arguments, "--json", **options).stdout)


def people(path, rows=600, seed=0, noise=0.1):
    """A table with numbers, categories, a flag, missing cells and a label that depends on them."""
    draw = np.random.default_rng(seed)
    age, hours = draw.integers(18, 80, rows), draw.normal(40, 10, rows).round(1)
    town = draw.choice(["Linz", "Graz", "Wien"], rows)
    owner = draw.choice(["true", "false"], rows)
    score = (age - 49) / 18 + (hours - 40) / 10 + (town == "Wien") * 1.5 - (owner == "true")
    label = np.where(score + noise * draw.normal(size=rows) > 0.3, "rich", "poor")
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["age", "hours", "town", "owner", "income"])
        for number, row in enumerate(zip(age, hours, town, owner, label, strict=True)):
            out.writerow(["" if number % 50 == 7 and j == 1 else v for j, v in enumerate(row)])
    return path


def blobs(path, rows=300, seed=0, apart=6.0, classes=3):
    """Points in the plane in so many clouds; far apart they are separable."""
    draw = np.random.default_rng(seed)
    label = draw.integers(0, classes, rows)
    angle = 2 * np.pi * label / classes
    X = draw.normal(size=(rows, 2)) + apart * np.column_stack([np.cos(angle), np.sin(angle)])
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["x", "y", "cloud"])
        out.writerows((f"{x:.4f}", f"{y:.4f}", f"c{c}") for (x, y), c in zip(X, label, strict=True))
    return path
