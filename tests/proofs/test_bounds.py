"""Bounds are never below the updates made; the proof's inequalities hold at every one of them."""

from __future__ import annotations

from fractions import Fraction
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import AveragedPerceptron, PassiveAggressive, Perceptron, PerceptronClassifier
from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.proofs.checker import Certificate, read_problem
from rosenblatt.proofs.convergence import bounds, proof_trace
from rosenblatt.proofs.convergence.trace import best_alpha
from rosenblatt.theory import rules

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def by_hand(X: Any, y: Any, bias: float = 1.0, **known: Any) -> Certificate:
    """A certificate with the given contents."""
    problem = read_problem(X, y, fit_intercept=bias > 0, scaling=bias or 1.0)
    content: dict[str, Any] = {
        "verdict": "undecided",
        "classes": problem.classes,
        "target": None,
        "examples": problem.X.shape[0],
        "features": problem.X.shape[1],
        "digest": problem.digest(),
        "scaling": problem.scaling,
        "radius": problem.radius(),
        "margin_bracket": (0.0, inf),
    }
    return Certificate(**content | known)


def separable(seed: int, n: int = 60, d: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    lead = X @ w + 0.3
    far = abs(lead) > 0.1
    return X[far], (lead[far] > 0).astype(int)


@st.composite
def cases(draw: Any) -> dict[str, Any]:
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    row = st.lists(st.integers(-3, 3), min_size=d, max_size=d)
    bias = draw(st.booleans())
    start = draw(st.none() | st.lists(st.integers(-9, 9), min_size=d, max_size=d + bias))
    X = [draw(row) for _ in range(n)]
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    if draw(st.booleans()):  # labels at random are nearly always inseparable
        y = [1 if sum(x) > 0 else -1 for x in X]
    return {
        "X": np.array(X, float),
        "y": np.array(y),
        "fit_intercept": bias,
        "intercept_scaling": draw(st.sampled_from([0.5, 1.0, 4.0])),
        "start": start,
        "max_iter": draw(st.sampled_from([1, 2, 60])),
    }


@settings(max_examples=150, deadline=None)
@given(cases())
def test_no_bound_is_below_the_updates_made(case: dict[str, Any]) -> None:
    found = bounds(**case)
    for row in found.rows:
        assert row.value == inf or row.applies
        assert found.updates <= row.value, row
        assert row.note
    assert found.best.value < inf
    assert found["hinge"].applies
    assert found["Novikoff"].applies == (found.margin > 0 and not np.any(case["start"] or 0))
    assert found["any start"].applies == (found.margin > 0)
    assert found["any start, best α"].value <= found["any start"].value * (1 + 1e-9) + 1e-6
    if found["Freund-Schapire"].applies:
        # A visit makes one update at most, and a proved margin is one choice of u and γ.
        visits = case["max_iter"] * len(case["y"])
        least = min(visits, found["Novikoff"].value)
        assert found["Freund-Schapire"].value <= least * (1 + 1e-6)
        assert found["hinge"].value <= found["Freund-Schapire"].value * (1 + 1e-6)


@settings(max_examples=60, deadline=None)
@given(cases(), st.sampled_from([0.25, 1.0, 8.0]), st.integers(0, 9))
def test_bounds_of_a_fitted_estimator(case: dict[str, Any], eta0: float, seed: int) -> None:
    X, y, start = case["X"], case["y"], case["start"]
    if len(np.unique(y)) < 2:
        return
    clf = PerceptronClassifier(
        rules.Plain(eta0), fit_intercept=case["fit_intercept"], max_iter=40, random_state=seed
    )
    clf.fit(X, y, coef_init=None if start is None else np.array(start[: X.shape[1]]) * eta0)
    found = bounds(X, y, clf)
    assert found.updates == clf.n_updates_
    assert all(found.updates <= row.value for row in found.rows)
    trace = proof_trace(clf, X=X, y=y)
    assert len(trace.k) == clf.n_updates_
    assert trace.holds["length"].all()
    assert (trace.fails is None) == (trace.margin > 0)


@pytest.mark.parametrize("seed", range(5))
def test_bounds_of_floats_in_either_storage(seed: int) -> None:
    X, y = separable(seed)
    dense, sparse = bounds(X, y), bounds(sp.csr_matrix(X), y)
    assert dense.updates == sparse.updates
    for one, other in zip(dense.rows, sparse.rows, strict=True):
        assert dense.updates <= one.value
        assert other.value == pytest.approx(one.value, rel=1e-3)


@pytest.mark.parametrize("intercept", [-20.0, -3.0, 2.0, 9.0])
def test_a_start_has_an_intercept_and_not_its_weight(intercept: float) -> None:
    X, y, scaling = np.array([[3.0], [1.0], [-2.0]]), np.array([1, 0, 0]), 4.0
    clf = Perceptron(shuffle=False, intercept_scaling=scaling, max_iter=1000, tol=None)
    clf.fit(X, y, coef_init=[[0.5]], intercept_init=[intercept])
    made = bounds(X, y, start=[0.5, intercept], intercept_scaling=scaling)
    assert made.updates == clf.n_updates_


def test_what_a_stream_proved_of_earlier_examples_is_not_used_of_the_last() -> None:
    near, far = np.array([[0.01, 0.0], [-0.01, 0.0]]), np.array([[0.0, 1.0], [0.0, -1.0]])
    clf = Perceptron(fit_intercept=False, shuffle=False)
    clf.partial_fit(near, [1, 0]).partial_fit(far, [1, 0])
    assert clf.margin_bracket_[1] < 0.02
    assert bounds(far, [1, 0], run=clf).margin_upper == pytest.approx(1.0)


def test_one_example_attains_the_bound() -> None:
    found = bounds([[3.0, 4.0]], [1], fit_intercept=False)
    assert found.updates == 1
    assert found["Novikoff"].value == pytest.approx(1.0, rel=1e-9)
    assert found["Novikoff"].value >= 1.0
    assert (found.radius, found.margin) == pytest.approx((5.0, 5.0))


def test_a_bias_makes_the_bound_of_the_bare_data_false() -> None:
    X, y = [[1.0], [-1.0]], [1, -1]
    certificate = by_hand(
        X,
        y,
        verdict="separable",
        margin_bracket=(1.0, 1.0),
        weights=np.array([[Fraction(10**400)]], object),
        intercept=np.array([Fraction(0)], object),
    )
    found = bounds(X, y, certificate=certificate)
    assert found.updates == 2
    for name in ("Novikoff", "with offset", "any start", "any start, best α"):
        assert found[name].value == pytest.approx(2.0)
        assert found[name].value >= 2.0
    assert "(R|w|/γ)² = 1 is not a bound" in found["with offset"].note
    plain = bounds(X, y, fit_intercept=False)
    assert plain.updates == 1
    assert not plain["with offset"].applies


def test_inseparable_data_have_bounds_all_the_same() -> None:
    found = bounds(*XOR, max_iter=30)
    assert found.margin == 0.0
    for name in ("Novikoff", "with offset", "any start", "any start, best α"):
        assert not found[name].applies
        assert "no w* has a positive margin" in found[name].note
    assert found["Freund-Schapire"].applies
    assert found.updates <= found.best.value < inf


def test_the_scale_is_the_best_for_all_visits() -> None:
    X, y = separable(1)
    y[:3] = 1 - y[:3]
    clf = AveragedPerceptron(max_iter=7, random_state=0).fit(X, y)
    found, (radius, n) = bounds(X, y, clf), (clf.radius_, 7)
    u = np.append(clf.coef_[0], clf.intercept_[0])
    u /= np.linalg.norm(u)
    m = (2 * y - 1) * (np.column_stack([X, np.ones(len(X))]) @ u)
    for gamma in np.geomspace(0.01, 100, 300):
        D = sqrt(n * np.sum(np.maximum(0, gamma - m) ** 2))
        assert found["Freund-Schapire"].value <= ((radius + D) / gamma) ** 2 * (1 + 1e-6)
        L = n * np.sum(np.maximum(0, 1 - m / gamma))
        s = radius / gamma
        assert found["hinge"].value <= ((s + sqrt(s * s + 4 * L)) / 2) ** 2 * (1 + 1e-6)


@settings(max_examples=100)
@given(st.lists(st.floats(-5, 5), min_size=3, max_size=3), st.floats(0.05, 1), st.floats(1, 5))
def test_the_best_alpha_is_the_best(start: list[float], margin: float, radius: float) -> None:
    w0, unit = np.array(start), np.array([0.6, 0.0, 0.8])
    alpha = best_alpha(w0, unit, margin, radius)
    if np.linalg.norm(w0 - radius**2 / (2 * margin) * unit) < 1e-6:
        return  # the least value is approached only, where the quotient is 0/0

    def bound(a: Any) -> Any:
        return np.sum((w0 - a * unit) ** 2) / (2 * a * margin - radius**2)

    least = bound(alpha)
    assert least == pytest.approx((alpha - w0 @ unit) / margin, rel=1e-6, abs=1e-6)
    edge = radius**2 / (2 * margin)
    for a in edge + np.geomspace(1e-3, 1e4, 400):
        assert bound(a) >= least * (1 - 1e-6) - 1e-9
    # The same as from k·γ + w0·u <= √(|w0|² + k·R²): equality at the bound.
    k = (alpha - w0 @ unit) / margin
    assert k * margin + w0 @ unit == pytest.approx(sqrt(max(0, w0 @ w0 + k * radius**2)), rel=1e-6)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("start", [0.0, 3.0])
def test_every_inequality_holds_at_every_update(seed: int, bias: bool, start: float) -> None:
    X, y = separable(seed)
    if not bias:
        y = (X @ np.arange(1, 5) > 0).astype(int)
    first = start * np.random.default_rng(seed).normal(size=4)
    clf = Perceptron(fit_intercept=bias, max_iter=3000, random_state=seed)
    trace = proof_trace(clf.fit(X, y, coef_init=first), X=X, y=y)
    assert trace.fails is None
    assert all(len(ok) == clf.n_updates_ and ok.all() for ok in trace.holds.values())
    columns, tiny = trace.columns(), 1e-9
    assert {len(column) for column in columns.values()} == {clf.n_updates_}
    assert np.all(columns["low"] <= columns["along"] + tiny)
    assert np.all(columns["along"] <= columns["length"] + tiny)
    assert np.all(columns["length"] <= columns["high"] + tiny)
    assert np.all(columns["distance2"] <= columns["ceiling2"] * (1 + tiny))
    assert np.all(np.diff(columns["ceiling2"]) < 0)
    last = np.append(clf.coef_[0], clf.intercept_[0])
    assert columns["length"][-1] == pytest.approx(np.linalg.norm(last))
    if not start:
        k = columns["k"]
        assert columns["low"] == pytest.approx(k * trace.margin)
        assert columns["high"] == pytest.approx(np.sqrt(k) * trace.radius)


@pytest.mark.parametrize("rule", ["normalised", rules.Plain(0.3)])
@pytest.mark.parametrize("weighted", [False, True])
def test_steps_of_other_lengths_are_summed(rule: Any, weighted: bool) -> None:
    X, y = separable(3)
    weights = np.random.default_rng(0).uniform(0.2, 2, len(y)) if weighted else None
    clf = PerceptronClassifier(rule, max_iter=2000, random_state=0).fit(X, y, weights)
    trace = proof_trace(clf, X=sp.csr_array(X), y=y)
    assert trace.fails is None
    assert trace.low[-1] == pytest.approx(trace.margin * clf.journal_.updates.a.sum())
    if weighted or rule == "normalised":
        with pytest.raises(ValueError, match="rule='plain' without weights"):
            bounds(X, y, clf)


def test_inseparable_data_name_the_step_that_fails() -> None:
    clf = Perceptron(max_iter=20, shuffle=False).fit(*XOR)
    trace = proof_trace(clf, X=XOR[0], y=XOR[1])
    back = int(np.flatnonzero(trace.gain <= 0)[0])
    assert trace.fails is not None
    assert "'w·w* grows by at least γ > 0 with each update' fails" in trace.fails
    assert f"update {back + 1} on example {trace.example[back]} " in trace.fails
    assert "|w|² <= |w0|² + R²·Σa² still holds" in trace.fails
    assert trace.fails in repr(trace)
    assert trace.holds["length"].all()
    assert trace.holds["along"][:back].all()
    assert not trace.holds["along"][back:].any()
    assert np.isnan(trace.ceiling2).all()


def test_an_update_that_changes_nothing_is_what_fails() -> None:
    """Without an intercept, an example of zeros is a mistake for good."""
    X, y = np.array([[0.0], [1.0], [-1.0]]), np.array([1, 1, 0])
    clf = PerceptronClassifier(fit_intercept=False, shuffle=False, max_iter=3, tol=None)
    with pytest.warns(ConvergenceWarning):
        clf.fit(X, y)
    assert "update 1 on example 0 changed it by 0" in str(proof_trace(clf, X=X, y=y).fails)


def test_an_example_never_learned_can_be_what_fails() -> None:
    # The second example lies at the origin: right of every hyperplane or wrong, but never moved.
    X, y = np.array([[1.0], [0.0]]), np.array([1, 1], np.int8)
    run = Run(rules.Plain(), inputs.binary_space(X, 0.0), y, order=[0])
    run.go(1)
    trace = proof_trace(run)
    assert trace.fails is not None
    assert "has margin" in trace.fails
    assert "on example 1, on which this run made no update" in trace.fails


def test_an_undecided_certificate_is_helped_by_the_run() -> None:
    X, y = separable(2)
    found = bounds(X, y, certificate=by_hand(X, y))
    assert found.margin > 0
    assert "the last hypothesis" in found["Novikoff"].note or "averaged" in found["Novikoff"].note
    short = bounds(*XOR, certificate=by_hand(*XOR), max_iter=2)
    assert "undecided" in short["Novikoff"].note


def test_a_free_intercept_certifies_as_well() -> None:
    X, y = separable(2)
    best = bounds(X, y, intercept_scaling=2.0)
    clf = Perceptron(max_iter=5000, random_state=0).fit(X, y)
    free = by_hand(X, y, verdict="separable", scaling=inf, margin_bracket=(5.0, 9.0),
                   weights=clf.coef_, intercept=clf.intercept_)  # fmt: skip
    found = bounds(X, y, certificate=free, intercept_scaling=2.0)
    # Its own bracket is of another length than the run's, and must not be taken for it.
    assert 0 < found.margin <= best.margin_upper <= found.radius
    assert found.updates <= found["Novikoff"].value < inf


def test_a_journal_that_forgot_is_followed_from_where_it_begins() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 3)), rng.integers(0, 2, 3000)
    clf = Perceptron(journal_size=1, max_iter=110, tol=None, random_state=0).fit(X, y)
    journal = clf.journal_
    assert journal.started["k"] > 0
    trace = proof_trace(clf, X=X, y=y)
    assert trace.holds["length"].all()
    assert trace.length[-1] == pytest.approx(sqrt(journal.counters["ww"]))
    found = bounds(X, y, clf)
    assert found.updates == len(journal) < clf.n_updates_
    assert all(found.updates <= row.value for row in found.rows)


