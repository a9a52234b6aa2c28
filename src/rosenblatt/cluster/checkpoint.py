"""The state of a fit between two rounds, as a file: to resume after the scheduler died."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rosenblatt.cluster.mix import Report
from rosenblatt.engine.schema import generator
from rosenblatt.engine.state import RunState, State
from rosenblatt.storage import atomic
from rosenblatt.storage.codec import (
    Integer,
    Kind,
    Test,
    either,
    flag,
    is_a,
    length,
    many,
    natural,
    nothing,
    npz_content,
    read_npz,
    real,
    some,
)


def _fingerprint(fit: Any) -> dict[str, Any]:
    """What must be the same for the rounds to go on."""
    facts = fit.cluster.facts
    return {
        "estimator": type(fit.estimator).__name__,
        "parameters": {
            name: repr(value)
            for name, value in sorted(fit.estimator.get_params().items())
            if name not in ("max_iter", "verbose", "n_jobs")
        },
        "mixing": fit.rounds_plan.mixing,
        "classes": [repr(label) for label in fit.plan.classes.tolist()],
        "features": int(facts[0]["features"]),
        "recipe": fit.recipe
        and hashlib.sha256(json.dumps(fit.recipe.to_dict()).encode()).hexdigest(),
        "shards": [int(fact["counts"].sum()) for fact in facts],
    }


def write(path: Path, fit: Any) -> None:
    """Save the state, whole or not at all."""
    settings = {
        "fit": _fingerprint(fit),
        "settled": fit.settled,
        "reports": [[asdict(one) for one in of_shard] for of_shard in fit.reports],
        "rounds": fit.rounds,
        "lower": fit.lower,
        "radius": fit.radius,
        "converged": fit.converged,
        "separated": fit.separated,
    }
    state = State(fit.plan.classes, fit.states, settings=settings)
    atomic.write(path, npz_content(state.to_arrays()))


REPORT = Kind(
    Report,
    dict.fromkeys(("visits", "updates", "mistakes", "made"), natural)
    | dict.fromkeys(("settled", "separated", "converged"), flag)
    | {"generator": generator, "radius": length, "errors": Integer(-1), "lower": real},
    {
        "updates are made at visits": lambda report: report.updates <= report.visits,
        "mistakes are visits": lambda report: report.mistakes <= report.visits,
    },
)
"""What a shard reports of a run."""

ROUND: dict[str, Test] = {
    **dict.fromkeys(("visits", "updates", "mistakes", "bytes"), natural),
    "errors": either(nothing, Integer(-1)),
    "seconds": length,
    "by_shard": many(natural),
}
"""What is known of a round; with held-out examples there is more."""

HELD_OUT: dict[str, Test] = {"held_out": length, "held_rows": natural}

SETTINGS: dict[str, Test] = {
    "fit": is_a(dict),
    "settled": many(flag),
    "reports": many(many(is_a(dict))),
    "rounds": some(is_a(dict)),
    "lower": real,
    "radius": length,
    "converged": flag,
    "separated": flag,
}
"""The state of a fit beside that of its runs."""


def read(path: Path, fit: Any) -> None:
    """Put a fit where a saved one was."""
    try:
        state = State.from_arrays(read_npz(path))
        settings, saved = _checked(state.settings), state.settings["fit"]
        reports = [
            [REPORT.make(one, f"reports.{shard}") for one in of_shard]
            for shard, of_shard in enumerate(settings["reports"])
        ]
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{path} is not a checkpoint of rounds ({error}); name another file."
        ) from error
    mine = _fingerprint(fit)
    for what in {*mine, *saved}:
        if mine.get(what) != saved.get(what):
            raise ValueError(
                f"{path} is of a fit with other {what}; take that away, or name another file."
            )
    if not _fits(state.runs, settings["settled"], reports, fit):
        raise ValueError(
            f"{path} does not have the runs, shards and features of this fit; name another file."
        )
    fit.states, fit.settled, fit.reports = state.runs, settings["settled"], reports
    fit.rounds, fit.lower, fit.radius = settings["rounds"], settings["lower"], settings["radius"]
    fit.converged, fit.separated = settings["converged"], settings["separated"]


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a fit; a ValueError names a field that is wrong."""
    rounds = settings.get("rounds")
    _check(SETTINGS, settings, "settings")
    for number, made in enumerate(rounds if isinstance(rounds, list) else []):
        _check(ROUND, made, f"rounds.{number}")
        if HELD_OUT.keys() & made:
            _check(HELD_OUT, made, f"rounds.{number}")
    return settings


def _check(tests: dict[str, Test], values: dict[str, Any], name: str) -> None:
    for field, test in tests.items():
        if field not in values or not test(values[field]):
            raise ValueError(f"{name}.{field} is missing, or not of its type and range")


def _fits(runs: list[RunState], settled: list[bool], reports: list[list[Report]], fit: Any) -> bool:
    """Return whether there is a state and a report for each run on each shard."""
    shapes = [run.hypothesis.shape for run in fit.states]
    return (
        [run.hypothesis.shape for run in runs] == shapes
        and all(run.position is None for run in runs)
        and all(type(run.readout) is type(fit.plan.readout) for run in runs)
        and len(settled) == len(shapes)
        and [len(of_shard) for of_shard in reports] == [len(shapes)] * len(fit.cluster)
    )
