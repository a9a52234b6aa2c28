"""What commands leave out of their imports can still be imported later."""

from __future__ import annotations

import subprocess
import sys


def test_scipy_stats_can_be_imported_afterwards():
    code = (
        "import rosenblatt.cli.fast_imports, scipy, numpy as np\n"
        "from sklearn.utils.fixes import _mode\n"
        "print(float(scipy.stats.norm.cdf(0.0)), int(_mode(np.array([2, 1, 2])).mode[0]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0.5", "2"]


def test_a_command_imports_neither_scipy_stats_nor_pandas():
    code = (
        "import sys, rosenblatt.cli.local_fit\n"
        "print([name for name in ('scipy.stats', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
