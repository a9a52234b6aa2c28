"""Laws of the second-order rules: python = compiled, dense = sparse, engine = paper = optimum."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import minimize

import rosenblatt as rb
from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.theory import readouts, rules, spaces
from rosenblatt.theory.rules import Look
from tests.laws import cases
from tests.laws.cases import SECOND, augmented, reals, resumed, separable, whole_numbers
from tests.oracles import online as oracles
from tests.oracles import second as oracles_second

PHI = rules.CW().phi
ORACLES = {
    "cw": partial(oracles_second.cw, phi=PHI),
    "cw_variance": partial(oracles_second.cw_variance, phi=PHI),
    "arow": partial(oracles_second.arow, r=1.0),
    "scw1": partial(oracles_second.scw1, C=1.0, phi=PHI),
    "scw2": partial(oracles_second.scw2, C=1.0, phi=PHI),
    "nherd": partial(oracles_second.nherd, C=1.0),
}
EVERY_RULE = pytest.mark.parametrize("name", SECOND)
BOTH = pytest.mark.parametrize("full", [False, True], ids=["diagonal", "full"])
SEEDS = pytest.mark.parametrize("seed", range(3))
SOME = settings(max_examples=25, deadline=None)


def rule_of(name, full):
    return SECOND[name]._replace(full=full)


def space(data, kind, rule, bias=1.0):
    base, y = cases.space(data, kind, bias)
    return inputs.variance_space(base, rule), y


def run(rule, data, kind="dense", **options):
    where, y = space(data, kind, rule)
    made = Run(rule, where, y, order=data.order, **options)
    made.go(1)
    return made


def parts(made, h=None):
    """Mean and covariance matrix."""
    state = spaces.as_state(made.space, made.h if h is None else h)
    return state[0], state[1:] if made.rule.full else np.diag(state[1])


def course(name, full, X, y, order):
    if name == "second_order":
        whole = oracles_second.second_order if full else oracles_second.second_order_diagonal
        return whole(X, y, order)
    return ORACLES[name](X, y, order, full=full)


def same_counters(one, other):
    np.testing.assert_equal(one.n, other.n)  # no bound follows from the steps: nan equals nan
    assert one.passes == other.passes


# --- the engine -----------------------------------------------------------------------------


@EVERY_RULE
@BOTH
@SOME
@given(data=whole_numbers())
def test_python_equals_compiled_bit_for_bit(name, full, data):
    slow, fast = (run(rule_of(name, full), data, "csr", compiled=c) for c in (False, True))
    assert np.array_equal(slow.h, fast.h)
    same_counters(slow, fast)


@EVERY_RULE
@BOTH
@SEEDS
def test_dense_equals_sparse(name, full, seed):
    dense, sparse = (run(rule_of(name, full), reals(seed), kind) for kind in ("dense", "csr"))
    np.testing.assert_allclose(dense.h, sparse.h, rtol=1e-8, atol=1e-10)


@EVERY_RULE
@BOTH
@SEEDS
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_hypotheses_equal_the_paper(name, full, seed, kind):
    """The whole trajectory, mean and covariance."""
    data, rule = reals(seed), rule_of(name, full)
    means, spreads = course(name, full, augmented(data.X, 1.0), data.y.astype(float), data.order)
    where, y = space(data, kind, rule)
    made = Run(rule, where, y, order=data.order)
    for mean, spread in zip(means[1:], spreads[1:], strict=True):
        made.advance(visits=1)
        mu, S = parts(made)
        np.testing.assert_allclose(mu, mean, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(S, spread, rtol=1e-7, atol=1e-9)


OTHERS = [
    (rules.CW(1.3), partial(oracles_second.cw, phi=1.3)),
    (rules.CWVariance(1.3), partial(oracles_second.cw_variance, phi=1.3)),
    (rules.Arow(0.3), partial(oracles_second.arow, r=0.3)),
    (rules.SCW1(0.2, 1.3), partial(oracles_second.scw1, C=0.2, phi=1.3)),
    (rules.SCW2(0.2, 1.3), partial(oracles_second.scw2, C=0.2, phi=1.3)),
    (rules.Nherd(0.3), partial(oracles_second.nherd, C=0.3)),
]


@pytest.mark.parametrize(("rule", "oracle"), OTHERS, ids=lambda part: type(part).__name__)
@BOTH
def test_other_parameters_than_the_defaults_equal_the_paper(rule, oracle, full):
    data = reals(0)
    means, spreads = oracle(augmented(data.X, 1.0), data.y.astype(float), data.order, full=full)
    made = cases.plain(rule._replace(full=full), data)
    made.go(1)
    mu, S = parts(made)
    np.testing.assert_allclose(mu, means[-1], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(S, spreads[-1], rtol=1e-7, atol=1e-9)


@EVERY_RULE
@BOTH
def test_the_length_is_carried_exactly_and_steps_bound_nothing(name, full):
    data, rule = reals(1), rule_of(name, full)
    where, y = space(data, "dense", rule)
    made = Run(rule, where, y, order=data.order)
    for _ in range(40):
        made.advance(visits=1)
        mu, _ = parts(made)
        assert made.n.norm2 == pytest.approx(mu @ mu, rel=1e-9)
    assert np.isnan(made.n.step_sum)
    assert made.n.upper == np.inf


@EVERY_RULE
@BOTH
def test_the_covariance_stays_symmetric_and_positive(name, full):
    data = reals(2, n=200, d=6)
    made = run(rule_of(name, full), data, count_errors=False)
    made.go(50)
    _, S = parts(made)
    assert np.array_equal(S, S.T)
    assert np.linalg.eigvalsh(S).min() > 0
    assert np.linalg.eigvalsh(rules.prior_variance(made.rule) * np.eye(len(S)) - S).min() >= -1e-12


@EVERY_RULE
@BOTH
def test_the_bracket_holds(name, full):
    data, u = separable(0)
    rule = rule_of(name, full)
    where, y = space(data, "dense", rule, bias=0.0)
    made = Run(rule, where, y, rng=0)
    made.go(500)
    lower, upper = made.bracket
    best = (y * (data.X @ u)).min()
    assert upper == pytest.approx(made.radius, rel=1e-12)
    assert upper >= made.radius >= best
    # Most of these rules never rest, but all of them separate the examples in the end.
    mu, _ = parts(made)
    margin = (y * (data.X @ mu[:-1])).min() / np.linalg.norm(mu)
    assert made.separated
    assert 0 < margin <= lower * (1 + 1e-9)  # the best of all passes
    assert lower <= rb.certify(data.X, y, fit_intercept=False).margin_bracket[1]


@EVERY_RULE
@BOTH
@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
def test_stopped_and_resumed_is_the_same_run(name, full, readout, tmp_path):
    data, rule = reals(0), rule_of(name, full)
    where, y = space(data, "dense", rule)

    def fresh():
        return Run(rule, where, y, rng=7, readout=readouts.READOUTS[readout](), keep=30)

    resumed(fresh, tmp_path / "run.npz", passes=3, first=1, visits=17)


@EVERY_RULE
@BOTH
@pytest.mark.parametrize("step", [1000, 7])
def test_averaged_is_the_mean_over_visits(name, full, step):
    data, rule = reals(0), rule_of(name, full)
    where, y = space(data, "dense", rule)
    made = Run(rule, where, y, order=data.order, readout=readouts.Averaged())
    while not made.passes:
        made.advance(visits=step)
    means, _ = course(name, full, augmented(data.X, 1.0), data.y.astype(float), data.order)
    mean, _ = parts(made, made.readout.hypothesis(made))
    np.testing.assert_allclose(mean, oracles.averaged(means), rtol=1e-7, atol=1e-9)


@EVERY_RULE
@BOTH
def test_the_journal_replays(name, full):
    made = run(rule_of(name, full), reals(0))
    updates, h = made.journal().updates, spaces.origin(made.space)
    assert (updates.c == 1.0).all()
    for i, a in zip(updates.i, updates.a, strict=True):
        spaces.move(made.space, made.y, i, 0, a, h)
    np.testing.assert_allclose(h, made.h, rtol=1e-10, atol=1e-13)


# --- the papers' programmes -----------------------------------------------------------------


def divergence(mean, S, mu, spread):
    """KL(N(mean, S) || N(mu, spread))."""
    inverse, gap = np.linalg.inv(spread), mean - mu
    logs = np.linalg.slogdet(spread)[1] - np.linalg.slogdet(S)[1]
    return 0.5 * (logs + np.trace(inverse @ S) + gap @ inverse @ gap - len(mu))


def unpacked(z, d):
    L = np.zeros((d, d))
    L[np.tril_indices(d)] = z[d:]
    return z[:d], L @ L.T


def stepped(rule, mu, S, x, y):
    """Mean and covariance after one visit, by the rule's own numbers."""
    v = x @ S @ x
    a, _ = rules.step(rule, Look(y * (mu @ x), v, mu @ mu, 0.0, 0, 0, 0.0, y))
    g = rules.confidence_gain(rule, v, a) if a else 0.0
    return mu + a * y * S @ x, np.linalg.inv(np.linalg.inv(S) + g * np.outer(x, x))


