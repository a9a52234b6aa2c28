"""Numbers to predict: the papers' steps and bounds, and what carries over from classification."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt as rb
from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.estimators.regressor import NAMES, REGRESSORS
from rosenblatt.theory import loops, rules, spaces
from tests.oracles import regression as oracle

X, y = map(scale, load_diabetes(return_X_y=True))
LIFTED = np.column_stack([X, np.ones(len(y))])
VARIANTS = pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
ORDER = "the order of the visits matters: a weight of k is one longer step, not k visits"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}


@parametrize_with_checks(
    [kind() for kind in REGRESSORS.values()],
    expected_failed_checks=lambda estimator: EXPECTED,
    xfail_strict=True,
)
def test_contract(estimator, check):
    check(estimator)


# --- the papers -------------------------------------------------------------------------------


@VARIANTS
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_passive_aggressive_steps_are_the_paper_s(variant, epsilon):
    made = rb.PassiveAggressiveRegressor(
        variant=variant, C=0.02, epsilon=epsilon, shuffle=False, max_iter=3, tol=None
    )
    made.fit(X, y)
    visits = np.tile(np.arange(len(y)), 3)
    every = np.array(list(oracle.passive_aggressive(LIFTED, y, visits, variant, 0.02, epsilon)))
    np.testing.assert_allclose([*made.coef_, *made.intercept_], every[-1], atol=1e-10)
    mean = clone(made).set_params(readout="averaged").fit(X, y)
    np.testing.assert_allclose([*mean.coef_, *mean.intercept_], every[1:].mean(axis=0), atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_pa_on_numbers_that_can_be_fitted_keeps_its_bound(seed):
    """Crammer et al. 2006, theorem 2 for regression: the sum of squared losses <= R²·|u|²."""
    rng = np.random.default_rng(seed)
    points, u = rng.normal(size=(200, 4)), rng.normal(size=4)
    numbers = points @ u + rng.uniform(-0.2, 0.2, 200)
    course = list(oracle.passive_aggressive(points, numbers, np.arange(200), "PA", 1.0, 0.2))
    suffered = sum(
        oracle.losses(points[t : t + 1], numbers[t : t + 1], w, 0.2)[0] ** 2
        for t, w in enumerate(course[:-1])
    )
    assert 0 < suffered <= (points**2).sum(axis=1).max() * (u @ u)
    run = regression_run(rules.PA(margin=0.0), points, numbers, 0.2, bias=0.0)
    run.go(1)
    np.testing.assert_allclose(run.h[:-1], course[-1], atol=1e-10)


@pytest.mark.parametrize("C", [0.05, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_pa2_keeps_its_bound_against_any_weights(seed, C):
    """Their theorem 5: losses² <= (R² + 1/(2C))·(|u|² + 2C·sum of u's losses²)."""
    rng = np.random.default_rng(seed)
    numbers = y + rng.normal(size=len(y))
    course = oracle.passive_aggressive(LIFTED, numbers, np.arange(len(y)), "PA-II", C, 0.1)
    suffered = sum(
        oracle.losses(LIFTED[t : t + 1], numbers[t : t + 1], w, 0.1)[0] ** 2
        for t, w in zip(range(len(y)), course, strict=False)
    )
    room = (LIFTED**2).sum(axis=1).max() + 1 / (2 * C)
    for u in (np.zeros(11), np.linalg.lstsq(LIFTED, numbers, rcond=None)[0]):
        others = float((oracle.losses(LIFTED, numbers, u, 0.1) ** 2).sum())
        assert suffered <= room * (u @ u + 2 * C * others)


@pytest.mark.parametrize("r", [0.5, 3.0])
@pytest.mark.parametrize("sparse", [False, True])
def test_arow_with_a_full_matrix_is_recursive_least_squares(r, sparse):
    made = rb.AROWRegressor(r=r, covariance="full", max_iter=1, shuffle=False)
    made.fit(sp.csr_matrix(X) if sparse else X, y)
    expected = oracle.recursive_least_squares(LIFTED, y, r)
    np.testing.assert_allclose([*made.coef_, *made.intercept_], expected, atol=1e-9)


def test_the_plain_rule_moves_by_the_sign_of_the_residual():
    made = rb.PerceptronRegressor("plain", "last", epsilon=0.5, max_iter=2, shuffle=False, tol=None)
    made.fit(X, y)
    w = np.zeros(11)
    for i in np.tile(np.arange(len(y)), 2):
        residual = y[i] - LIFTED[i] @ w
        if abs(residual) >= 0.5:
            w += np.sign(residual) * LIFTED[i]
    np.testing.assert_allclose([*made.coef_, *made.intercept_], w, atol=1e-10)


# --- laws -------------------------------------------------------------------------------------


def regression_run(rule, points, numbers, epsilon, *, bias=1.0, **options):
    base = inputs.binary_space(points, bias)
    if rules.prior_variance(rule):
        base = inputs.variance_space(base, rule)
    space = spaces.Residual(base, epsilon, bias, np.ones(len(numbers), np.int8))
    return Run(rule, space, numbers, order="cyclic", **options)


def records():
    for name in NAMES:
        rule = rules.RULES[name]()
        yield name, rule._replace(margin=0.0) if "margin" in rule._fields else rule
    yield "arow full", rules.Arow(full=True, margin=0.0)
    yield "relaxation", rules.RULES["relaxation"]()  # scales w


EVERY_RULE = pytest.mark.parametrize(
    "rule", [r for _, r in records()], ids=[n for n, _ in records()]
)


@EVERY_RULE
@pytest.mark.parametrize("table", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_the_squared_length_is_carried_by_algebra(rule, table):
    run = regression_run(rule, table(X[:60]), y[:60], 0.1)
    run.advance(visits=40)
    assert run.n.k > 0
    assert run.n.norm2 == pytest.approx(spaces.squared_norm(run.space, run.h), rel=1e-9)


@EVERY_RULE
def test_plain_python_and_compiled_code_agree(rule):
    runs = [regression_run(rule, X[:80], y[:80], 0.1, compiled=c) for c in (False, True)]
    plain, compiled = (run.go(2) for run in runs)
    assert (plain.visits, plain.updates) == (compiled.visits, compiled.updates)
    np.testing.assert_allclose(runs[0].h, runs[1].h, atol=1e-9)


@EVERY_RULE
def test_a_run_replays_from_its_journal(rule):
    run = regression_run(rule, X[:60], y[:60], 0.1)
    run.go(2)
    h = spaces.origin(run.space)
    updates = run.recorder.updates()
    lives = np.zeros(len(updates.t) + 1, np.int64)
    loops.replay(run.space, run.y, updates, lives, h, np.zeros(h.shape))
    if rules.prior_variance(rule):  # compiled code may fuse the products of a covariance
        np.testing.assert_allclose(h, run.h, atol=1e-12)
    else:
        np.testing.assert_array_equal(h, run.h)


def test_converged_means_that_every_residual_is_inside_the_tube():
    numbers = X[:8] @ np.linspace(-1, 1, 10)
    reg = rb.PerceptronRegressor(rules.Plain(0.01), "last", epsilon=0.2, max_iter=5_000, tol=None)
    reg.fit(X[:8], numbers)
    assert reg.converged_
    assert np.abs(reg.predict(X[:8]) - numbers).max() < 0.2
    assert reg.pass_mistakes_[-1] == 0
    assert not reg.set_params(max_iter=1).fit(X[:8], numbers).converged_


def test_the_journal_rebuilds_the_weights():
    reg = rb.PerceptronRegressor(readout="last", random_state=0).fit(X, y)
    *_, (w, _) = reg.journal_.replay(X)
    np.testing.assert_array_equal(w[0], [*reg.coef_, *reg.intercept_])


# --- what carries over ------------------------------------------------------------------------


@pytest.mark.parametrize("name", REGRESSORS)
def test_dense_and_sparse_agree(name):
    dense = REGRESSORS[name](random_state=0).fit(X, y)
    sparse = REGRESSORS[name](random_state=0).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-8)


@pytest.mark.parametrize("name", REGRESSORS)
def test_a_stream_in_parts_is_a_pass(name):
    whole = REGRESSORS[name](max_iter=1, shuffle=False).fit(X, y)
    parts = REGRESSORS[name]()
    for start in range(0, len(y), 50):
        parts.partial_fit(X[start : start + 50], y[start : start + 50])
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-10)
    np.testing.assert_allclose(parts.intercept_, whole.intercept_, atol=1e-10)


