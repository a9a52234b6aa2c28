"""How a command ends when it is interrupted, terminated, or its reader has gone.

The exit codes are those of a shell for a process that a signal ended: 128 and its number. Files are
left as they were, or complete, because the signals are raised as exceptions.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import Any

from rosenblatt.cli.output import show_error

EXIT_INTERRUPTED, EXIT_CLOSED_PIPE = 130, 141
ENDING = ("SIGTERM", "SIGHUP")
"""Signals that end a command as Ctrl-C does; Windows has no SIGHUP."""


class Terminated(BaseException):
    """A signal that ends the command, such as SIGTERM; no other package catches it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def raise_signals() -> None:
    """Let signals that end the process raise an exception, unless they are ignored."""
    for number in _numbers():
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminate)


def ignore_signals() -> None:
    """Ignore signals: everything is done but to exit."""
    for number in (signal.SIGINT, *_numbers()):
        signal.signal(number, signal.SIG_IGN)


def _numbers() -> list[Any]:
    return [getattr(signal, name) for name in ENDING if hasattr(signal, name)]


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated(number)


def report_interrupt(cause: BaseException | None) -> int:
    """Print that a command was interrupted and return the exit code."""
    if isinstance(cause, Terminated):
        show_error("terminated.")
        return 128 + cause.number
    show_error("interrupted.")
    return EXIT_INTERRUPTED


def flush_output() -> bool:
    """Write out what is printed; return False, and drop the rest, if nobody can read it."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        drop_output()
        return False
    return True


def drop_output() -> None:
    """Drop what is still to be printed, or the interpreter would try it again at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
