"""`rosenblatt fit --cluster`, as a process against a real scheduler."""

from __future__ import annotations

import csv
import subprocess
import sys
import warnings

import numpy as np
import pytest
from distributed import LocalCluster

import rosenblatt as rb
from rosenblatt.storage import modelfile
from tests.cli.terminal import people, rosenblatt, told


@pytest.fixture(scope="module")
def address():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, protocol="tcp"
        )
    with cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("command")
    people(folder / "people.csv", rows=1500)
    people(folder / "new.csv", rows=200, seed=1)
    return folder


def test_fit_on_a_cluster_and_predict_without_dask(address, folder, tmp_path):
    done = rosenblatt(
        "fit", folder / "people.csv", "--target", "income", "--validate", folder / "new.csv",
        "--passes", 3, "--cluster", address, "--out", tmp_path / "model.rbt",
    )  # fmt: skip
    assert [line.split(":")[0] for line in done.stdout.splitlines() if "round" in line] == [
        "round 1", "round 2", "round 3",
    ]  # fmt: skip
    script = (
        "import sys; sys.modules['dask'] = sys.modules['distributed'] = None\n"
        "from rosenblatt.cli.app import main\n"
        f"main(['predict', {str(tmp_path / 'model.rbt')!r}, {str(folder / 'new.csv')!r}])"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()[1:]
    with open(folder / "new.csv", newline="") as file:
        labels = [row["income"] for row in csv.DictReader(file)]
    error = np.mean(np.array(found) != np.array(labels))
    assert f"held-out error {100 * error:.2f} %" in done.stdout
    assert modelfile.read(tmp_path / "model.rbt").provenance["shards"] == 2


def test_a_local_cluster_of_one_shard_is_the_local_estimator(folder, tmp_path):
    """With one shard, and rows as they stand, it ends in the bits of the fit of one machine."""
    options = ("--target", "income", "--passes", 3, "--no-shuffle")
    rosenblatt(
        "fit", folder / "people.csv", *options, "--cluster", "local:1", "--shards", 1,
        "--out", tmp_path / "spread.rbt",
    )  # fmt: skip
    rosenblatt("fit", folder / "people.csv", *options, "--out", tmp_path / "here.rbt")
    spread, here = (rb.load(tmp_path / name) for name in ("spread.rbt", "here.rbt"))
    assert np.array_equal(spread.coef_, here.coef_)
    assert spread.n_updates_ == here.n_updates_


def test_checkpoint_and_resume(address, folder, tmp_path):
    def fit(name, passes, *more, **options):
        return told(
            "fit", folder / "people.csv", "--target", "income", "--passes", passes,
            "--cluster", address, "--shards", 3, "--mixing", "mistakes",
            "--out", tmp_path / name, *more, **options,
        )  # fmt: skip

    fit("whole.rbt", 5)
    state = ("--checkpoint", tmp_path / "state")
    fit("half.rbt", 2, *state)
    result = fit("rest.rbt", 5, *state, "--resume")
    assert result["passes"] == 5
    whole, rest = (rb.load(tmp_path / name) for name in ("whole.rbt", "rest.rbt"))
    assert np.array_equal(whole.coef_, rest.coef_)
    again = rosenblatt(
        "fit", folder / "people.csv", "--target", "income", "--cluster", address, *state, code=2
    )
    assert "already holds a training" in again.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--cluster", "local:none"), "take 'local:4'"),
        (("--mixing", "median"), "mixing='median' is not known"),
        (("--model", "maxover"), "looks at all examples at once"),
        (("--validate", "2"), "must be between 0 and 1"),
    ],
)
def test_bad_use_is_one_line(address, folder, options, words):
    given = () if "--cluster" in options else ("--cluster", address)
    done = rosenblatt("fit", folder / "people.csv", "--target", "income", *given, *options, code=2)
    assert words in done.stderr
