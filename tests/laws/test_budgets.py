"""Laws of budgets: never exceeded, the papers' algorithms, and what the papers prove of them."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from rosenblatt.engine.budget_run import BudgetRun
from rosenblatt.engine.kernel_run import kernel_runs
from rosenblatt.theory import rules
from rosenblatt.theory.budgets import BUDGETS, find, required_rule
from rosenblatt.theory.similarity import Similarity
from tests.oracles import budget as oracles

RBF = Similarity("rbf", gamma=0.5)
POLICIES = {name: kind() for name, kind in BUDGETS.items()} | {
    "projectron wide": BUDGETS["projectron"](eta=0.6),
    "projectron++ wide": BUDGETS["projectron++"](eta=0.6),
    "bpa-s bold": BUDGETS["bpa-s"](C=0.3),
    "bogd fading": BUDGETS["bogd"](eta0=0.3, lam=0.5),
}


def sample(seed, n=120, noise=0.1):
    """Points on and off a ring, a part of the labels wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where((X**2).sum(axis=1) > 2.4, 1, -1)
    y[rng.random(n) < noise] *= -1
    return X, y.astype(np.int8)


def bounded(policy, X, y, budget, passes=2, **options):
    made = kernel_runs(
        required_rule(policy) or rules.Plain(), options.pop("similarity", RBF), X, [y], 3,
        kind=BudgetRun, policy=policy, budget=budget, order="cyclic", **options,
    )[0]  # fmt: skip
    words = [np.zeros(0)]
    for _ in range(passes):
        made.advance()
        words.append(made._words)
    return made, np.concatenate(words)


