"""The command line: from a file to a model, its predictions, a proof or a report.

Each command is a module of `commands` and a thin client of the library. `main` runs one; heavy
modules are imported by the command that needs them, so that help appears at once.
"""

from __future__ import annotations

import sys
from typing import NoReturn

from rosenblatt.cli.ending import Terminated, raise_signals, report_interrupt
from rosenblatt.cli.output import EXIT_ERROR, show_error
from rosenblatt.data.extras import extra

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit the process; an error is one line on stderr."""
    raise_signals()
    try:
        with extra("cli", "the command line"):
            from rosenblatt.cli import app
    except ImportError as error:
        show_error(str(error))
        sys.exit(EXIT_ERROR)
    except (KeyboardInterrupt, Terminated) as interrupt:
        sys.exit(report_interrupt(interrupt))
    app.main(arguments)
