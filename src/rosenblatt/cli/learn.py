"""Commands that learn: fit and compare."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt import ESTIMATORS
from rosenblatt.cli.app import FINE, Json, app, emit, member, percent, plain, say, settings
from rosenblatt.cli.roles import Reads, Writes, data_files, validation_files

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, TSV, Parquet, Arrow, svmlight or IDX; packed or not; a file, a folder, a "
        "pattern, or - for standard input.",
    ),
    Reads(data_files),
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="The column to predict; svmlight and IDX have their own."),
]
Text = Annotated[
    list[str] | None,
    typer.Option("--text", help="A column of text, taken apart into words; may be repeated."),
]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", help="A column to leave out; may be repeated.")
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="A parameter of the estimator, name=value; may be repeated. help lists them."
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
Name = Annotated[
    str,
    typer.Option("--model", "-m", help="One of: " + ", ".join(ESTIMATORS) + ". Short names work."),
]


@app.command()
def fit(
    data: Data,
    target: Target = None,
    model: Name = "averaged",
    text: Text = None,
    drop: Drop = None,
    ngrams: Annotated[
        int,
        typer.Option(
            "--ngrams", min=1, max=5, help="Words in a row that make a feature of a text."
        ),
    ] = 1,
    validate: Annotated[
        str | None,
        typer.Option("--validate", help="Part of the rows to hold out, such as 0.2, or a file."),
        Reads(validation_files),
    ] = None,
    passes: Annotated[int, typer.Option("--passes", min=1, help="Passes at most.")] = 10,
    seed: Seed = 0,
    shuffle: Annotated[
        bool, typer.Option(help="Mix the rows; if not, they are learned as they stand.")
    ] = True,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file."), Writes()] = Path(
        "model.rbt"
    ),
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", help="A folder to save the state in on the way."),
        Writes(inside=("training.rbt", "rounds.npz")),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint, if there is one.")
    ] = False,
    every: Annotated[
        int, typer.Option("--every", min=1, help="Rows between two checkpoints inside a pass.")
    ] = 1_000_000,
    memory: Annotated[
        float,
        typer.Option("--memory", min=0.0, help="MB of rows to keep; more are read in every pass."),
    ] = 256.0,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", help="Learn on Dask: tcp://HOST:PORT, or local:4 for processes."),
    ] = None,
    shards: Annotated[
        int | None, typer.Option("--shards", min=1, help="Parts of the data on a cluster.")
    ] = None,
    mixing: Annotated[
        str, typer.Option("--mixing", help="On a cluster: shards count alike, or by mistakes.")
    ] = "uniform",
    set_: Set = None,
    json: Json = False,
) -> None:
    """Train a model from a file, streamed, and save it.

    [bold]Example[/bold]: rosenblatt fit adult.csv --target income --validate 0.2 --out adult.rbt
    """
    if resume and checkpoint is None:
        raise ValueError("--resume needs --checkpoint DIR, the folder that holds the state.")
    began, budget, seen = time.perf_counter(), memory * 2**20, None
    read: Any = None
    if cluster is None:
        from rosenblatt.cli.reading import meanwhile

        read = meanwhile(data, target, text, drop, validate, seed, budget=budget, ngrams=ngrams)
    kind = member(model)
    parameters = settings(set_ or [], kind)
    kind(**parameters)._settings()  # a bad value is said at once

    from rosenblatt.cli import tables
    from rosenblatt.cli.training import errors, relabel, spread
    from rosenblatt.storage import modelfile

    table: Any
    if cluster is not None:
        from rosenblatt.cli.spread import Spread, state
        from rosenblatt.cluster import DistributedPerceptron

        order = {} if shuffle or "shuffle" not in kind().get_params() else {"shuffle": False}
        remote = DistributedPerceptron(
            _fresh(kind, {"max_iter": passes} | order | parameters, seed), mixing=mixing,
            shards=shards, client=cluster, checkpoint=state(checkpoint, resume),
        )  # fmt: skip
        remote.check()
        table = Spread(remote, data, target, text, drop, validate, budget, ngrams)
        if not json:
            say(table.told())
        settled = plain({"model": kind.__name__, "parameters": parameters, "passes": passes})
        settled |= {"seed": seed, "cluster": cluster, "mixing": mixing}
        estimator, history, gone = table.fit(quiet=json)
    else:
        from rosenblatt.engine.compiled import ready

        ready()  # while the file is read
        stream, held = read()
        table = tables.Table(stream, data, seed, shuffle, held, validate, every)
        if not json:
            say(table.told())
        settled = _settled(kind, parameters, passes, seed, table)
        with _Bar(passes, table.rows, quiet=json) as bar:
            estimator, history, gone = _trained(
                kind, parameters, settled, table, passes, checkpoint, resume, every, bar
            )
            seen = errors(estimator, table.unmixed()) if table.kept else None
        relabel(estimator, table.stream.classes)
    tally = history[-1]
    result: dict[str, Any] = {
        "model": str(out),
        "estimator": type(estimator).__name__,
        "rows": tally.rows,
        "features": estimator.n_features_in_,
        "classes": estimator.classes_,
        "passes": len(history),
        "updates": estimator.n_updates_,
        "converged": bool(estimator.converged_),
        "learning_error": tally.mistakes / max(1, tally.rows),
        "training_error": None if seen is None else seen[0] / seen[1],
        "held_out_error": tally.held_error,
        "held_out_rows": tally.held_rows,
        "history": [vars(one) for one in history],
    }
    origin = {name: value for name, value in result.items() if name not in ("model", "classes")}
    origin |= {"settings": settled, "versions": versions(), **table.origin()}
    modelfile.save(estimator, out, recipe=table.recipe, provenance=plain(origin))
    seconds = time.perf_counter() - began
    if json:
        emit(result | {"seconds": seconds, "rows_per_second": gone})
        return
    _summary(estimator, result, data, target)
    held_error = tally.held_error
    if seen is None:
        line = f"error while learning {percent(result['learning_error'])} (each row predicted "
        line += "before it was learned)"
    else:
        line = f"training error {percent(result['training_error'])}"
    if held_error is not None:
        line += f"    held-out error {percent(held_error)}"
        line += f" ± {100 * spread(held_error, tally.held_rows):.2f}"
    say(line)
    _features(tables.strongest(estimator, table.recipe, 4))
    size = out.stat().st_size
    say(f"saved {out} ({size / 1024:,.0f} KB) in {seconds:.1f} s, {gone:,.0f} rows/s learning")
    say(f"next: rosenblatt predict {out} NEW.csv")
    raise typer.Exit(FINE)


def versions() -> dict[str, str]:
    """What a model was made with."""
    import platform

    import numpy as np

    import rosenblatt

    return {
        "rosenblatt": rosenblatt.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def _settled(
    kind: Any, parameters: dict[str, Any], passes: int, seed: int, table: Any
) -> dict[str, Any]:
    """What a resumed training must agree with."""
    settled = {"model": kind.__name__, "parameters": parameters, "passes": passes, "seed": seed}
    return plain(settled | table.settings())


def _fresh(kind: Any, parameters: dict[str, Any], seed: int) -> Any:
    """An estimator that counts no errors unless it is asked to: that is a pass for each pass."""
    quiet = {"count_errors": False} if "count_errors" in kind().get_params() else {}
    return kind(**(quiet | {"random_state": seed} | parameters))


def _trained(
    kind: Any, parameters: dict[str, Any], settled: dict[str, Any], table: Any, passes: int,
    checkpoint: Path | None, resume: bool, every: int, bar: Any,
) -> tuple[Any, list[Any], float]:  # fmt: skip
    """The fitted estimator, the passes, and rows a second."""
    from rosenblatt.cli.training import Tally, Training, errors

    estimator = _fresh(kind, parameters, settled["seed"])
    if hasattr(estimator, "partial_fit"):
        training = Training(
            estimator, table, passes=passes, checkpoint=checkpoint, every=every, settings=settled,
            recipe=table.recipe,
        )  # fmt: skip
        if resume:
            training.resume()
        elif checkpoint is not None and (checkpoint / "training.rbt").exists():
            raise ValueError(
                f"{checkpoint} holds a training already; add --resume to go on with it, or name "
                "an empty folder."
            )
        training.run(bar)
        speed = training.visited / max(training.seconds, 1e-9)
        return training.estimator, training.state.history, speed
    if checkpoint is not None:
        raise ValueError(f"{kind.__name__} learns from all rows at once; leave out --checkpoint.")
    if not table.kept:
        raise ValueError(
            f"{kind.__name__} learns from all rows at once, and they do not fit; raise --memory."
        )
    X, y = table.stream.all_rows()
    began = time.perf_counter()
    estimator.set_params(max_iter=parameters.get("max_iter", passes)).fit(X, y)
    seconds = time.perf_counter() - began
    made = int(estimator.pass_mistakes_[-1])
    wrong, rows = errors(estimator, table.held())
    last = Tally(len(y), int(estimator.n_updates_), made, rows, wrong)
    return estimator, [last], len(y) * estimator.n_iter_ / max(seconds, 1e-9)


def _summary(estimator: Any, result: dict[str, Any], data: str, target: str | None) -> None:
    """What is known of the data after training."""
    from rosenblatt.estimators.report import many

    last = result["history"][-1]
    if result["converged"]:
        say(
            f"separated: no update in pass {result['passes']} -> the last hypothesis classifies "
            f"the {result['rows']:,} training rows without error (proof)"
        )
        return
    hint = f"rosenblatt certify {data}" + (f" --target {target}" if target else "")
    say(
        f"not proved to be separated: {many(last['mistakes'], 'mistake')} while learning in pass "
        f"{result['passes']}   ({hint}  proves whether it is possible)"
    )


def _features(strongest: dict[Any, Any], classes: int = 4) -> None:
    """The strongest features, for a few classes."""
    for label, sides in list(strongest.items())[:classes]:
        up = ", ".join(f"{name} {weight:+.3g}" for name, weight in sides["positive"]) or "nothing"
        down = ", ".join(f"{name} {weight:+.3g}" for name, weight in sides["negative"]) or "nothing"
        say(f"raises {label}: {up}   lowers: {down}")


class _Bar:
    """A progress bar on stderr, if somebody may be looking."""

    def __init__(self, passes: int, rows: int | None, quiet: bool) -> None:
        self.bar: Any = None
        self.passes, self.rows, self.task = passes, rows, None
        self.wanted = not quiet and sys.stderr.isatty()

    def __enter__(self) -> _Bar:
        if self.wanted:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[told]}"),
                console=Console(stderr=True),
                transient=True,
            )
            self.bar.start()
            self.task = self.bar.add_task("reading", total=None, told="")
        return self

    def __exit__(self, *reason: Any) -> None:
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, progress: Any) -> None:
        if self.bar is None:
            return
        total = self.rows * self.passes if self.rows else None
        done = sum(tally.rows for tally in progress.history) + (
            0 if progress.now in progress.history else progress.now.rows
        )
        told = f"mistakes {progress.now.mistakes:,}"
        if progress.now.rows:
            told += f" · error while learning {percent(progress.now.mistakes / progress.now.rows)}"
        if progress.held_error is not None:
            told += f" · held-out {percent(progress.held_error)}"
        told += f" · {progress.visited / max(progress.seconds, 1e-9):,.0f} rows/s"
        words = f"pass {progress.number}/{progress.passes}"
        self.bar.update(self.task, description=words, total=total, completed=done, told=told)


@app.command()
def compare(
    data: Data,
    target: Target = None,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A member to compare; may be repeated. All if none."),
    ] = None,
    text: Text = None,
    drop: Drop = None,
    folds: Annotated[int, typer.Option("--folds", min=2, help="Folds of the comparison.")] = 5,
    passes: Annotated[int, typer.Option("--passes", min=1, help="Passes at most.")] = 20,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Cross-validate the family on a file and rank its members by error.

    [bold]Example[/bold]: rosenblatt compare wine.csv --target quality --model averaged --model AROW
    """
    from rosenblatt import compare as board
    from rosenblatt.cli import tables

    names = [member(name).__name__ for name in models] if models else None
    table = tables.learned(data, target, text, drop, None, seed, True, budget=float("inf"))
    X, y = table.whole()
    found = board(
        X, y, cv=folds, members=names, scale=False, max_iter=passes, random_state=seed,
        progress=not json,
    )  # fmt: skip
    if json:
        rows = {"rows": len(y), "features": X.shape[1], "folds": folds, "chance": found.chance}
        emit(rows | {"members": found.records()})
    else:
        say(str(found))
