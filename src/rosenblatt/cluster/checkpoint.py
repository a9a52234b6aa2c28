"""The state of a fit between two rounds, as a file: to resume after the scheduler died."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rosenblatt.cluster.mix import Report
from rosenblatt.engine.state import State
from rosenblatt.storage import atomic
from rosenblatt.storage.codec import npz_content, read_npz


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


def read(path: Path, fit: Any) -> None:
    """Put a fit where a saved one was."""
    try:
        state = State.from_arrays(read_npz(path))
        settings = state.settings
        saved = dict(settings["fit"])
        settled = [bool(one) for one in settings["settled"]]
        reports = [[Report(**one) for one in of_shard] for of_shard in settings["reports"]]
        rounds = [dict(made) for made in settings["rounds"]]
        lower, radius = float(settings["lower"]), float(settings["radius"])
        converged, separated = bool(settings["converged"]), bool(settings["separated"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a checkpoint of rounds; name another file.") from error
    mine = _fingerprint(fit)
    for what in {*mine, *saved}:
        if mine.get(what) != saved.get(what):
            raise ValueError(
                f"{path} is of a fit with other {what}; take that away, or name another file."
            )
    fit.states, fit.settled, fit.reports, fit.rounds = state.runs, settled, reports, rounds
    fit.lower, fit.radius, fit.converged, fit.separated = lower, radius, converged, separated