def test_a_stream_is_bounded_by_its_last_part() -> None:
    X, y = separable(4)
    clf = Perceptron(random_state=0)
    for part in (slice(0, 20), slice(20, None)):
        clf.partial_fit(X[part], y[part], classes=[0, 1])
    found = bounds(X[20:], y[20:], clf)
    assert found.updates == len(clf.journal_)
    assert all(found.updates <= row.value for row in found.rows)


@pytest.mark.parametrize("order", ["sampled", "blocks", [0, 0, 0, 1, 2, 2, 3]])
def test_the_order_says_how_often_an_example_is_visited(order: Any) -> None:
    X, y = XOR
    clf = Perceptron(order=order, max_iter=9, random_state=0).fit(X, y)
    found = bounds(X, y, clf)
    assert found["hinge"].applies == (order != "sampled")
    assert found["hinge, mistakes"].applies
    assert all(found.updates <= row.value for row in found.rows)
    run = Run(rules.Plain(), inputs.binary_space(X, 1.0), inputs.signs(y, 1), order=order, rng=0)
    run.go(9)
    assert all(run.n.k <= row.value for row in bounds(X, y, run).rows)


def test_a_run_has_its_own_examples() -> None:
    X, y = separable(0)
    signs = inputs.signs(y, 1)
    traces = []
    for table in (X, sp.csr_matrix(X)):
        run = Run(rules.Plain(), inputs.binary_space(table, 2.0), signs, order="cyclic")
        run.go(500)
        traces.append(proof_trace(run))
        assert bounds(X, y, run).updates == run.n.k
    assert traces[0].fails is None
    assert np.array_equal(traces[0].example, traces[1].example)
    assert traces[0].length == pytest.approx(traces[1].length)


