"""Processes that find everything imported: to import it is most of what short ones do.

They fork from a server that has done nothing but import, as Python's multiprocessing has it. Dask's
workers do so where its configuration says "forkserver".
"""

from __future__ import annotations

import dask
from distributed.utils import get_mp_context

METHOD = {"distributed.worker.multiprocessing-method": "forkserver"}

with dask.config.set(METHOD):
    FORKS = get_mp_context()  # which has put Dask's packages on the list, that we make longer
FORKS.set_forkserver_preload([
    "distributed", "pandas", "scipy.stats", "pyarrow.csv", "pyarrow.parquet", "rich.progress",
    "rosenblatt.cli.learn", "rosenblatt.cli.tables", "rosenblatt.cluster", "rosenblatt.compiled",
    "rosenblatt.estimators", "rosenblatt.proofs.certify",
])  # fmt: skip