def case(seed, d=3):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(d, d))
    return 0.5 * rng.normal(size=d), B @ B.T / d + 0.2 * np.eye(d), rng.normal(size=d), 1.0


def least(objective, mu, S, constraint=None):
    """The programme's minimum, by a general solver from the old hypothesis."""
    d = len(mu)
    start = np.concatenate([mu, np.linalg.cholesky(S)[np.tril_indices(d)]])
    options = {"maxiter": 2000, "ftol": 1e-15}
    bound = () if constraint is None else ({"type": "ineq", "fun": constraint},)
    found = minimize(objective, start, method="SLSQP", constraints=bound, options=options)
    return found.x


# Each paper's loss of (margin, variance), by the rule that minimises KL plus the loss.
LOSSES = [
    (rules.Arow(0.7), lambda m, v: (max(0.0, 1 - m) ** 2 + v) / (2 * 0.7)),
    (rules.SCW1(0.3, 0.9), lambda m, v: 0.3 * max(0.0, 0.9 * np.sqrt(v) - m)),
    (rules.SCW1(5.0, 0.9), lambda m, v: 5.0 * max(0.0, 0.9 * np.sqrt(v) - m)),
    (rules.SCW2(0.3, 0.9), lambda m, v: 0.3 * max(0.0, 0.9 * np.sqrt(v) - m) ** 2),
    (rules.SCW2(5.0, 1.5), lambda m, v: 5.0 * max(0.0, 1.5 * np.sqrt(v) - m) ** 2),
]


