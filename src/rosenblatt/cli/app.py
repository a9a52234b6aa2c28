"""The application: the table of commands, errors and exit codes.

Nothing heavy is imported here, nor by the modules of the commands before one of them runs, so that
help appears at once.
"""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Annotated, Any, NoReturn

import typer

from rosenblatt import ESTIMATORS, __version__
from rosenblatt.cli.ending import (
    EXIT_CLOSED_PIPE,
    EXIT_INTERRUPTED,
    Terminated,
    drop_output,
    flush_output,
    ignore_signals,
    report_interrupt,
)
from rosenblatt.cli.file_roles import Command, with_checked_outputs
from rosenblatt.cli.output import EXIT_ERROR, EXIT_OK, show, show_error

GC_THRESHOLD = 50_000
"""Allocations between two garbage collections; imports allocate many objects, and all stay.

With this, and `gc.freeze` before the exit, fit of 150 rows takes 0.96 s instead of 1.33 s, predict
0.76 s instead of 0.98 s, --help 0.089 s instead of 0.102 s.
"""


class App(typer.Typer):
    """An application whose commands never overwrite their inputs."""

    def command(self, *names: Any, **options: Any) -> Callable[[Command], Command]:
        """Register a command, with a check of its outputs before it runs."""
        register = super().command(*names, **options)
        return lambda function: register(with_checked_outputs(function))


app = App(
    name="rosenblatt",
    help="The perceptron family: train it, prove it, watch it learn.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"rosenblatt {__version__}")
        raise typer.Exit(EXIT_OK)


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of an error; accepted by every command."),
    ] = False,
) -> None:
    """The perceptron family: train it, prove it, watch it learn.

    Exit codes: 0 success, 1 the answer is no, 2 wrong usage or bad data; 130 interrupted, 143
    terminated, 141 the reader of the output has gone.
    """


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit the process; an error is one line on stderr."""
    gc.set_threshold(GC_THRESHOLD)
    code = run(sys.argv[1:] if arguments is None else arguments)
    ignore_signals()
    flush_output()
    gc.freeze()  # else the interpreter searches all imported modules for garbage, to no purpose
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run a command and return its exit code; an error is one line on stderr."""
    debug = "--debug" in arguments
    given = [argument for argument in arguments if argument != "--debug"]
    with warnings.catch_warnings():  # restores showwarning
        warnings.showwarning = _show_warning
        try:
            from rosenblatt.cli import commands  # noqa: F401 (registers the commands)

            code = app(given, standalone_mode=False)
            if code == EXIT_INTERRUPTED:  # Typer has caught the interrupt
                code = report_interrupt(None)
            if sys.stdout is not None:
                sys.stdout.flush()
        except Exception as error:
            if debug and not isinstance(error, BrokenPipeError):
                raise
            code = _report(error)
        except (KeyboardInterrupt, Terminated) as interrupt:
            if debug:
                raise
            code = report_interrupt(interrupt)
        except SystemExit as end:
            # So Click and Rich end a program whose reader has gone.
            if not isinstance(end.__context__, BrokenPipeError):
                raise
            drop_output()
            code = EXIT_CLOSED_PIPE
    return code if isinstance(code, int) else EXIT_OK


def _report(error: Exception) -> int:
    """Print an error in one line and return the exit code."""
    if isinstance(error, BrokenPipeError):
        drop_output()
        return EXIT_CLOSED_PIPE
    if isinstance(error, typer.Abort):
        return report_interrupt(error.__cause__)
    show_error(_message(error))
    return EXIT_ERROR


def _message(error: Exception) -> str:
    """Return what to print about an error."""
    if hasattr(error, "format_message"):  # Typer rejects the command line
        command = getattr(getattr(error, "ctx", None), "command_path", "rosenblatt")
        return f"{error.format_message()} See {command} --help."
    if isinstance(error, OSError):
        name, reason = error.filename2 or error.filename, error.strerror or str(error)
        return f"{name}: {reason}." if name else f"{reason}."
    if isinstance(error, MemoryError):
        return "there is not enough memory."
    if isinstance(error, (ValueError, TypeError, ImportError)):
        return str(error)
    return f"{type(error).__name__}: {error} (this is a bug; --debug shows the traceback)"


def _show_warning(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print the warnings that are meant for users as notes, and drop the others."""
    if category.__name__ in ("ConvergenceWarning", "UserWarning"):
        show_error(f"note: {message}")


def member(name: str) -> Any:
    """Return the estimator of a name, in any case and with or without "perceptron"."""
    wanted = name.lower().replace("-", "").replace("_", "")
    for own in ESTIMATORS:
        if wanted in (own.lower(), own.lower().removesuffix("perceptron")):
            import rosenblatt.cli.fast_imports  # noqa: F401 (before the estimators)
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
            raise typer.Exit(EXIT_OK)
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
    show(table)
