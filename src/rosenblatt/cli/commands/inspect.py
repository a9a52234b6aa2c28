"""`rosenblatt inspect`: show what a model file holds."""

from __future__ import annotations

from typing import Any

from rosenblatt.cli.app import app
from rosenblatt.cli.options import Json, ModelFile, TopFeatures
from rosenblatt.cli.output import percent, print_json, show
from rosenblatt.storage.json_values import plain


@app.command()
def inspect(
    model: ModelFile,
    features: TopFeatures = 10,
    json: Json = False,
) -> None:
    """Show what a model holds: features by weight, its training and its origin.

    [bold]Example[/bold]: rosenblatt inspect adult.rbt --features 5
    """
    from rosenblatt.cli.saved_model import load_model, strongest_weights

    loaded = load_model(model)
    weights = strongest_weights(loaded.estimator, loaded.prepare, features)
    if json:
        print_json(_record(loaded, weights))
        return
    show(*_summary(loaded).split("\n"))
    _show_weights(weights)
    _show_history(loaded.provenance.get("history") or [])
    show("", f"made by rosenblatt {loaded.version}")
    for name in ("data", "digest", "rows", "target", "versions"):
        if name in loaded.provenance:
            show(f"{name}: {loaded.provenance[name]}")


def _record(loaded: Any, weights: dict[Any, Any]) -> dict[str, Any]:
    estimator = loaded.estimator
    return {
        "estimator": type(estimator).__name__,
        "version": loaded.version,
        "parameters": plain(estimator.get_params()),
        "classes": estimator.classes_,
        "features": estimator.n_features_in_,
        "top_features": weights,
        "summary": _summary(loaded),
        "provenance": loaded.provenance,
    }


def _summary(loaded: Any) -> str:
    """Return what is said of a model in a few lines."""
    if not loaded.tags:
        return str(loaded.estimator.summary(loaded.feature_names))
    from rosenblatt.cli.tagging import strongest_transitions

    estimator = loaded.estimator
    return "\n".join(
        [
            f"{type(estimator).__name__}: {len(estimator.classes_)} labels, "
            f"{estimator.n_features_in_:,} features, {estimator.n_updates_:,} updates in "
            f"{estimator.n_iter_} passes",
            "strongest transitions: "
            + ", ".join(
                f"{before} -> {label} {weight:+.3g}"
                for before, label, weight in strongest_transitions(estimator)
            ),
        ]
    )


def _show_weights(weights: dict[Any, Any]) -> None:
    for label, sides in weights.items():
        show("", str(label))
        for name, weight in [*sides["positive"], *sides["negative"]]:
            show(f"  {weight:+12.5g}  {name}")


def _show_history(history: list[dict[str, Any]]) -> None:
    """Print a line for each pass of the training."""
    if history:
        show("", "pass      rows   mistakes   held-out")
    for number, tally in enumerate(history, 1):
        rows = tally["held_out_rows"]
        error = percent(tally["held_out_errors"] / rows) if rows else ""
        show(f"{number:4d} {tally['rows']:9,} {tally['mistakes']:10,} {error:>10}")
