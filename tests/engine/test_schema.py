"""The kinds that a state consists of: their parts fit together, or they are rejected."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from rosenblatt.engine.outcome_schema import check_features, outcome_kinds
from rosenblatt.engine.schema import build_kinds, labels
from rosenblatt.engine.state import Pass, RunState, State
from rosenblatt.models import Expansion, Linear
from rosenblatt.storage.codec import Packer, Unpacker
from rosenblatt.theory.budgets import BUDGETS
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.readouts import Averaged, Readout
from rosenblatt.theory.rules import RULES
from rosenblatt.theory.similarity import Similarity
from tests.models.cases import voted
from tests.support.fits import LABELS, X, Y, fitted

KINDS = outcome_kinds()


def test_every_rule_policy_and_readout_has_a_kind():
    for kind in (*RULES.values(), *BUDGETS.values(), *Readout.KINDS.values()):
        assert KINDS[kind.__name__].type is kind


def test_a_readout_that_is_defined_later_has_a_kind():
    class Strange(Readout):
        pass

    try:
        assert build_kinds()["Strange"].type is Strange
    finally:
        del Readout.KINDS["Strange"]


def test_labels_are_finite_and_of_one_dimension():
    for good in (*LABELS.values(), np.array([1.0, 2.0], np.float32)):
        assert labels(good)
    for bad in (np.array([1.0, nan]), np.ones((1, 2)), np.array([b"a"]), ["a", "b"], None):
        assert not labels(bad)


def rejected(record):
    """Return whether an object of some kind cannot be read again."""
    packer = Packer(KINDS)
    packed = packer.pack(record, "state")
    try:
        Unpacker(packer.arrays, KINDS).unpack(packed, "state")
    except ValueError:
        return True
    return False


def changed(runs, **changes):
    """The same runs with another history."""
    return replace(runs, histories=[replace(runs.histories[0], **changes)])


@pytest.mark.parametrize("classes", [1, 3])
def test_a_history_has_a_code_a_life_and_a_length_for_every_hypothesis(classes):
    one = voted(0, classes).histories[0]
    assert not rejected(one)
    assert not rejected(replace(one, lengths=None))
    for wrong in (
        replace(one, codes=one.codes[1:]),
        replace(one, lives=one.lives[1:]),
        replace(one, lengths=one.lengths[1:]),
        replace(one, codes=np.full(12, 3)),
        replace(one, codes=np.full(12, -2)),
    ):
        assert rejected(wrong)


def test_the_parts_of_voted_runs_fit_together():
    runs = voted(0)
    one = runs.histories[0]
    visits, number = int(one.lives.sum()), one.updates.i.copy()
    number[3] = 5
    assert not rejected(runs)
    assert not rejected(replace(runs, reading="avg_norm", moment=visits - 1))
    assert not rejected(changed(runs, start=np.zeros(5)))
    for wrong in (
        replace(runs, histories=[]),
        replace(runs, reading="mean"),
        replace(runs, moment=visits),
        replace(runs, moment=-1),
        replace(runs, supports=runs.supports[:, 1:]),
        changed(runs, start=Linear(np.zeros((1, 4)), np.zeros(1))),
        changed(runs, start=np.zeros(4)),
        changed(runs, updates=one.updates._replace(i=number)),
        changed(runs, updates=one.updates._replace(i=-one.updates.i - 1)),
        replace(changed(runs, lengths=None), reading="last_norm"),
    ):
        assert rejected(wrong)


# --- states ---------------------------------------------------------------------------------


def averaged(shape):
    readout = Averaged()
    readout.total, readout.visits = np.ones(shape), 5
    return readout


RUN = RunState(np.ones((1, 3)), passes=[Pass(4, 1, 1, 0)], readout=averaged((1, 3)))
STATE = State(np.array([0, 1]), [RUN])


def with_run(**changes):
    return replace(STATE, runs=[replace(RUN, **changes)])


@pytest.mark.parametrize(
    "wrong",
    [
        replace(STATE, classes=np.array([1, 0])),
        replace(STATE, classes=np.array([0])),
        replace(STATE, classes=np.array([0, 0])),
        replace(STATE, runs=[]),
        replace(STATE, runs=[RUN, RUN, RUN]),
        replace(STATE, classes=np.array([0, 1, 2]), runs=[RUN, RUN]),
        replace(STATE, examples=np.ones((2, 3))),
        replace(STATE, finished=1),
        with_run(hypothesis=np.ones(3)),
        with_run(hypothesis=np.ones((1, 3), np.float32)),
        with_run(hypothesis=np.array([[1.0, nan, 1.0]])),
        with_run(readout=averaged((1, 2))),
        with_run(readout=averaged((2, 3))),
        with_run(counters=Counters(t=-1)),
        with_run(counters=Counters(k=True)),
        with_run(passes=[(1, 2, 3, 4)]),
        with_run(memory={"support": ["a"]}),
    ],
)  # fmt: skip
def test_a_state_whose_parts_do_not_fit_is_rejected(wrong):
    assert not rejected(STATE)
    assert rejected(wrong)


@pytest.mark.parametrize("support", [np.array([3]), np.array([-1]), np.array([0.0]), np.array(0)])
def test_the_support_set_of_a_kernel_run_consists_of_its_examples(support):
    def state(support):
        run = replace(RUN, memory={"support": support, "damage": np.ones(2)})
        return replace(STATE, runs=[run], examples=np.ones((3, 2)))

    assert not rejected(state(np.array([1, 2])))
    assert rejected(state(support))


# --- outcomes -------------------------------------------------------------------------------


LINEAR = fitted("AveragedPerceptron").outcome_
TWO = fitted("Perceptron", y=Y == 1).outcome_
KERNEL = fitted("KernelPerceptron", kernel="poly", degree=2, readout="voted").outcome_


def with_journal(**changes):
    return replace(LINEAR, journals=[replace(LINEAR.journals[0], **changes)])


def with_last_readout(change):
    """The outcome of a vote whose readout refers to examples again."""
    outcome = fitted("VotedPerceptron").outcome_
    runs = [replace(run, readout=run.readout.copy()) for run in outcome.state.runs]
    for run in runs:
        change(run.readout)
    return replace(outcome, state=replace(outcome.state, runs=runs))


@pytest.mark.parametrize(
    "wrong",
    [
        replace(LINEAR, classes=LINEAR.classes[::-1]),
        replace(LINEAR, classes=LINEAR.classes[:2]),
        replace(LINEAR, pass_errors=LINEAR.pass_errors[1:]),
        replace(LINEAR, pass_errors=LINEAR.pass_errors[:0], pass_mistakes=LINEAR.pass_errors[:0]),
        replace(LINEAR, bracket=(0.0, nan)),
        replace(LINEAR, bracket=[0.0, 1.0]),
        replace(LINEAR, radius="1"),
        replace(LINEAR, hypothesis=KERNEL.hypothesis),
        replace(LINEAR, hypothesis=KERNEL.hypothesis, last=KERNEL.last),
        replace(LINEAR, predictor=KERNEL.predictor),
        replace(LINEAR, support=KERNEL.support),
        replace(LINEAR, state=KERNEL.state),
        replace(LINEAR, state=replace(LINEAR.state, classes=np.array([0, 1, 5]))),
        replace(LINEAR, journals=LINEAR.journals * 2),
        replace(TWO, state=replace(TWO.state, runs=TWO.state.runs * 2)),
        replace(KERNEL, support=None),
        replace(KERNEL, support=KERNEL.support[1:]),
        replace(KERNEL, support_vectors=None),
        replace(KERNEL, support_vectors=KERNEL.support_vectors[1:]),
        replace(KERNEL, lengths=None),
        replace(KERNEL, lengths=np.ones(2)),
        with_journal(config={}),
        with_journal(passes={}),
        with_journal(counters={}),
        with_journal(labels=LINEAR.journals[0].labels[:1]),
        with_last_readout(lambda readout: setattr(readout, "t0", 0)),
    ],
)  # fmt: skip
def test_an_outcome_whose_parts_do_not_fit_is_rejected(wrong):
    assert not any(map(rejected, (LINEAR, TWO, KERNEL)))
    assert rejected(wrong)


def other_kernel(**changes):
    kernel = replace(KERNEL.hypothesis.similarity, **changes)

    def changed(model):
        return replace(model, similarity=kernel)

    return replace(
        KERNEL,
        predictor=changed(KERNEL.predictor),
        hypothesis=changed(KERNEL.hypothesis),
        last=changed(KERNEL.last),
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (replace(LINEAR, predictor=Linear(np.ones((3, 5)), np.ones(3))), "predictor"),
        (replace(LINEAR, last=Linear(np.ones((3, 5)), np.ones(3))), "predictor"),
        (replace(KERNEL, support_vectors=KERNEL.support_vectors[:, 1:]), "support vectors"),
        (replace(KERNEL, state=replace(KERNEL.state, examples=np.ones((9, 3)))), "examples"),
        (replace(LINEAR, state=replace(STATE, classes=LINEAR.classes)), "further learning"),
        (other_kernel(kernel="nonsense"), "nonsense"),
        (other_kernel(kernel="laplacian", more={"gamma": "a"}), "kernel"),
    ],
)
def test_an_outcome_that_does_not_fit_the_features_is_rejected(wrong, words):
    check_features(LINEAR, 4)
    check_features(KERNEL, 4)
    with pytest.raises(ValueError, match=words):
        check_features(wrong, 4)


@pytest.mark.parametrize("features", [-1, 0, 3, 5])
def test_the_number_of_features_is_that_of_the_predictor(features):
    for outcome in (LINEAR, KERNEL):
        with pytest.raises(ValueError, match="features"):
            check_features(outcome, features)


def test_the_columns_of_a_gram_matrix_are_numbered():
    outcome = fitted("KernelPerceptron", data=X @ X.T, kernel="precomputed", y=Y).outcome_
    check_features(outcome, 150)
    with pytest.raises(ValueError, match="predictor"):
        check_features(outcome, int(outcome.support.max()))


def test_supports_that_are_not_vectors_do_not_predict():
    last = Expansion(Similarity("linear"), np.array(["a", "b"], object), np.ones((3, 2)))
    with pytest.raises(ValueError, match="predictor"):
        check_features(replace(KERNEL, last=last), 4)