@pytest.mark.parametrize(
    ("rule", "loss"), LOSSES, ids=lambda part: getattr(part, "__name__", str(part))
)
@pytest.mark.parametrize("seed", range(6))
def test_soft_steps_minimise_their_objective(rule, loss, seed):
    mu, S, x, y = case(seed)
    if isinstance(rule, rules.Arow) and y * (mu @ x) >= 1:
        mu = -mu  # AROW leaves S alone where there is no loss, which its objective would not

    def value(mean, spread):
        return divergence(mean, spread, mu, S) + loss(y * (mean @ x), x @ spread @ x)

    ours = value(*stepped(rule, mu, S, x, y))
    if isinstance(rule, rules.SCW1):
        # A hinge has a corner, which a smooth solver needs as a constraint: loss <= slack.
        def lifted(z):
            mean, spread = unpacked(z[:-1], 3)
            return divergence(mean, spread, mu, S) + rule.C * z[-1]

        def room(z):
            mean, spread = unpacked(z[:-1], 3)
            return [z[-1] - rule.phi * np.sqrt(x @ spread @ x) + y * (mean @ x), z[-1]]

        start = np.concatenate([mu, np.linalg.cholesky(S)[np.tril_indices(3)], [3.0]])
        bound = ({"type": "ineq", "fun": room},)
        options = {"maxiter": 2000, "ftol": 1e-15}
        found = minimize(lifted, start, method="SLSQP", constraints=bound, options=options)
        theirs = value(*unpacked(found.x[:-1], 3))
    else:
        theirs = value(*unpacked(least(lambda z: value(*unpacked(z, 3)), mu, S), 3))
    assert ours <= theirs + 1e-9
    assert ours == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("rule", [rules.CW(0.9), rules.CWVariance(0.9), rules.CW(1.6)], ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_confidence_weighted_steps_are_the_nearest(rule, seed):
    mu, S, x, y = case(seed)
    power = 0.5 if isinstance(rule, rules.CW) else 1.0

    def slack(mean, spread):
        return y * (mean @ x) - rule.phi * (x @ spread @ x) ** power

    mean, spread = stepped(rule, mu, S, x, y)
    before = slack(mu, S)
    assert slack(mean, spread) == pytest.approx(max(0.0, before), abs=1e-9)
    z = least(
        lambda z: divergence(*unpacked(z, 3), mu, S),
        mu,
        S,
        lambda z: slack(*unpacked(z, 3)),
    )
    theirs = divergence(*unpacked(z, 3), mu, S)
    assert divergence(mean, spread, mu, S) == pytest.approx(theirs, abs=1e-6)
    np.testing.assert_allclose(mean, z[:3], atol=1e-3)


@pytest.mark.parametrize("rule", [rules.CW(), rules.CWVariance(), rules.SCW2()], ids=str)
def test_steps_keep_their_digits_near_the_margin(rule):
    """Where the textbook's formula is a difference of nearly equal numbers."""
    v = 1e-6
    edge = rule.phi * (v if isinstance(rule, rules.CWVariance) else np.sqrt(v))
    m = np.array([0.0, 0.5, 1 - 1e-6, 1 - 1e-12]) * edge
    steps = [rules.step(rule, Look(k, v, 0.0, 0.0, 0, 0, 0.0, 1.0))[0] for k in m]
    assert all(later < step for step, later in pairwise(steps))
    assert steps[-1] / steps[-2] == pytest.approx(1e-6, rel=1e-3)
    assert rules.step(rule, Look(edge * 1.001, v, 0.0, 0.0, 0, 0, 0.0, 1.0)) == (0.0, 1.0)


@SEEDS
def test_the_second_order_mistake_bound(seed):
    """Theorem 3.1 of Cesa-Bianchi et al. 2005, for the separator the data were made with."""
    data, u = separable(seed)
    rule = rules.Sop(full=True)
    where, y = space(data, "dense", rule, bias=0.0)
    made = Run(rule, where, y, rng=seed)
    assert made.go(500).converged
    learned = data.X[made.journal().updates.i]
    A = learned.T @ learned
    g = (y * (data.X @ u)).min()
    bound = np.sqrt((1 + u @ A @ u) * np.log1p(np.linalg.eigvalsh(A).clip(0)).sum()) / g
    assert made.n.k <= bound


def test_proofs_of_first_order_are_not_told_of_the_second():
    """The convergence proof and its bracket are of steps along examples."""
    data = reals(7)
    clf = rb.SecondOrderPerceptron(random_state=0, max_iter=3).fit(data.X, data.y)
    with pytest.raises(ValueError, match="variances"):
        rb.proof_trace(clf, X=data.X, y=data.y)
    with pytest.raises(ValueError, match="variances"):
        rb.plot.bracket(clf, data.X, data.y)
    made = run(rules.Sop(), data)
    with pytest.raises(ValueError, match="space of kind Diagonal"):
        rb.proof_trace(made)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_runs_side_by_side_share_no_scratch(kind, full):
    """Errors are counted with scratch arrays, and threads would write to each other's."""
    X = np.random.default_rng(0).normal(size=(4, 140)).astype(np.float32)
    base, _ = cases.space(cases.Data(X, np.array([1, -1, 1, -1]), None), kind)
    base = base._replace(h32=np.zeros(141, np.float32))
    where = inputs.variance_space(base, rules.Arow(full=full))
    ours = spaces.with_own_scratch(where)
    assert not np.shares_memory(ours.base.h32, where.base.h32)
    if full:
        assert not np.shares_memory(ours.product, where.product)
