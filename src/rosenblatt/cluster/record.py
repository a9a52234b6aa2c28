"""The state of a fit between two rounds, as a file: to go on after the scheduler died."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.cluster.mix import Stand
from rosenblatt.storage import atomic

FORMAT = "rosenblatt-rounds/2"
NUMBERS = ("sa", "upper", "drift", "visits", "settled", "from_zero")


def _fingerprint(fit: Any) -> dict[str, Any]:
    """What must be the same for the rounds to go on."""
    plan, facts = fit.plan, fit.cluster.facts
    return {
        "estimator": type(plan.estimator).__name__,
        "parameters": {
            name: repr(value)
            for name, value in sorted(plan.estimator.get_params().items())
            if name not in ("max_iter", "verbose", "n_jobs")
        },
        "mixing": plan.mixing,
        "classes": [repr(label) for label in plan.classes.tolist()],
        "features": int(facts[0]["features"]),
        "recipe": fit.recipe
        and hashlib.sha256(json.dumps(fit.recipe.to_dict()).encode()).hexdigest(),
        "shards": [int(fact["counts"].sum()) for fact in facts],
    }


def write(path: Path, fit: Any) -> None:
    """Save the state, whole or not at all."""
    arrays: dict[str, Any] = {}
    for place, stand in enumerate(fit.stands):
        arrays[f"stand.{place}.h"] = stand.h
        if stand.total is not None:
            arrays[f"stand.{place}.total"] = stand.total
    if fit.best is not None:
        arrays |= {f"best.{place}": h for place, h in enumerate(fit.best[1])}
    before: list[list[dict[str, Any]]] = []
    for number, of_shard in enumerate(fit.before):
        plain = []
        for place, one in enumerate(of_shard):
            for name, array in one.get("readout", {}).items():
                arrays[f"readout.{number}.{place}.{name}"] = array
            plain.append({name: value for name, value in one.items() if name != "readout"})
        before.append(plain)
    meta = {
        "format": FORMAT,
        "fit": _fingerprint(fit),
        "stands": [{name: getattr(stand, name) for name in NUMBERS} for stand in fit.stands],
        "before": before,
        "rounds": fit.rounds,
        "best": None if fit.best is None else fit.best[0],
        "lower": fit.lower,
        "radius": fit.radius,
        "converged": fit.converged,
        "enough": fit.enough,
    }
    arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    content = io.BytesIO()
    np.savez(content, **arrays)
    atomic.write(path, content.getvalue())


def read(path: Path, fit: Any) -> None:
    """Put a fit where a saved one stood."""
    try:
        with np.load(path, allow_pickle=False) as file:
            saved = {name: file[name] for name in file.files}
        meta = json.loads(saved["meta"].tobytes())
        known = meta["format"] == FORMAT
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise ValueError(f"{path} is not a checkpoint of rounds; name another file.") from error
    if not known:
        raise ValueError(f"{path} has the format {meta['format']}, this version reads {FORMAT}.")
    mine = _fingerprint(fit)
    for what, value in meta["fit"].items():
        if mine.get(what) != value:
            raise ValueError(
                f"{path} is of a fit with other {what}; take that away, or name another file."
            )
    fit.stands = [
        Stand(saved[f"stand.{place}.h"], total=saved.get(f"stand.{place}.total"), **numbers)
        for place, numbers in enumerate(meta["stands"])
    ]
    fit.before = meta["before"]
    for name, array in saved.items():
        kind, *rest = name.split(".")
        if kind == "readout":
            number, place = int(rest[0]), int(rest[1])
            fit.before[number][place].setdefault("readout", {})[rest[2]] = array
    if meta["best"] is not None:
        fit.best = meta["best"], [saved[f"best.{place}"] for place in range(len(fit.stands))]
    fit.rounds, fit.lower, fit.radius = meta["rounds"], meta["lower"], meta["radius"]
    fit.converged, fit.enough = meta["converged"], meta["enough"]
