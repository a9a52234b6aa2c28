"""Workers that die and a scheduler that dies: the result is the same, bit for bit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import dask
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import Client, LocalCluster, Status

import rosenblatt as rb
from rosenblatt.cluster import DistributedPerceptron, rounds

pytestmark = pytest.mark.filterwarnings("ignore")
RUNS = 20
SOURCE = Path(__file__).parents[2] / "src"


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 40))
    return X, X @ rng.normal(size=40) + rng.normal(size=len(X)) > 0


def test_twenty_dead_workers_twenty_equal_models(tmp_path):
    X, y = data()
    columns = {f"x{j}": column for j, column in enumerate(X.T)} | {"y": np.where(y, "yes", "no")}
    for part in range(4):
        rows = slice(part * 5_000, (part + 1) * 5_000)
        table = pa.table({name: column[rows] for name, column in columns.items()})
        pq.write_table(table, tmp_path / f"{part}.parquet")
    given = [{"X": X, "y": y}, {"X": tmp_path, "target": "y"}]  # by turns from here and from files
    member = rb.AveragedPerceptron(max_iter=6, random_state=0)
    rng = np.random.default_rng(1)
    with (
        # A worker that is killed again while it is being replaced is to be replaced again.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"}),
        LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):

        def spread(**given):
            return DistributedPerceptron(member, shards=4, client=client).fit(**given)

        whole = [spread(**one) for one in given]
        usual = [float(np.median([told["seconds"] for told in one.rounds_])) for one in whole]
        killed = 0
        for run in range(RUNS):
            # One that is up: a nanny gives up if its worker dies before it has started.
            victims = [
                nanny.pid
                for nanny in cluster.workers.values()
                if nanny.status == Status.running and nanny.worker_address in client.nthreads()
            ]
            victim, kind = int(rng.choice(victims)), run % 2
            # At a random moment while shards are built (0), or of a round that is not the last.
            wait = float(rng.uniform(0, usual[kind]))
            timer = threading.Timer(wait, os.kill, (victim, signal.SIGKILL))
            moment = int(rng.integers(0, 5))
            if moment == 0:
                timer.start()

            def watch(number, told, moment=moment, timer=timer):
                if number == moment:
                    timer.start()

            again = spread(**given[kind], watch=watch)
            killed += timer.finished.is_set()
            timer.cancel()
            timer.join()
            assert np.array_equal(again.coef_, whole[kind].coef_)
            assert again.n_updates_ == whole[kind].n_updates_
        assert killed >= RUNS // 2  # the others had finished before


def test_a_cluster_without_workers_is_told(monkeypatch):
    monkeypatch.setattr(rounds, "PATIENCE", 0.5)
    X, y = data()
    member = rb.Perceptron(max_iter=50, random_state=0)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        pytest.raises(RuntimeError, match="no worker is left"),
    ):
        DistributedPerceptron(member, shards=2, client=client).fit(
            X, y, watch=lambda number, told: cluster.scale(0)
        )


SCRIPT = """
import sys, warnings
import numpy as np
import rosenblatt as rb
from rosenblatt.cluster import DistributedPerceptron

warnings.simplefilter("ignore")
if __name__ == "__main__":
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 40))
    y = X @ rng.normal(size=40) + rng.normal(size=len(X)) > 0
    member = rb.AveragedPerceptron(max_iter=30, random_state=0)
    clf = DistributedPerceptron(member, shards=3, client="local:2", verbose=1)
    clf.set_params(checkpoint=sys.argv[1]).fit(X, y)
"""


def fitted(checkpoint: str | None = None) -> DistributedPerceptron:
    """What the script makes, on a cluster of its own."""
    member = rb.AveragedPerceptron(max_iter=30, random_state=0)
    clf = DistributedPerceptron(member, shards=3, client="local:2", checkpoint=checkpoint)
    return clf.fit(*data())


def test_a_fit_whose_scheduler_died_goes_on(tmp_path):
    whole, checkpoint = fitted(), str(tmp_path / "rounds")
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, checkpoint], stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(SOURCE)}, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("round 7"):
            break
    os.killpg(process.pid, signal.SIGKILL)  # scheduler, client and workers at once
    process.wait()
    process.stdout.close()
    assert Path(checkpoint).exists()
    rest = fitted(checkpoint)
    assert np.array_equal(rest.coef_, whole.coef_)
    assert rest.n_updates_ == whole.n_updates_
