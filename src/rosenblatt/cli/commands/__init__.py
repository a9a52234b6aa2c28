"""The commands, one module each.

Importing this package registers them with the application. A module holds the options of its
command and prints the result; the work is done elsewhere.
"""

from rosenblatt.cli.commands import (
    certify,
    compare,
    evaluate,
    export,
    fit,
    inspect,
    lab,
    predict,
    report,
    trace,
    verify,
)

__all__ = [
    "certify",
    "compare",
    "evaluate",
    "export",
    "fit",
    "inspect",
    "lab",
    "predict",
    "report",
    "trace",
    "verify",
]
