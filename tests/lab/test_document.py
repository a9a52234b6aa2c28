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
from rosenblatt.storage.replay import run_document


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


def test_a_document_may_carry_samples_of_its_readout():
    data = TOYS["halfplanes"].make(n=20, seed=2)
    clf = MEMBERS["Perceptron"](random_state=0).fit(data.X, data.y)
    made = run_document(clf, data.X, data.y)
    assert schema.Document.model_validate(made).reads is None
    reads = {"t": [0, 20], "w": [[[0.0, 0.0, 0.0]], [[1.0, 2.0, 3.0]]]}
    read = schema.Document.model_validate(made | {"reads": reads})
    assert json.loads(read.model_dump_json())["reads"] == reads
