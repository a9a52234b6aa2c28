"""Checkpoints of rounds that are damaged are rejected by the name of what is wrong."""

from __future__ import annotations

import json

import pytest

import rosenblatt as rb
from rosenblatt.cluster import DistributedPerceptron
from tests.fuzz.containers import STATE
from tests.support.fits import X, Y


@pytest.fixture(scope="module")
def client():
    from distributed import Client

    with Client(
        processes=False, n_workers=1, threads_per_worker=1, protocol="tcp://", host="127.0.0.1",
        dashboard_address="127.0.0.1:0", worker_dashboard_address="127.0.0.1:0",
    ) as made:  # fmt: skip
        yield made


def fit(client, path, rounds=2):
    member = rb.AveragedPerceptron(random_state=0, max_iter=rounds)
    return DistributedPerceptron(member, shards=2, client=client, checkpoint=path).fit(X, Y)


@pytest.fixture(scope="module")
def raw(client, tmp_path_factory):
    path = tmp_path_factory.mktemp("rounds") / "rounds"
    with pytest.warns(UserWarning, match="still made"):
        fit(client, path)
    return path.read_bytes()


def settings(tree):
    return tree["state"]["fields"]["settings"]["dict"]


def report(tree):
    return settings(tree)["reports"][0][0]["dict"]


def last_round(tree):
    return settings(tree)["rounds"][-1]["dict"]


DAMAGE = {
    "no reports": (lambda tree: settings(tree).pop("reports"), "settings.reports"),
    "a report too few": (lambda tree: settings(tree)["reports"][0].pop(), "shards"),
    "a shard too few": (lambda tree: settings(tree)["reports"].pop(), "shards"),
    "a negative count": (lambda tree: report(tree).update(visits=-1), "reports.0.visits"),
    "a huge count": (lambda tree: report(tree).update(updates=1 << 70), "reports.0.updates"),
    "more updates than visits": (lambda tree: report(tree).update(updates=10**6), "updates are"),
    "a generator without a state": (
        lambda tree: report(tree)["generator"]["dict"].pop("state"), "reports.0.generator",
    ),
    "a radius that is not finite": (
        lambda tree: report(tree).update(radius={"float": "nan"}), "reports.0.radius",
    ),
    "a flag that is a number": (lambda tree: settings(tree).update(converged=1), "converged"),
    "no rounds": (lambda tree: settings(tree).update(rounds=[]), "settings.rounds"),
    "a round without its updates": (lambda tree: last_round(tree).pop("updates"), "rounds.1"),
    "a round with text": (lambda tree: last_round(tree).update(seconds="1"), "rounds.1.seconds"),
    "another readout": (
        lambda tree: tree["state"]["fields"]["runs"][0]["fields"].update(
            readout={"record": "Last", "fields": {}}
        ),
        "runs, shards and features",
    ),
    "a flag too few": (lambda tree: settings(tree)["settled"].append(True), "runs, shards"),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_checkpoint_is_rejected(case, client, raw, tmp_path):
    change, words = DAMAGE[case]
    content, path = STATE.parse(raw), tmp_path / "rounds"
    change(content.tree)
    path.write_bytes(STATE.build(json.dumps(content.tree), content))
    with pytest.raises(ValueError, match=words) as caught:
        fit(client, path, 3)
    assert str(caught.value).startswith(str(path))
    assert "name another file" in str(caught.value)
