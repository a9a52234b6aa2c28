"""The application: how commands speak, fail and end.

Nothing heavy is imported here, nor by the files of the commands before one of them runs: help
must come at once.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from math import isfinite
from typing import Annotated, Any, NoReturn

import typer

from rosenblatt import ESTIMATORS, __version__
from rosenblatt.cli.roles import Command, guarded

FINE, NO, BAD = 0, 1, 2  # the answer is no; bad use or bad data
RARELY = 50_000
"""Objects that are made before a search for garbage: importing makes many, and all of them stay."""


class App(typer.Typer):
    """An application whose commands never write over their inputs."""

    def command(self, *names: Any, **options: Any) -> Callable[[Command], Command]:
        """Register a command, behind the check of its outputs."""
        register = super().command(*names, **options)
        return lambda function: register(guarded(function))


app = App(
    name="rosenblatt",
    help="The perceptron family: train it, prove it, watch it learn.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, for machines.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"rosenblatt {__version__}")
        raise typer.Exit(FINE)


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; works anywhere.")
    ] = False,
) -> None:
    """The perceptron family: train it, prove it, watch it learn.

    Exit codes: 0 fine, 1 the answer is no, 2 bad use or bad data.
    """


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command; every error is one line on stderr."""
    # Imported for their commands, which are told to the application as they are defined.
    from rosenblatt.cli import learn, page, prove, use, watch  # noqa: F401

    given = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in given
    given = [argument for argument in given if argument != "--debug"]
    warnings.showwarning = _note
    gc.set_threshold(RARELY)
    try:
        code = app(given, standalone_mode=False)
    except Exception as error:
        if debug:
            raise
        code = _failed(error)
    except KeyboardInterrupt:
        if debug:
            raise
        _err("interrupted.")
        code = 130
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    code = code if isinstance(code, int) else FINE
    if arguments is None and "dask" not in sys.modules:  # whose workers are to be told
        # To take the interpreter apart, module by module, takes as long as many a command.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _failed(error: Exception) -> int:
    """Say in one line what went wrong; the exit code."""
    if hasattr(error, "format_message"):  # of Typer: the command was not understood
        place = getattr(getattr(error, "ctx", None), "command_path", "rosenblatt")
        _err(f"{error.format_message()} See {place} --help.")
        return BAD
    if isinstance(error, typer.Abort):
        _err("interrupted.")
        return 130
    if isinstance(error, BrokenPipeError):
        # Who read our output has enough; the interpreter must not try to flush the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    if isinstance(error, OSError):
        name = error.filename2 or error.filename
        words = error.strerror or str(error)
        _err(f"{name}: {words}." if name else f"{words}.")
        return BAD
    if isinstance(error, MemoryError):
        _err("there is not enough memory for this.")
        return BAD
    if isinstance(error, (ValueError, TypeError, ImportError)):
        _err(str(error))
        return BAD
    _err(f"{type(error).__name__}: {error} (this should not happen; --debug shows where)")
    return BAD


def _err(words: str) -> None:
    print(f"rosenblatt: {' '.join(words.split())}", file=sys.stderr, flush=True)


def _note(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
    if category.__name__ in ("ConvergenceWarning", "UserWarning"):
        _err(f"note: {message}")


# --- speaking -------------------------------------------------------------------------------


def emit(document: Any) -> None:
    """Print a JSON document."""
    print(json.dumps(plain(document), allow_nan=False, ensure_ascii=False))


def plain(value: Any) -> Any:
    """Values as JSON has them: arrays are lists, what is not finite is null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value


def say(*words: Any) -> None:
    """Print for people."""
    from rich.console import Console

    Console(highlight=False, soft_wrap=True).print(*words, markup=False)


def percent(error: float) -> str:
    """An error rate."""
    return f"{100 * error:.2f} %"


def member(name: str) -> Any:
    """The estimator that a name stands for: its own, or without "perceptron", in any case."""
    wanted = name.lower().replace("-", "").replace("_", "")
    for own in ESTIMATORS:
        if wanted in (own.lower(), own.lower().removesuffix("perceptron")):
            import rosenblatt.cli.start  # noqa: F401 - scikit-learn, in half the time
            from rosenblatt.estimators import MEMBERS

            return MEMBERS[own]
    raise ValueError(f"--model {name} is not known; take one of {', '.join(ESTIMATORS)}.")


def settings(given: list[str], kind: Any) -> dict[str, Any]:
    """Return the parameters of an estimator that name=value sets; `help` prints them all."""
    from rosenblatt.estimators.parameters import declared, unknown

    known, found = declared(kind), {}
    for pair in given:
        name, equals, text = pair.partition("=")
        if pair == "help":
            _list_parameters(kind.__name__, known.values())
            raise typer.Exit(FINE)
        if not equals:
            raise ValueError(f"--set {pair} must be name=value; --set help lists the parameters.")
        if name not in known:
            raise ValueError(f"--set {pair}: {unknown(kind, name)}")
        found[name] = known[name].kind.parse(text)
    return found


def _list_parameters(estimator: str, parameters: Iterable[Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table("parameter", "type", "meaning", title=f"Parameters of {estimator}", box=None)
    for parameter in parameters:
        table.add_row(parameter.name, Text(parameter.words), Text(parameter.text))
    say(table)