def test_print() -> None:
    found = bounds(*XOR, max_iter=3)
    lines = str(found).splitlines()
    assert lines[0].startswith("12 updates made; R = 1.73205")
    assert lines[1].split() == ["bound", "at", "most", "formula", "note"]
    column = lines[1].index("formula")
    assert lines[2][column:].startswith("(R/γ)²")
    assert max(map(len, lines)) <= 125
    html = found._repr_html_()
    assert html.count("<tr>") == len(found.rows) + 1
    assert "<=" not in html
    with pytest.raises(KeyError, match="Novikoff"):
        found["novikoff"]


def test_what_cannot_be_bounded_or_traced_is_refused() -> None:
    X, y = separable(0)
    clf = Perceptron(random_state=0).fit(X, y)
    three = np.arange(len(y)) % 3
    refused: list[tuple[Any, str]] = [
        (lambda: bounds(X, three), "3 classes"),
        (lambda: bounds(X, y, Perceptron()), "call fit first"),
        (lambda: bounds(X, y, clf, start=[1, 2, 3, 4]), "not both"),
        (lambda: bounds(X, y, start=[1, 2]), "start holds 2 numbers"),
        (lambda: bounds(X, y, start=[1, 2, 3, np.nan]), "finite"),
        (lambda: bounds(X, y, fit_intercept=False, start=np.ones(5)), "needs 4 finite weights"),
        (lambda: bounds(X, y, max_iter=0), "max_iter"),
        (lambda: bounds(X, y, intercept_scaling=0), "intercept_scaling"),
        (lambda: bounds(X[::-1], y[::-1], clf), "must be the training examples"),
        (lambda: bounds(X * 2, y, clf), "must be the training examples"),
        (lambda: bounds(X[:, :2], y, clf), "must be the training examples"),
        (lambda: bounds(X, y, certificate=by_hand(X * 2, y)), "other data"),
        (lambda: bounds(X, y, certificate=by_hand(X, y, 0.0)), "without an intercept, but the run"),
        (lambda: bounds(X, y, PassiveAggressive(random_state=0).fit(X, y)), "rule='plain'"),
        (lambda: proof_trace(clf), "X and y are needed"),
        (lambda: proof_trace(clf, X=X), "X and y are needed"),
        (lambda: proof_trace(Perceptron().fit(X, three), X=X, y=three), "two classes"),
    ]
    for rule, words in (
        ("margin", "updates on mistakes only"),
        ("pa", "updates on mistakes only"),
        ("romma", "scales w"),
        (rules.Alma(p=4.0), "p=2"),
    ):
        other = PerceptronClassifier(rule, random_state=0).fit(X, y)
        refused.append((lambda other=other: proof_trace(other, X=X, y=y), words))
    fixed = Perceptron(threshold=0.5, fit_intercept=False).fit(X, y)
    refused.append((lambda: proof_trace(fixed, X=X, y=y), "threshold=0"))
    many = Run(rules.Plain(), inputs.class_space(X, 3, 1.0), three.astype(np.int32))
    refused.append((lambda: proof_trace(many), "two classes"))
    shifted = Run(rules.Plain(), inputs.binary_space(X, 0.0, 0.5), inputs.signs(y, 1))
    refused.append((lambda: proof_trace(shifted), "fixed offset"))
    for call, words in refused:
        with pytest.raises(ValueError, match=words):
            call()