@pytest.mark.parametrize("name", REGRESSORS)
def test_files_and_pickles_go_on_to_the_same_bits(name, tmp_path):
    reg = REGRESSORS[name](random_state=0).fit(X[:300], y[:300])
    rb.save(reg, tmp_path / "model.rbt")
    copies = [rb.load(tmp_path / "model.rbt"), pickle.loads(pickle.dumps(reg))]
    reg.partial_fit(X[300:], y[300:])
    for copy in copies:
        copy.partial_fit(X[300:], y[300:])
        np.testing.assert_array_equal(copy.coef_, reg.coef_)
        np.testing.assert_array_equal(copy.predict(X), reg.predict(X))


def test_weights_scale_steps_and_zero_leaves_out():
    half = np.arange(len(y)) % 2
    one = rb.PerceptronRegressor(random_state=0).fit(X, y, sample_weight=half)
    other = rb.PerceptronRegressor(random_state=0).fit(X[half > 0], y[half > 0])
    np.testing.assert_array_equal(one.coef_, other.coef_)


@pytest.mark.filterwarnings("ignore:.*runs in plain Python")
def test_a_rule_of_one_s_own():
    reg = rb.PerceptronRegressor(lambda look: (min(0.01, -look.m / look.q), 1.0) if look.m < 0
                                 else (0.0, 1.0), random_state=0)  # fmt: skip
    same = rb.PerceptronRegressor(rules.PA1(0.01, margin=0.0), random_state=0).fit(X, y)
    np.testing.assert_allclose(reg.fit(X, y).coef_, same.coef_, atol=1e-12)


def test_a_search_over_parameters():
    search = GridSearchCV(rb.AROWRegressor(random_state=0), {"r": [0.1, 10.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.4


def test_warm_start_goes_on():
    reg = rb.PerceptronRegressor("pa2", "last", max_iter=1, warm_start=True, shuffle=False)
    reg.fit(X, y).fit(X, y)
    straight = rb.PerceptronRegressor("pa2", "last", max_iter=2, tol=None, shuffle=False).fit(X, y)
    np.testing.assert_allclose(reg.coef_, straight.coef_, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rule": "romma"}, "rule='romma' is not for numbers; take one of plain"),
        ({"epsilon": -0.1}, "epsilon=-0.1 must be a finite number at least 0"),
        ({"readout": "voted"}, "readout='voted' is not known"),
    ],
)
def test_parameters_that_cannot_work(change, words):
    with pytest.raises(ValueError, match=words):
        rb.PerceptronRegressor(**change).fit(X, y)


def test_numbers_that_are_not_finite():
    with pytest.raises(ValueError, match="Input y contains NaN"):
        rb.PerceptronRegressor().fit(X, np.where(y > 1, np.nan, y))
    reg = rb.PerceptronRegressor().fit(X, y)
    before = dict(vars(reg))
    with pytest.raises(ValueError, match="infinity"):
        reg.fit(X, np.where(y > 1, np.inf, y))
    assert vars(reg) == before
