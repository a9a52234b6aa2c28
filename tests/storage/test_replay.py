"""Samples of a run: each belongs to its place in the journal."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from rosenblatt.storage.replay import SPAN, Samples, run_document
from tests.laws.cases import augmented, reals

DATA = reals(2, n=60)


def sampled(rule):
    """The replay document of a fit, with samples."""
    clf, samples = rb.PerceptronClassifier(rule, max_iter=3, random_state=0), Samples()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(DATA.X, DATA.y, observers=[samples])
    return run_document(clf, DATA.X, DATA.y, samples)


@pytest.mark.parametrize("rule", ["romma", "alma"])
def test_a_checkpoint_is_the_hypothesis_after_as_many_updates(rule):
    made = sampled(rule)
    updates, signed = made["updates"], DATA.y[:, None] * augmented(DATA.X, 1.0)
    after = [np.zeros(6)]
    for i, a, c in zip(updates["i"], updates["a"], updates["c"], strict=True):
        after.append(c * after[-1] + a * signed[i])
    numbers = np.array(made["checkpoints"]["k"])
    for number, rows in zip(numbers, made["checkpoints"]["w"], strict=True):
        np.testing.assert_allclose(rows[0], after[number], rtol=1e-7, atol=1e-9)
    for update in np.flatnonzero(np.array(updates["c"]) != 1.0):
        assert ((numbers > update) & (numbers <= update + SPAN)).any()


def test_steps_that_only_add_need_no_checkpoints():
    assert sampled("plain")["checkpoints"] == {"k": [], "w": []}
