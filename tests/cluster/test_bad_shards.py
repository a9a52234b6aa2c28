"""A bad shard is named in one sentence, and the cluster is as good as before."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time

import dask
import numpy as np
import pytest
from dask import delayed
from distributed import Client, LocalCluster

import rosenblatt as rb
from rosenblatt.cluster import DistributedPerceptron, rounds

pytestmark = pytest.mark.filterwarnings("ignore")
GOOD = (np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]), [0, 1, 0])
LIMIT = 500_000_000  # bytes of a worker


@pytest.fixture(scope="module")
def client():
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=LIMIT,
            host="127.0.0.1", silence_logs=50,
        ) as cluster,
        Client(cluster) as one,
    ):  # fmt: skip
        yield one


@delayed
def hungry():
    """A shard that is more than a worker may hold."""
    held = [np.ones(10_000_000) for _ in range(LIMIT // 80_000_000 + 1)]
    time.sleep(30)  # to be found out
    return held[0][:, None], held[0]


@delayed
def endless():
    """A shard that is more than any machine can hold."""
    return np.ones((1 << 40, 1 << 10)), [0, 1]


def labelled(*labels, kind=None):
    return np.eye(len(labels), 2), np.array(labels, kind)


BAD = {
    "other width": (
        (np.eye(3), [0, 1, 1]),
        "shard 0 has 2 features and shard 1 has 3; all shards need the same.",
    ),
    "text for numbers": (
        labelled("0", "1"),
        "shard 0 has labels that are numbers and shard 1 has labels that are text; all shards "
        "need the same.",
    ),
    "booleans for numbers": (
        labelled(True, False),
        "shard 1 has labels that are booleans and shard 0 has labels that are numbers; all shards "
        "need the same.",
    ),
    "labels of two types": (
        labelled(1, "1", kind=object),
        "shard 1 has labels of the types int, str; make them all text or all numbers.",
    ),
    "labels that are missing": (
        labelled(0.0, np.nan),
        "shard 1, row 1: the label is nan, not a finite number. Fix or drop the row.",
    ),
    "dates": (
        labelled("2026-01-01", "2026-01-02", kind="datetime64[D]"),
        "shard 1 has labels of the type datetime64[D]; make them all text or all numbers.",
    ),
    "words for features": (
        (np.array([["a", "b"]], object), [0]),
        "shard 1 has features that are no numbers; encode them as numbers first.",
    ),
    "empty": ((np.zeros((0, 2)), []), "shard 1 is empty; leave it out."),
    "NaN": (
        (np.array([[1.0, 2.0], [3.0, np.nan]]), [0, 1]),
        "shard 1, row 1: feature 1 is nan, not a finite number. Fix or drop the row.",
    ),
}


def assert_works(client):
    """An ordinary fit on the same cluster."""
    fitted = DistributedPerceptron(rb.Perceptron(random_state=0), client=client).fit([GOOD, GOOD])
    assert fitted.converged_
    assert fitted.score(*GOOD) == 1.0


@pytest.mark.parametrize("case", BAD)
def test_a_bad_shard_is_named(client, case):
    bad, sentence = BAD[case]
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - compared below
        DistributedPerceptron(client=client).fit([GOOD, bad])
    assert str(raised.value) == sentence
    assert_works(client)


def test_one_class_only_is_named(client):
    one = np.eye(2), ["no", "no"]
    for shards, where in (([one], "shard 0"), ([one, one, one], "shard 0 and 2 more")):
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - compared below
            DistributedPerceptron(client=client).fit(shards)
        assert str(raised.value) == f"{where}: one class only, 'no'; a classifier needs two."
    # One shard may well have only one of the classes.
    assert DistributedPerceptron(client=client).fit([one, (np.eye(2), ["no", "yes"])]).n_iter_


def test_no_row_at_all_is_rejected():
    with pytest.raises(ValueError, match="there is no row to learn from; give at least two"):
        DistributedPerceptron().fit(np.zeros((0, 3)), [])


@pytest.mark.parametrize(
    ("shard", "sentence"),
    [
        (hungry, "shard 1 ended every worker that was given it, most likely because it does not "
         "fit into their memory; cut the data into more shards, or give the workers more memory."),
        (endless, "shard 1 does not fit into the memory of a worker; cut the data into more "
         "shards, or give the workers more memory."),
    ],
    ids=["killed", "MemoryError"],
)  # fmt: skip
def test_a_worker_that_runs_out_of_memory_names_the_shard(client, shard, sentence):
    with pytest.raises(RuntimeError) as raised:
        DistributedPerceptron(client=client).fit([GOOD, shard()])
    # With a worker that dies Dask suspects all that was waiting for it, too.
    assert str(raised.value).removeprefix("shard 0 or ") == sentence
    assert_works(client)


def test_shards_leave_the_workers_although_the_error_is_kept(client):
    with pytest.raises(ValueError, match="shard 1 is empty") as empty:
        DistributedPerceptron(client=client).fit([GOOD, BAD["empty"][0]])
    with pytest.raises(ValueError, match="all shards need the same") as other:
        DistributedPerceptron(client=client).fit([GOOD, BAD["other width"][0]])
    end = time.monotonic() + 10
    while any(key.startswith("shard-") for keys in client.has_what().values() for key in keys):
        assert time.monotonic() < end, client.has_what()
        time.sleep(0.05)
    assert empty.value.__traceback__ is not other.value.__traceback__


def test_an_address_without_a_scheduler_is_named():
    settings = {"distributed.comm.timeouts.connect": "500 ms"}
    for address in ("tcp://127.0.0.1:9", "localhost:9", "tls://127.0.0.1:9", "gopher://a:9"):
        with (
            dask.config.set(settings),
            pytest.raises(ConnectionError) as raised,
        ):
            DistributedPerceptron(client=address).fit([GOOD])
        assert str(raised.value) == (
            f"no scheduler of Dask answers at client={address!r}; start one there, or check the "
            "address and the certificates."
        )


def test_a_client_that_cannot_connect_is_closed_at_once():
    """Left to the garbage collector, it would close while the next holds the lock that it needs."""
    gc.disable()
    try:
        with pytest.raises(ConnectionError) as raised:
            DistributedPerceptron(client="tls://127.0.0.1:9").fit([GOOD])
        clients = [one for one in gc.get_objects() if issubclass(type(one), Client)]
        assert raised.value.__cause__ is not None
        assert "connecting" not in [one.status for one in clients]
    finally:
        gc.enable()


def test_a_worker_that_hangs_is_not_waited_for(client, monkeypatch):
    monkeypatch.setattr(rounds, "PATIENCE", 0.5)
    worker, process = next(iter(client.run(os.getpid).items()))
    # It has a task, so that the one shard goes to the other worker.
    busy = client.submit(time.sleep, 1, workers=[worker], pure=False)
    time.sleep(0.2)
    os.kill(process, signal.SIGSTOP)
    wake = threading.Timer(15, os.kill, (process, signal.SIGCONT))
    wake.start()
    try:
        began = time.monotonic()
        DistributedPerceptron(rb.Perceptron(random_state=0), client=client).fit([GOOD])
        assert time.monotonic() - began < 10
    finally:
        wake.cancel()
        os.kill(process, signal.SIGCONT)
        busy.release()
