"""How quickly a command starts, and what it imports."""

from __future__ import annotations

import resource
import subprocess
import sys

from tests.cli.terminal import rosenblatt


def test_help_comes_at_once_and_imports_nothing_heavy():
    best = min(_timed("--help") for _ in range(5))
    assert best <= 0.4, f"{best:.2f} s"
    code = (
        "import sys\n"
        "from rosenblatt.cli.app import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([n for n in ('sklearn','numba','scipy','pyarrow','numpy') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]"), done.stdout[-200:]


def _timed(*arguments):
    """Seconds of work; the clock on the wall also counts what else the machine does."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    rosenblatt(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
