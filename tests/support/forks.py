"""Processes that find everything imported: to import it is most of what short ones do.

They fork from a server that has done nothing but import, as Python's multiprocessing has it. Dask's
workers do so where its configuration says "forkserver".
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import dask
from distributed.utils import get_mp_context

METHOD = {"distributed.worker.multiprocessing-method": "forkserver"}

with dask.config.set(METHOD):
    FORKS = get_mp_context()  # which has put Dask's packages on the list, that we make longer
FORKS.set_forkserver_preload([
    "distributed", "pandas", "scipy.stats", "pyarrow.csv", "pyarrow.parquet", "rich.progress",
    "rosenblatt.cli.commands", "rosenblatt.cli.local_fit", "rosenblatt.cli.saved_model",
    "rosenblatt.cluster", "rosenblatt.engine.execution", "rosenblatt.estimators",
    "rosenblatt.lab.app", "rosenblatt.proofs.search", "uvicorn",
])  # fmt: skip


def command(*arguments):
    """The command `rosenblatt`."""
    from rosenblatt.cli import main

    sys.argv = ["rosenblatt", *arguments]
    main()


def script(*arguments):
    """Python, with a script and its arguments."""
    sys.argv = list(arguments)
    runpy.run_path(arguments[0], run_name="__main__")


def forked(work, arguments, cwd, stdin=""):
    """What `subprocess.run` would tell of a command or a script."""
    with begun(work, arguments, cwd, stdin) as (process, streams):
        process.join()
        out, err = (path.read_text() for path in streams[1:])
        return subprocess.CompletedProcess(arguments, process.exitcode, out, err)


@contextmanager
def begun(work, arguments, cwd, stdin=""):
    """A command or a script under way, in a process of its own, and the files of its streams."""
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder) / name for name in ("in", "out", "err")]
        for path in streams:
            path.write_text(stdin if path.name == "in" else "")
        environment = os.environ | {"COLUMNS": "120"}
        given = [str(argument) for argument in arguments]
        process = FORKS.Process(target=_be, args=(work, given, cwd, streams, environment))
        process.start()
        yield process, streams
        process.join()


def _be(work, arguments, cwd, streams, environment):
    for number, path in enumerate(streams):
        os.dup2(os.open(path, os.O_RDWR | os.O_APPEND), number)
    sys.stdin = os.fdopen(0)
    sys.stdout.reconfigure(line_buffering=True)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    work(*arguments)
