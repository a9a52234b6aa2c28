"""The document of a run: whole, plain, and the same journal."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from rosenblatt import Journal
from rosenblatt.data.toys import TOYS
from rosenblatt.estimators import MEMBERS
from rosenblatt.lab import schema
from rosenblatt.lab.server import read_opening
from rosenblatt.storage.replay import run_document

READS = {"t": [1 << 60], "w": [[[0.0] * 3] * 3]}


@pytest.mark.parametrize("toy", [("halfplanes", {}), ("clouds", {"classes": 3})])
@pytest.mark.parametrize("name", MEMBERS)
def test_every_member_has_a_document_that_fits_the_schema(name, toy):
    data = TOYS[toy[0]].make(n=15, seed=1, **toy[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = MEMBERS[name](max_iter=3, random_state=0).fit(data.X, data.y)
    text = json.dumps(run_document(clf, data.X, data.y), allow_nan=False)
    read = schema.Document.model_validate_json(text)
    assert read.result.updates == clf.n_updates_
    assert read.config.algorithm == name
    assert len(read.others) == (2 if read.config.problem == "ovr" else 0)


def test_a_document_is_a_journal_that_loads(tmp_path):
    data = TOYS["halfplanes"].make(n=20, seed=2)
    clf = MEMBERS["Perceptron"](random_state=0).fit(data.X, data.y)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run_document(clf, data.X, data.y)))
    journal = Journal.load(path)
    for mine, own in zip(journal.updates, clf.journal_.updates, strict=True):
        assert np.array_equal(mine, own)
    assert journal.counters["k"] == clf.n_updates_


def put(*path, value):
    def change(tree):
        for key in path[:-1]:
            tree = tree[key]
        tree[path[-1]] = value

    return change


DAMAGE = {
    "an example that is not there": (put("updates", "i", 0, value=15), "updates.i"),
    "a class that is not there": (put("updates", "r", 0, value=3), "updates.r"),
    "columns of different lengths": (put("updates", "a", value=[1.0]), "differ in length"),
    "visits that do not ascend": (put("updates", "t", 0, value=10**6), "must ascend"),
    "visits beyond what a page can count": (put("reads", value=READS), "reads.t"),
    "a label too few": (put("data", "labels", value=[0, 1]), "label and a target"),
    "a target that is not there": (put("data", "targets", 0, value=3), "data.targets"),
    "points of different widths": (put("data", "points", 0, value=[1.0]), "differ in width"),
    "no rows of weights": (put("start", "w", value=[]), "rows of start.w"),
    "uneven rows of weights": (put("start", "w", 0, value=[1.0]), "rows of a hypothesis"),
    "checkpoints of another shape": (
        put("checkpoints", value={"k": [1], "w": [[[1.0]]]}), "same shape",
    ),
    "checkpoints without a hypothesis": (
        put("checkpoints", value={"k": [1], "w": []}), "hypothesis for each k",
    ),
    "a negative pass": (put("passes", "visits", 0, value=-1), "must be counts"),
    "passes of different lengths": (put("passes", "visits", value=[]), "differ in length"),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_document_is_rejected(case, tmp_path):
    """The page would look for points, classes or weights that are not there."""
    change, words = DAMAGE[case]
    data = TOYS["clouds"].make(n=15, seed=1, classes=3)
    clf = MEMBERS["Perceptron"](random_state=0, max_iter=3, multiclass="native", tol=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = run_document(clf.fit(data.X, data.y), data.X, data.y)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(made))
    assert read_opening(path).document is not None
    change(made)
    with pytest.raises(ValueError, match=words):
        schema.Document.model_validate(made)
    path.write_text(json.dumps(made))
    with pytest.raises(ValueError, match="is not a complete journal"):
        read_opening(path)


@pytest.mark.parametrize("content", ["{" * 5000, '{"a": ' * 5000, '{"a": 1, "a": 2}', "{\x00"])
def test_what_is_not_strict_json_is_no_document(content, tmp_path):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(ValueError, match="is not a complete journal"):
        read_opening(tmp_path / "run.json")


def test_a_document_may_carry_samples_of_its_readout():
    data = TOYS["halfplanes"].make(n=20, seed=2)
    clf = MEMBERS["Perceptron"](random_state=0).fit(data.X, data.y)
    made = run_document(clf, data.X, data.y)
    assert schema.Document.model_validate(made).reads is None
    reads = {"t": [0, 20], "w": [[[0.0, 0.0, 0.0]], [[1.0, 2.0, 3.0]]]}
    read = schema.Document.model_validate(made | {"reads": reads})
    assert json.loads(read.model_dump_json())["reads"] == reads
