"""Journals that are damaged are rejected in one sentence that names the field."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from rosenblatt.storage.journal_file import COUNTERS
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.loops import Counters
from tests.support.fits import X, Y, fitted

JOURNAL = fitted("AveragedPerceptron", Y).journal_.to_dict()


def put(*path, value):
    def change(tree):
        for key in path[:-1]:
            tree = tree[key]
        tree[path[-1]] = value

    return change


def dropped(*path):
    def change(tree):
        for key in path[:-1]:
            tree = tree[key]
        del tree[path[-1]]

    return change


DAMAGE = {
    "another format": (put("format", value="rosenblatt-journal/2"), "another format"),
    "no config": (dropped("config"), "'config'"),
    "no rule": (dropped("config", "rule"), "config has rule"),
    "a config that is a list": (put("config", value=[]), "journal.config"),
    "no labels": (dropped("data", "labels"), "'labels'"),
    "labels that are not whole": (put("data", "labels", value=[0.5] * 150), "list of numbers"),
    "labels beyond the classes": (put("data", "labels", value=[3] * 150), "labels number"),
    "no column": (dropped("updates", "r"), "'r'"),
    "a column that is no list": (put("updates", "a", value={"a": 1}), "list of numbers"),
    "a column of another length": (put("updates", "a", value=[1.0]), "same length"),
    "an example beyond the data": (put("updates", "i", 0, value=150), "updates.i numbers"),
    "a negative example": (put("updates", "i", 0, value=-1), "i and r are not negative"),
    "a rival beyond the classes": (put("updates", "r", 0, value=3), "updates.r numbers"),
    "a huge example": (put("updates", "i", 0, value=1 << 64), "too large"),
    "a rival of more than 32 bits": (put("updates", "r", 0, value=1 << 40), "out of bounds"),
    "visits that fall": (put("updates", "t", 0, value=10**6), "t never falls"),
    "visits after the end": (put("counters", "t", value=3), "updates.t lies between"),
    "no counters": (dropped("counters"), "'counters'"),
    "a counter too few": (dropped("counters", "sa"), "counters has all counters"),
    "a counter that is a string": (put("counters", "k", value="3"), "counters has all counters"),
    "counters before that are a list": (put("start", "counters", value=[1]), "field is missing"),
    "no start": (dropped("start", "w"), "'w'"),
    "a start of uneven rows": (put("start", "w", 0, value=[1.0]), "inhomogeneous"),
    "a start of one number": (put("start", "w", value=1.0), "journal.start"),
    "passes of different lengths": (put("passes", "errors", value=[1]), "passes has a count"),
    "passes of strings": (put("passes", "visits", 0, value="150"), "passes has a count"),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_journal_is_rejected(case, tmp_path):
    change, words = DAMAGE[case]
    tree, path = json.loads(json.dumps(JOURNAL)), tmp_path / "journal.json"
    path.write_text(json.dumps(tree))
    assert len(Journal.load(path)) > 10
    change(tree)
    path.write_text(json.dumps(tree))
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        Journal.load(path)
    assert str(caught.value).startswith(f"{path} is not a journal of format")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" * 200 + b"]" * 200, "nested too deeply"),
        (b'{"format": NaN}', "NaN is not valid"),
        (b'{"format": 1, "format": 2}', "appears twice"),
        (b'{"format": ' + b"1" * 5000 + b"}", "digits"),
        (b"[]", "another format"),
    ],
)
def test_what_is_not_strict_json_is_rejected(content, words, tmp_path):
    (tmp_path / "journal.json").write_bytes(content)
    with pytest.raises(ValueError, match=words):
        Journal.load(tmp_path / "journal.json")


def test_a_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(FileNotFoundError):
        Journal.load(tmp_path / "none.json")


def test_the_counters_of_a_journal_are_those_of_a_run():
    assert list(COUNTERS) == list(Counters().named_for_journal())


def test_a_journal_that_was_read_replays_to_the_same_bits(tmp_path):
    clf = fitted("Perceptron", Y)
    clf.journal_.save(tmp_path / "journal.json")
    *_, (weights, _) = Journal.load(tmp_path / "journal.json").replay(X)
    assert np.array_equal(weights[:, :-1], clf.coef_)
