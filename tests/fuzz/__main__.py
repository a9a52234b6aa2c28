"""Damage files in many ways: what loads must work, everything else must be a ValueError.

python -m tests.fuzz --cases 100000 --seconds 3600 --seed 0
python -m tests.fuzz --seed 0 --case 4567    one case again, with what it raises
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.campaign import Campaign

CASES, SECONDS = 100_000, 7200.0
RESULTS = Path("benchmarks/results/promises/fuzz.json")


def _folder() -> str | None:
    """Where to put files: in memory if there is a place, since each is saved with fsync."""
    shared = Path("/dev/shm")
    return str(shared) if shared.is_dir() and os.access(shared, os.W_OK) else None


def main() -> int:
    """Run the cases; return 1 if any failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES, help="how many to try")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time for all of them")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--case", type=int, help="try this one only, and show what it raises")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where to write them")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=_folder()) as folder:
        worker = [sys.executable, "-m", "tests.fuzz.worker", folder]
        subprocess.run(worker, check=True)
        if given.case is not None:
            case = [*worker, str(given.seed), str(given.case)]
            return subprocess.run(case, check=False).returncode
        campaign = Campaign(Path(folder), given.seed, given.cases, given.seconds, given.workers)
        report = campaign.run(show=lambda line: print(line, flush=True))
    given.results.parent.mkdir(parents=True, exist_ok=True)
    given.results.write_text(report.to_json())
    print(report.summary())
    if report.failures:
        print(f"see one again: python -m tests.fuzz --seed {given.seed} --case NUMBER")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
