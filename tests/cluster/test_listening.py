"""Nothing of ours listens where another machine could reach it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.cluster import DistributedPerceptron
from tests.lab.conftest import Server

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux's /proc"),
]
LISTENS = "0A"
LOOPBACK = {"0100007F", "00000000000000000000000001000000"}  # 127.0.0.1 and ::1


def descendants(process):
    """A process and all that it has started."""
    children = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it has ended
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found = [process]
    for one in found:
        found += children.get(one, [])
    return found


def sockets(process):
    """The inodes of the sockets that a process holds."""
    found = set()
    with contextlib.suppress(OSError):  # it has ended
        for entry in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):  # it is closed by now, as the folder itself
                name = os.readlink(entry)
                if name.startswith("socket:["):
                    found.add(name[8:-1])
    return found


def listening(process):
    """The addresses at which a process, and all that it has started, listen."""
    own = set().union(*map(sockets, descendants(process)))
    found = []
    for table in ("tcp", "tcp6"):
        path = Path(f"/proc/net/{table}")
        lines = path.read_text().splitlines()[1:] if path.exists() else []
        fields = [line.split() for line in lines]
        found += [one[1].partition(":")[0] for one in fields if one[3] == LISTENS and one[9] in own]
    return found


@pytest.mark.parametrize("client", ["local:2", "local", None])
def test_a_local_cluster_listens_on_loopback_only(client):
    before, seen = len(listening(os.getpid())), []
    X = np.random.default_rng(0).normal(size=(60, 3))
    clf = DistributedPerceptron(rb.Perceptron(max_iter=2, random_state=0), client=client)
    clf.fit(X, X[:, 0] > 0, watch=lambda number, made: seen.append(listening(os.getpid())))
    # A scheduler and its dashboard; a worker and its nanny, each with a port for its state.
    assert len(seen[0]) >= before + 5
    assert set(seen[0]) <= LOOPBACK


def test_the_lab_listens_on_loopback_only():
    server = Server()
    try:
        assert listening(server.process.pid) == ["0100007F"]
    finally:
        server.stop()
