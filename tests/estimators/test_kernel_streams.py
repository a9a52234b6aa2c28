"""The kernel perceptron goes on learning: streams, budgets and warm starts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import polynomial_kernel

import rosenblatt as rb
from tests.support.digits import INTEGER, WHOLE, X, Y, in_parts


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(
    ("readout", "multiclass"),
    [("last", "ovr"), ("averaged", "ovr"), ("voted", "ovr"), ("last", "native"),
     ("averaged", "native")],
)  # fmt: skip
def test_a_stream_equals_one_long_pass(readout, multiclass, storage):
    rows, y = storage(WHOLE[:300]), Y[:300]
    options = {**INTEGER, "readout": readout, "multiclass": multiclass}
    one = rb.KernelPerceptron(**options, max_iter=1).fit(rows, y)
    parts = rb.KernelPerceptron(**options, block_size=40)
    in_parts(parts, rows, y, [30, 31, 170], classes=np.arange(10))
    test = storage(WHOLE[300:400])
    expected = one.decision_function(test)
    if readout == "averaged":
        np.testing.assert_allclose(parts.decision_function(test), expected, rtol=1e-12)
    else:
        np.testing.assert_array_equal(parts.decision_function(test), expected)
    assert parts.n_updates_ == one.n_updates_
    assert not parts.converged_
    assert len(parts.support_vectors_.toarray() if sp.issparse(rows) else parts.support_vectors_) \
        == len(one.support_)  # fmt: skip


@pytest.mark.parametrize("how", ["averaged", "random", "last"])
def test_lengths_are_carried_on_in_a_stream(how):
    rows, y = WHOLE[:200], Y[:200]
    options = {**INTEGER, "readout": how, "normalise": True, "random_state": 1}
    one = rb.KernelPerceptron(**options, max_iter=1).fit(rows, y)
    parts = in_parts(rb.KernelPerceptron(**options), rows, y, [70, 150], classes=np.arange(10))
    np.testing.assert_allclose(
        parts.decision_function(rows), one.decision_function(rows), rtol=1e-9
    )


@pytest.mark.parametrize("multiclass", ["ovr", "native"])
@pytest.mark.parametrize("readout", ["last", "averaged"])
def test_new_classes_come_in_as_in_the_linear_stream(multiclass, readout):
    # Two classes first, then a third, then the rest: the linear estimator has the same contract.
    order = np.concatenate([np.flatnonzero(np.isin(Y[:400], [3, 5])),
                            np.flatnonzero(Y[:400] == 8), np.arange(300)])  # fmt: skip
    rows, y = WHOLE[order], Y[order]
    two = int(np.isin(Y[:400], [3, 5]).sum())
    ends = [two, two + int((Y[:400] == 8).sum())]
    rows[ends[0] : ends[1]][:5], y[ends[0] : ends[0] + 5] = WHOLE[:5], 3
    kernel = rb.KernelPerceptron(kernel="linear", readout=readout, multiclass=multiclass)
    linear = rb.PerceptronClassifier("plain", readout, multiclass=multiclass)
    in_parts(kernel, rows, y, ends)
    in_parts(linear, rows, y, ends)
    assert kernel.classes_.tolist() == list(range(10))
    np.testing.assert_allclose(
        kernel.decision_function(rows), linear.decision_function(rows), rtol=1e-9, atol=1e-6
    )
    assert kernel.n_updates_ == linear.n_updates_


def test_a_stream_goes_on_from_a_fit():
    rows, y = WHOLE[:200], Y[:200] % 2
    fitted = rb.KernelPerceptron(**INTEGER, readout="last", max_iter=2).fit(rows[:100], y[:100])
    fitted.partial_fit(rows[100:], y[100:])
    given = rb.KernelPerceptron(**INTEGER, readout="last")
    in_parts(given, np.concatenate([rows[:100], rows]), np.concatenate([y[:100], y]), [100, 200])
    np.testing.assert_array_equal(fitted.decision_function(rows), given.decision_function(rows))
    assert len(fitted.support_vectors_) == len(given.support_vectors_)


def test_a_precomputed_kernel_has_no_stream():
    clf = rb.KernelPerceptron(kernel="precomputed")
    with pytest.raises(ValueError, match="precomputed"):
        clf.partial_fit(np.eye(4), [0, 1, 0, 1])


POLICIES = ("stop", "oldest", "random", "forgetron", "projectron", "projectron++", "bpa-s", "bogd")


@pytest.mark.parametrize("block", [30, 512])
@pytest.mark.parametrize("policy", [p for p in POLICIES if p not in ("random", "bogd")])
def test_a_stream_on_a_budget_equals_one_long_pass(policy, block):
    rows, y = X[:300], Y[:300]
    options = {"kernel": "rbf", "gamma": 0.5, "readout": "last", "budget": 12, "shuffle": False,
               "budget_policy": policy, "block_size": block}  # fmt: skip
    one = rb.KernelPerceptron(**options, max_iter=1).fit(rows, y)
    parts = in_parts(rb.KernelPerceptron(**options), rows, y, [90, 91, 200], classes=np.arange(10))
    np.testing.assert_allclose(
        parts.decision_function(rows), one.decision_function(rows), rtol=1e-6, atol=1e-8
    )
    assert len(parts.support_vectors_) == len(one.support_)


@pytest.mark.parametrize("policy", POLICIES)
def test_no_class_exceeds_its_budget(policy):
    clf = rb.KernelPerceptron(
        kernel="rbf", gamma=0.5, readout="last", budget=25, budget_policy=policy, max_iter=3,
        random_state=0, fit_intercept=False,
    )  # fmt: skip
    clf.fit(X[:900], Y[:900])
    assert (np.count_nonzero(clf.dual_coef_, axis=1) <= 25).all()
    assert clf.score(X[900:], Y[900:]) > 0.5
    clf.partial_fit(X[900:], Y[900:])
    assert (np.count_nonzero(clf.dual_coef_, axis=1) <= 25).all()
    assert len(clf.support_vectors_) <= 250


@pytest.mark.parametrize("policy", ["stop", "projectron", "projectron++"])
def test_an_average_on_a_budget_is_that_of_the_hypotheses(policy):
    rows, y = X[:120], Y[:120] % 2
    options = {"kernel": "rbf", "gamma": 0.5, "budget": 15, "budget_policy": policy,
               "shuffle": False, "fit_intercept": False}  # fmt: skip
    averaged = rb.KernelPerceptron(**options, readout="averaged", max_iter=1).fit(rows, y)
    assert len(averaged.support_) <= 15
    total = np.zeros(len(rows))
    stepping = rb.KernelPerceptron(**options, readout="last")
    for i in range(len(rows)):
        stepping.partial_fit(rows[i : i + 1], y[i : i + 1], classes=[0, 1])
        total += stepping.decision_function(rows)
    np.testing.assert_allclose(
        averaged.decision_function(rows), total / len(rows), rtol=1e-6, atol=1e-9
    )


def test_a_full_budget_that_stops_is_said():
    clf = rb.KernelPerceptron(kernel="rbf", readout="last", budget=3, budget_policy="stop")
    with pytest.warns(UserWarning, match="budget of 3"):
        clf.fit(X[:200], Y[:200] % 2)
    assert not clf.converged_


# --- warm starts ------------------------------------------------------------------------------


@pytest.mark.parametrize("multiclass", ["ovr", "native"])
def test_a_warm_start_goes_on_where_the_last_fit_ended(multiclass):
    rows, y = WHOLE[:250], Y[:250]
    options = {**INTEGER, "readout": "last", "multiclass": multiclass}
    long = rb.KernelPerceptron(**options, max_iter=3).fit(rows, y)
    short = rb.KernelPerceptron(**options, max_iter=1, warm_start=True)
    for _ in range(3):
        short.fit(rows, y)
    np.testing.assert_array_equal(short.decision_function(rows), long.decision_function(rows))
    assert len(short.support_) == len(long.support_)  # examples are recognised
    linear = rb.Perceptron(shuffle=False, max_iter=1, warm_start=True, multiclass=multiclass)
    kernel = rb.KernelPerceptron(
        kernel="linear", readout="last", shuffle=False, max_iter=1, warm_start=True,
        multiclass=multiclass,
    )  # fmt: skip
    for part in (slice(0, 200), slice(50, 250)):
        linear.fit(rows[part], y[part])
        kernel.fit(rows[part], y[part])
    np.testing.assert_array_equal(kernel.decision_function(rows), linear.decision_function(rows))


@pytest.mark.parametrize("readout", ["voted", "averaged"])
def test_readouts_of_a_warm_start_are_those_of_the_linear_one(readout):
    rows, y = WHOLE[:250], Y[:250] % 2
    linear = rb.PerceptronClassifier("plain", readout, shuffle=False, max_iter=1, warm_start=True)
    kernel = rb.KernelPerceptron(
        kernel="linear", readout=readout, shuffle=False, max_iter=1, warm_start=True
    )
    for part in (slice(0, 200), slice(50, 250)):
        linear.fit(rows[part], y[part])
        kernel.fit(rows[part], y[part])
    np.testing.assert_allclose(
        kernel.decision_function(rows), linear.decision_function(rows), rtol=1e-9
    )


def test_a_warm_start_works_with_a_precomputed_kernel_and_a_budget():
    K = polynomial_kernel(WHOLE[:150], degree=2, gamma=1.0, coef0=1.0)
    options = {"kernel": "precomputed", "readout": "last", "shuffle": False}
    for budget in (None, 20):
        more = {} if budget is None else {"budget": budget, "budget_policy": "oldest"}
        long = rb.KernelPerceptron(**options, **more, max_iter=2).fit(K, Y[:150])
        short = rb.KernelPerceptron(**options, **more, max_iter=1, warm_start=True)
        short.fit(K, Y[:150]).fit(K, Y[:150])
        np.testing.assert_array_equal(short.dual_coef_, long.dual_coef_)


def test_equal_examples_of_a_stream_add_up():
    """Both rows are in the support set; where they are met again they are one example."""
    first, second = np.array([[2.0, 1.0], [2.0, 1.0], [0.0, 3.0]]), np.array([[2.0, 1.0], [1.0, 0]])
    linear = rb.Perceptron(shuffle=False, fit_intercept=False)
    kernel = rb.KernelPerceptron(
        kernel="linear", readout="last", shuffle=False, fit_intercept=False
    )
    for clf in (linear, kernel):
        clf.partial_fit(first, [1, 0, 1]).partial_fit(second, [1, 0])
    np.testing.assert_allclose(kernel.decision_function(first), linear.decision_function(first))
    assert kernel.n_updates_ == linear.n_updates_ > 3


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_the_length_of_the_weights_is_known_when_new_classes_appear(multiclass):
    clf = rb.KernelPerceptron(kernel="rbf", gamma=0.5, readout="last", multiclass=multiclass)
    points, y = WHOLE[:90, :3] / 8.0, np.arange(90) % 3
    clf.partial_fit(points[y < 2], y[y < 2]).partial_fit(points, y)
    K = clf.outcome_.last.similarity.block(clf.support_vectors_, clf.support_vectors_)
    each = np.einsum("ci,ij,cj->c", clf.outcome_.last.coef, K, clf.outcome_.last.coef)
    squares = each if multiclass == "ovr" else [each.sum()]
    np.testing.assert_allclose(clf.outcome_.lengths**2, squares, rtol=1e-9)


def test_a_warm_start_needs_the_same_classes_and_features():
    clf = rb.KernelPerceptron(readout="last", max_iter=1, warm_start=True).fit(X[:50], Y[:50])
    for rows, y in ((X[:50], Y[:50] % 2), (X[:50, :60], Y[:50])):
        with pytest.raises(ValueError, match="warm_start"):
            clf.fit(rows, y)
    with pytest.raises(ValueError, match="coef_init"):
        clf.fit(X[:50], Y[:50], coef_init=np.zeros((10, 64)))


def test_an_example_whose_coefficient_became_zero_is_still_held():
    X, y = np.array([[4e-10], [-7e-10], [8e-10]]), np.array([0, 1, 0])
    clf = rb.KernelPerceptron(
        readout="last", kernel="rbf", gamma=0.5, budget=4, budget_policy="projectron", block_size=1
    )
    clf.partial_fit(X[:2], y[:2], classes=[0, 1])  # the second is the first, turned round
    assert clf.dual_coef_.tolist() == [[0.0]]
    clf.partial_fit(X[2:], y[2:])
    assert len(clf.support_) == 1


def test_a_warm_start_weighs_the_forgetrons_damage_against_its_own_mistakes():
    """Carried over without the mistakes that allowed for it, it would delete the weights."""
    X, y = np.array([[1.0], [1.5], [2.0], [2.5]]), np.array([0, 1, 0, 1])
    clf = rb.KernelPerceptron(
        kernel="linear", budget=2, budget_policy="forgetron", readout="last", max_iter=3,
        warm_start=True, random_state=0,
    )  # fmt: skip
    for _ in range(3):
        clf.fit(X, y)
        assert (clf.journal_.updates.c > 0).all()