def oracle(policy, K, y, order, budget, words):
    kind = type(policy)
    if kind is BUDGETS["forgetron"]:
        return oracles.forgetron(K, y, order, budget, words)[:2]
    if kind in (BUDGETS["projectron"], BUDGETS["projectron++"]):
        plus = kind is BUDGETS["projectron++"]
        return oracles.projectron(K, y, order, budget, policy.eta, plus)
    if kind is BUDGETS["bpa-s"]:
        return oracles.bpa_s(K, y, order, budget, policy.C)
    if kind is BUDGETS["bogd"]:
        return oracles.bogd(K, y, order, budget, words, *policy)
    how = next(name for name, one in BUDGETS.items() if one is kind)
    return oracles.perceptron(K, y, order, budget, words, how)


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("budget", [1, 2, 9, 30, 1000])
@pytest.mark.parametrize("block", [1, 7, 512])
def test_it_is_the_algorithm_of_the_paper(name, budget, block):
    X, y = sample(budget)
    made, words = bounded(POLICIES[name], X, y, budget, block=block)
    K = RBF.block(X, X)
    order = np.tile(np.arange(len(y)), 2)
    held, mistakes = oracle(POLICIES[name], K, y.astype(int), order, budget, words)
    assert made.support.tolist() == [j for j, _ in held]
    np.testing.assert_allclose(made.h[made.support], [c for _, c in held], rtol=1e-5, atol=1e-7)
    assert made.n.mistakes == mistakes
    np.testing.assert_allclose(made.n.norm2, made.h @ K @ made.h, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", POLICIES)
def test_plain_and_compiled_agree(name):
    X, y = sample(1, n=60)
    fast, _ = bounded(POLICIES[name], X, y, 7)
    plain, _ = bounded(POLICIES[name], X, y, 7, compiled=False)
    assert fast.support.tolist() == plain.support.tolist()
    np.testing.assert_allclose(fast.h, plain.h, rtol=1e-9)


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("budget", [1, 5, 40])
def test_a_budget_is_never_exceeded_at_any_visit(name, budget):
    X, y = sample(2, n=80)
    made, _ = bounded(POLICIES[name], X, y, budget, passes=0)
    for _ in range(2 * len(y)):
        made.advance(visits=1)
        assert np.count_nonzero(made.h) <= len(made.support) <= budget


# Policies differ only where there is no room, rules only before: each of either is met once.
@pytest.mark.parametrize(
    ("name", "rule"),
    [("stop", rules.Plain()), ("oldest", rules.Plain()), ("random", rules.Plain()),
     ("stop", rules.PA()), ("oldest", rules.Romma()), ("random", rules.Dynamic())],
)  # fmt: skip
def test_a_budget_that_is_never_used_up_changes_nothing(name, rule):
    X, y = sample(3)
    free = kernel_runs(rule, RBF, X, [y], 3, order="cyclic")[0]
    free.go(3)
    made = kernel_runs(rule, RBF, X, [y], 3, kind=BudgetRun, policy=POLICIES[name],
                       budget=len(y), order="cyclic")[0]  # fmt: skip
    made.go(3)
    np.testing.assert_allclose(made.h, free.h, rtol=1e-9)
    assert made.passes == free.passes
    np.testing.assert_allclose(made.bracket[1], free.bracket[1])


@pytest.mark.parametrize("name", POLICIES)
def test_a_huge_budget_takes_no_memory_and_comes_to_an_end(name):
    """Room is made for the examples of a block, not for a budget that nothing can fill."""
    X, y = sample(5)
    large, huge = (bounded(POLICIES[name], X, y, budget)[0] for budget in (1000, 1 << 40))
    assert np.array_equal(large.h, huge.h)
    np.testing.assert_equal(large.n, huge.n)


@pytest.mark.parametrize("name", POLICIES)
def test_the_journal_replays_to_the_hypothesis(name):
    X, y = sample(4)
    made, _ = bounded(POLICIES[name], X, y, 12)
    journal = made.journal()
    h = np.zeros(len(y))
    for i, a, c in zip(journal.updates.i, journal.updates.a, journal.updates.c, strict=True):
        h = c * h
        h[i] += a * journal.labels[i]
    np.testing.assert_allclose(h * made.damage[1], made.h, atol=1e-9)
    if name in ("oldest", "random"):
        assert made.n.k > 12


@pytest.mark.parametrize("name", POLICIES)
def test_a_run_saved_and_restored_ends_alike(name, tmp_path):
    X, y = sample(5)
    whole, _ = bounded(POLICIES[name], X, y, 9, block=16)
    first, _ = bounded(POLICIES[name], X, y, 9, passes=0, block=16)
    for _ in range(5):
        first.advance(visits=16)
    first.save(tmp_path / "run.npz")
    second, _ = bounded(POLICIES[name], X, y, 9, passes=0, block=16)
    second.restore(tmp_path / "run.npz").go(2)
    assert second.support.tolist() == whole.support.tolist()
    np.testing.assert_array_equal(second.h, whole.h)


@pytest.mark.parametrize("seed", range(3))
def test_the_forgetrons_damage_and_mistakes_are_bounded(seed):
    budget = 90
    X, y = sample(seed, n=900, noise=0.2)
    K = RBF.block(X, X)
    _, mistakes, history = oracles.forgetron(K, y.astype(int), range(len(y)), budget, None)
    assert len(history) > 50  # the budget was felt
    assert all(damage <= allowed * (1 + 1e-12) for damage, allowed, _ in history)
    made, _ = bounded(POLICIES["forgetron"], X, y, budget, passes=1)
    assert made.n.mistakes == mistakes
    # The theorem of the paper, for competitors made of the examples themselves.
    longest = 0.25 * sqrt((budget + 1) / log(budget + 1))
    rng = np.random.default_rng(seed)
    for _ in range(20):
        g = np.where(rng.random(len(y)) < 0.1, y, 0.0)
        length = sqrt(g @ K @ g)
        g *= longest * rng.uniform(0.1, 1.0) / length
        losses = np.maximum(0.0, 1 - y * (K @ g)).sum()
        assert made.n.mistakes <= 2 * (g @ K @ g) + 4 * losses


@pytest.mark.parametrize("name", ["projectron", "projectron++"])
@pytest.mark.parametrize("eta", [0.05, 0.2])
def test_projectrons_mistakes_are_bounded(name, eta):
    X, y = sample(7, n=500, noise=0.05)
    K = RBF.block(X, X)
    made, _ = bounded(BUDGETS[name](eta=eta), X, y, len(y), passes=1)
    assert len(made.support) < made.n.mistakes or eta < 0.1
    rng = np.random.default_rng(0)
    for _ in range(20):
        u = np.where(rng.random(len(y)) < 0.2, y, 0.0)
        u *= rng.uniform(0.05, 0.95) / (2 * eta * sqrt(u @ K @ u))
        losses = np.maximum(0.0, 1 - y * (K @ u)).sum()
        bound = ((u @ K @ u) + 2 * losses) / (1 - 2 * eta * sqrt(u @ K @ u))
        assert made.n.mistakes <= bound


def test_projectron_with_no_tolerance_is_the_perceptron():
    X, y = sample(8)
    made, _ = bounded(BUDGETS["projectron"](eta=0.0), X, y, len(y), passes=1)
    free = kernel_runs(rules.Plain(), RBF, X, [y], 3, order="cyclic")[0]
    free.go(1)
    assert made.n.mistakes == free.n.mistakes
    np.testing.assert_allclose(made.scores(made.h), free.scores(free.h), atol=1e-8)


def test_on_a_line_projectron_needs_one_example():
    X = np.linspace(-1, 1, 41)[:, None]
    y = np.where(X[:, 0] > 0, 1, -1).astype(np.int8)
    line = Similarity("linear")
    made, _ = bounded(BUDGETS["projectron"](eta=1e-6), X, y, 5, passes=3, similarity=line)
    assert len(made.support) == 1
    assert (y * made.scores(made.h) >= 0).all()


def test_bpa_s_leaves_no_more_loss_than_without_a_budget():
    # The update takes the loss of the example visited to what PA-I would leave.
    X, y = sample(9)
    K = RBF.block(X, X)
    made, _ = bounded(BUDGETS["bpa-s"](C=0.4), X, y, 8, passes=0, block=1)
    for i in range(len(y)):
        before = max(0.0, 1 - y[i] * (made.h @ K[i]))
        made.advance(visits=1)
        after = max(0.0, 1 - y[i] * (made.h @ K[i]))
        assert after == pytest.approx(max(0.0, before - 0.4), abs=1e-9)


@pytest.mark.parametrize("lam", [0.01, 0.5])
def test_bogd_keeps_its_coefficients_small(lam):
    X, y = sample(10, n=300)
    made, _ = bounded(BUDGETS["bogd"](eta0=0.2, lam=lam), X, y, 25, passes=1)
    assert np.abs(made.h).max() <= 0.2
    assert np.abs(made.h).sum() <= 1 / lam
    assert sqrt(made.n.norm2) <= 1 / lam


def test_bogd_drops_each_as_often_as_any_other():
    X, y = sample(11, n=40)
    K = RBF.block(X, X)
    eta0, lam, budget = 0.3, 0.1, 6
    made, _ = bounded(BUDGETS["bogd"](eta0, lam), X, y, budget, passes=0, block=1)
    while len(made.support) < budget:
        made.advance(visits=1)
    i = next(j for j in range(made.n.t, 40) if y[j] * (made.h @ K[j]) < 1)
    made.advance(visits=i - made.n.t)
    start, held = made.h.copy(), made.support.copy()
    results = []
    for r in range(budget):
        made.h, made.support, made._position = start.copy(), held.copy(), i
        made._words[i] = (r + 0.5) / budget
        made.advance(visits=1)
        results.append(made.h)
    expected = (1 - eta0 * lam) * (1 - 1 / budget) * start
    expected[i] += eta0 * y[i]
    np.testing.assert_allclose(np.mean(results, axis=0), expected, atol=1e-12)


def test_random_removal_treats_all_alike():
    X, y = sample(12, n=3000, noise=0.4)
    made, _ = bounded(POLICIES["random"], X, y, 10, passes=1)
    updates = made.journal().updates
    dropped = int((updates.a < 0).sum())
    assert dropped > 500
    # An example survives each of the following removals with probability 9/10.
    born = {}
    ages = []
    for t, (i, a) in enumerate(zip(updates.i.tolist(), updates.a.tolist(), strict=True)):
        if a < 0:
            ages.append((t - born.pop(i)) / 2)
        else:
            born[i] = t
    assert np.mean(ages[50:]) == pytest.approx(10, rel=0.15)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("newest", ValueError, "budget_policy"),
        (3, TypeError, "BUDGETS"),
        (BUDGETS["projectron"](eta=-1.0), ValueError, "eta"),
    ],
)
def test_bad_policies_are_named(given, error, message):
    with pytest.raises(error, match=message):
        find(given)
