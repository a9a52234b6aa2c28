"""The loops as plain Python against the papers: fast, with no compiler between code and law."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from rosenblatt.engine.budget_run import BudgetRun
from rosenblatt.engine.kernel_run import kernel_runs
from rosenblatt.theory import readouts, rules, spaces
from rosenblatt.theory.loops import temper
from tests.laws import test_budgets, test_second
from tests.laws.cases import (
    ORACLES,
    RULES,
    Data,
    augmented,
    plain,
    plain_rows,
    reals,
    resumed,
    separable,
)
from tests.oracles import greedy as oracles_greedy
from tests.oracles import online as oracles

N = 6.0


def replayed(made):
    """The hypothesis and the sum of the steps that a journal's updates make."""
    h, total, updates = made.journal().start[0].copy(), 0.0, made.journal().updates
    for i, r, a, c in zip(updates.i, updates.r, updates.a, updates.c, strict=True):
        h *= c
        spaces.move(made.space, made.y, i, r, a, h)
        total = c * total + a
    return h, total


def about_nonpositive(margins, count):
    """Whether so many are 0 or less, those aside that are 0 but for rounding."""
    near = np.abs(margins) <= 1e-12
    least = (margins[~near] <= 0).sum()
    # At the start every margin is exactly 0.
    return least + (margins == 0).sum() <= count <= least + near.sum()


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("name", RULES)
def test_every_rule_equals_the_paper_at_every_visit(name, kind):
    data = reals(0)
    X, y = augmented(data.X, 1.0), data.y.astype(float)
    W = ORACLES[name](X, y, data.order)
    made = plain(RULES[name], data, kind, count_errors=True)
    made.dual = np.zeros(len(y))
    visited = np.zeros(0)  # margins; MIRA puts some on the boundary, where rounding decides
    for t, i in enumerate(data.order):
        visited = np.append(visited, y[i] * (W[t] @ X[i]))
        made.advance(visits=1)
        np.testing.assert_allclose(made.h, W[t + 1], rtol=1e-7, atol=1e-9)
        assert about_nonpositive(visited, made.n.mistakes)
    assert made.n.norm2 == pytest.approx(W[-1] @ W[-1], rel=1e-9)
    np.testing.assert_allclose(X.T @ (made.dual * y), made.h, rtol=1e-7, atol=1e-9)
    h, total = replayed(made)
    np.testing.assert_allclose(h, made.h, rtol=1e-9, atol=1e-12)
    assert np.isnan(made.n.step_sum) or made.n.step_sum == pytest.approx(total, rel=1e-9)
    margins = y * (X @ W[-1])
    errors, low = made.survey(made.h)
    assert errors == made.passes[-1].errors
    assert about_nonpositive(margins, errors)
    assert low == pytest.approx(margins.min(), rel=1e-7)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", test_second.SECOND)
def test_every_rule_of_second_order_equals_the_paper(name, full):
    data, rule = reals(0, n=20), test_second.rule_of(name, full)
    X, y = augmented(data.X, 1.0), data.y.astype(float)
    means, spreads = test_second.course(name, full, X, y, data.order)
    made = plain(rule, data)
    for mean, spread in zip(means[1:], spreads[1:], strict=True):
        made.advance(visits=1)
        mu, S = test_second.parts(made)
        np.testing.assert_allclose(mu, mean, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(S, spread, rtol=1e-7, atol=1e-9)
        assert made.n.norm2 == pytest.approx(mu @ mu, rel=1e-9)
    assert made.n.k > 3
    assert made.n.upper == np.inf


@pytest.mark.parametrize("kind", ["rows", "rows csr"])
@pytest.mark.parametrize("scheme", ["max", "uniform", "proportional"])
def test_schemes_equal_the_paper_and_replay(kind, scheme):
    data = reals(1, classes=4)
    W = oracles.multiclass_plain(augmented(data.X, 1.0), data.y, data.order, 4, 1.0, scheme)
    made = plain_rows(rules.Plain(), data, kind, scheme)
    np.testing.assert_allclose(spaces.as_rows(made.space, made.h), W[-1], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("beta", [0.0, 1.0, 20.0])
def test_mira_equals_the_paper(beta):
    data = reals(0, classes=5, n=60)
    W = oracles.multiclass_mira(augmented(data.X, 1.0), data.y, data.order, 5, beta)
    made = plain_rows(rules.Mira(beta), data, "rows", "projection")
    np.testing.assert_allclose(made.h, W[-1], rtol=1e-6, atol=1e-8)


def test_a_scale_is_written_once_where_rivals_share_a_step():
    data = reals(1, n=15, classes=4, passes=1)
    made = plain_rows(rules.Romma(), data, "rows", "uniform")
    updates, h = made.journal().updates, spaces.origin(made.space)
    again = np.diff(updates.t) == 0
    assert (again & (updates.c[:-1] != 1.0)).sum() > 1
    assert (updates.c[1:][again] == 1.0).all()
    for i, r, a, c in zip(updates.i, updates.r, updates.a, updates.c, strict=True):
        h *= c
        spaces.move(made.space, made.y, i, r, a, h)
    np.testing.assert_allclose(h, made.h, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("c", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_a_weight_takes_a_part_of_the_turn_and_never_stretches(c, weight):
    """A whole step of weight 1 ends in the direction of c·w + a·x, one of weight 0 where it was."""
    w, x, a = np.array([1.0, 0.0]), np.array([0.0, 1.0]), 2.0
    part, scale = temper(a, c, weight)
    assert 0 <= scale <= 1
    aim = (c * w + a * x) / max(c, 1.0)
    np.testing.assert_allclose(scale * w + part * x, (1 - weight) * w + weight * aim)


def test_a_step_that_drops_the_old_weights_still_bounds_the_margin():
    """w = y·x/q is a combination of signed examples, whatever w was before."""
    points = np.array([[10.0, 0.0], [2.0, 1.0]])
    data = Data(np.vstack([points, -points]), np.array([1, 1, -1, -1]), np.arange(4))
    made = plain(rules.Romma(True), data, bias=0.0)
    made.go(1)
    assert made.journal().updates.c.min() == 0.0
    assert made.n.step_sum == pytest.approx(replayed(made)[1], rel=1e-12)
    assert made.bracket[1] == pytest.approx(np.sqrt(5.0), rel=1e-9)


def test_the_length_is_carried_beside_an_offset():
    data = reals(3)
    made = plain(rules.Margin(1.0), data, offset=0.7)
    for _ in data.order:
        made.advance(visits=1)
        assert made.n.norm2 == pytest.approx(made.h @ made.h, rel=1e-9)
    assert made.n.k > 5


@pytest.mark.parametrize("algorithm", [1, 2, 3])
def test_wendemuths_algorithms_equal_the_paper(algorithm):
    data, order = reals(1), ("least", "violated", "nearest")[algorithm - 1]
    rule = rules.Maxover(np.inf if algorithm == 1 else 0.3, 12.0, N)
    sigma = oracles_greedy.scaled(augmented(data.X, 1.0), data.y, N)
    made = plain(rule, data, order=order, rng=1, start=oracles_greedy.hebb(sigma, N))
    words = iter(made.order.draw(40, np.random.default_rng(1), None))
    W = oracles_greedy.maxover(
        sigma, N, algorithm, 0.3, 40, 12.0, lambda k: (int(next(words)) * k) >> 32
    )
    for w in W[1:]:
        made.advance(updates=1)
        np.testing.assert_allclose(made.h, w, rtol=1e-7, atol=1e-9)
    assert len(W) > 10


@pytest.mark.parametrize("order", ["least", "nearest"])
def test_a_picking_order_takes_the_first_of_equals(order):
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [-2.0, -2.0]])
    data = Data(X, np.array([1, 1, 1, 1, -1]), None)
    made = plain(rules.Margin(3.0), data, order=order)
    made.go(20)
    assert made.converged
    assert set(made.journal().updates.i.tolist()) <= {0, 1, 4}


@pytest.mark.parametrize("weight", [0.25, 1.0])
def test_a_picking_order_takes_a_part_of_a_weighted_step(weight):
    """Stretch and all: w goes this part of the way to where a whole step would take it."""
    data, start = reals(1), np.linspace(-3.0, 2.0, 6)
    rule, weights = rules.Maxover(0.3, 12.0, N), np.full(len(data.y), weight)
    whole = plain(rule, data, order="least", start=start)
    made = plain(rule, data, order="least", start=start, weights=weights)
    for one in (whole, made):
        one.advance(updates=1)
    assert whole.journal().updates.c[0] > 1.0
    np.testing.assert_allclose(made.h, start + weight * (whole.h - start), rtol=1e-9)


def test_a_picking_order_makes_a_mistake_at_margin_zero_and_none_above():
    data = reals(0)
    made, signed = plain(rules.Margin(1.0), data, order="nearest"), augmented(data.X, 1.0)
    mistakes = 0
    for _ in range(30):
        before = made.h.copy()
        made.advance(updates=1)
        i = made.journal().updates.i[-1]
        mistakes += bool(data.y[i] * (before @ signed[i]) <= 0)
        assert made.n.mistakes == mistakes
    assert 0 < mistakes < made.n.k


def test_margins_that_were_carried_are_looked_at_again_before_a_run_ends():
    data, _ = separable(0)
    made = plain(rules.Plain(), data, order="least")
    made.advance(updates=3)
    made.margin_cache.margins[:] = 1.0  # as if rounding had made every example look right
    made.go(50)
    assert made.converged
    assert made.survey(made.h)[0] == 0
    assert made.n.k > 3


@pytest.mark.parametrize("name", test_budgets.POLICIES)
@pytest.mark.parametrize("budget", [2, 9])
def test_every_budget_policy_equals_the_paper(name, budget):
    policy = test_budgets.POLICIES[name]
    X, y = test_budgets.sample(budget, n=60)
    made, words = test_budgets.bounded(policy, X, y, budget, block=7, compiled=False)
    K, order = test_budgets.RBF.block(X, X), np.tile(np.arange(len(y)), 2)
    held, mistakes = test_budgets.oracle(policy, K, y.astype(int), order, budget, words)
    assert made.support.tolist() == [j for j, _ in held]
    np.testing.assert_allclose(made.h[made.support], [c for _, c in held], rtol=1e-5, atol=1e-7)
    assert made.n.mistakes == mistakes
    np.testing.assert_allclose(made.n.norm2, made.h @ K @ made.h, rtol=1e-6, atol=1e-9)
    h, updates = np.zeros(len(y)), made.journal().updates
    for i, a, c in zip(updates.i, updates.a, updates.c, strict=True):
        h = c * h
        h[i] += a * y[i]
    np.testing.assert_allclose(h * made.damage[1], made.h, atol=1e-9)


@pytest.mark.parametrize("rule", [rules.Romma(), rules.Plain()])
def test_a_budget_that_is_never_used_up_changes_nothing_of_weighted_steps(rule):
    X, y = test_budgets.sample(3, n=30)
    options = {"order": "cyclic", "compiled": False}
    options["weights"] = np.random.default_rng(0).uniform(0.2, 1.0, len(y))
    (free,) = kernel_runs(rule, test_budgets.RBF, X, [y], 3, **options)
    (made,) = kernel_runs(
        rule, test_budgets.RBF, X, [y], 3, kind=BudgetRun, policy=test_budgets.POLICIES["stop"],
        budget=len(y), **options,
    )  # fmt: skip
    free.go(2)
    made.go(2)
    np.testing.assert_allclose(made.h * made.damage[1], free.h, rtol=1e-9)
    assert made.passes == free.passes


# --- readouts and saved runs ----------------------------------------------------------------------


def in_parts(made, step):
    while not made.passes:
        made.advance(visits=step)
    return made


@pytest.mark.parametrize("step", [1000, 7])
@pytest.mark.parametrize("name", ["plain", "ballseptron", "romma"])
def test_readouts_equal_their_definitions(name, step):
    data = reals(0)
    X, y = augmented(data.X, 1.0), data.y.astype(float)
    W = ORACLES[name](X, y, data.order)
    T = len(data.order)
    averaged = in_parts(plain(RULES[name], data, readout=readouts.Averaged()), step)
    mean = averaged.readout.hypothesis(averaged)
    np.testing.assert_allclose(mean, W[1:].mean(axis=0), rtol=1e-7, atol=1e-9)
    later = (T * mean + 25 * averaged.h) / (T + 25)  # others go on for 25 visits
    np.testing.assert_allclose(averaged.readout.hypothesis(averaged, T + 25), later, rtol=1e-9)
    voted = in_parts(plain(RULES[name], data, readout=readouts.Voted()), step)
    changes = np.flatnonzero((W[1:] != W[:-1]).any(axis=1))
    assert voted.readout.updates().t.tolist() == changes.tolist()
    assert voted.readout.updates().i.tolist() == data.order[changes].tolist()
    assert not voted.readout.start.any()
    lives = np.diff(changes, prepend=0, append=T)
    assert voted.readout.votes().tolist() == lives.tolist()
    assert voted.readout.votes(T + 25).tolist() == [*lives[:-1], lives[-1] + 25]


def test_the_averages_of_shards_are_joined_by_their_visits():
    made = [in_parts(plain(rules.Plain(), reals(s, n=30 + s), readout=readouts.Averaged()), 50)
            for s in range(3)]  # fmt: skip
    sizes, means = [run.n.t for run in made], [run.readout.hypothesis(run) for run in made]
    joined, mixture = readouts.Averaged(), made[0]
    joined.join([run.readout for run in made])
    visits, mean = sum(sizes), np.average(means, axis=0, weights=sizes)
    np.testing.assert_allclose(joined.hypothesis(mixture, visits), mean, rtol=1e-12)
    later = (visits * mean + 40 * mixture.h) / (visits + 40)  # others go on for 40 visits
    np.testing.assert_allclose(joined.hypothesis(mixture, visits + 40), later, rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_pocket_is_replaced_only_by_fewer_errors(seed):
    data, pocket = reals(seed, passes=4), readouts.Pocket()
    made = plain(rules.Plain(), data, readout=pocket)
    held, errors = [], []
    while not made.passes:
        made.advance(visits=1)
        if pocket.longest:
            held.append(pocket.hypothesis(made).copy())
            errors.append(made.mistakes(held[-1]))
    changes = [t for t in range(1, len(held)) if not np.array_equal(held[t - 1], held[t])]
    assert changes
    assert all(errors[t] < errors[t - 1] for t in changes)


@pytest.mark.parametrize("step", [1000, 3])
@pytest.mark.parametrize("seed", range(3))
def test_the_pocket_has_the_longest_run(seed, step):
    data, pocket = reals(seed, n=20, passes=4), readouts.Pocket(ratchet=False)
    X, y = augmented(data.X, 1.0), data.y.astype(float)
    made = in_parts(plain(rules.Plain(), data, readout=pocket), step)
    W = ORACLES["plain"](X, y, data.order)
    best = oracles.longest_run(data.order, X, y, W)
    np.testing.assert_allclose(pocket.hypothesis(made), W[best], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("order", ["least", "nearest"])
def test_of_a_picking_order_the_first_of_the_best_is_kept(order):
    data = reals(0)
    made = plain(rules.Margin(2.0), data, order=order, readout=readouts.Fewest())
    W = [made.h.copy()]
    for _ in range(60):
        made.advance(updates=1)
        W.append(made.h.copy())
    errors = [made.mistakes(w) for w in W]
    assert errors.count(min(errors)) > 1
    best = W[errors.index(min(errors))]
    np.testing.assert_allclose(made.readout.hypothesis(made), best, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("readout", readouts.READOUTS)
def test_a_run_that_is_saved_and_restored_ends_in_the_same_bits(readout, tmp_path):
    data = reals(0)

    def fresh():
        kind = readouts.READOUTS[readout]
        return plain(rules.Plain(), data, order="shuffled", rng=7, readout=kind(), keep=30)

    whole, again = resumed(fresh, tmp_path / "run.npz", passes=4, first=1, visits=12)
    for column, other in zip(whole.journal().updates, again.journal().updates, strict=True):
        assert np.array_equal(column, other)


@pytest.mark.parametrize("kind", [*readouts.READOUTS.values(), readouts.Fewest])
def test_a_readout_that_began_late_is_restored_whole(kind):
    """Its span of visits does not begin at 0, as after a readout was changed or on a shard."""
    data, first = reals(0), plain(rules.Plain(), reals(0))
    first.go(1)
    made = plain(rules.Plain(), data)
    made.import_state(replace(first.export_state(here=False), readout=kind()))
    made.advance(visits=15)
    made.advance(visits=10)
    state, again = made.readout.state(), kind()
    again.restore(state)
    np.testing.assert_equal(again.state(), state)
    np.testing.assert_equal(again.hypothesis(made, 200), made.readout.hypothesis(made, 200))
    if kind is readouts.Voted:
        assert again.votes().sum() == made.readout.votes().sum() == 25
        assert again.votes(200).sum() == 200 - len(first.y) * 2
    if kind is readouts.Averaged:
        assert state["span"].tolist() == [25, 105]


def test_one_update_at_a_time_writes_the_same_journal():
    data = reals(0)
    whole, steps = plain(rules.Plain(), data), plain(rules.Plain(), data)
    whole.go(1)
    while not steps.passes:
        before = steps.n.k
        steps.advance(updates=1)
        assert steps.n.k <= before + 1
    assert whole.n.k > 5
    for column, again in zip(whole.journal().updates, steps.journal().updates, strict=True):
        assert np.array_equal(column, again)


def test_a_run_saved_before_its_first_visit_keeps_its_random_numbers(tmp_path):
    first, other = (plain(rules.Plain(), reals(0), order="shuffled", rng=s) for s in (7, 8))
    first.save(tmp_path / "run.npz")
    other.restore(tmp_path / "run.npz")
    first.go(3)
    other.go(3)
    assert np.array_equal(other.h, first.h)


def test_a_restored_run_knows_what_was_proved(tmp_path):
    data, _ = separable(0)
    options = {"order": "shuffled", "rng": 0, "compiled": True}
    made = plain(rules.Plain(), data, **options)
    made.go(200)
    assert 0 < made.bracket[0] < made.bracket[1]
    made.save(tmp_path / "run.npz")
    again = plain(rules.Plain(), data, **options).restore(tmp_path / "run.npz")
    assert again.bracket == made.bracket
    assert again.progress() == made.progress()
    assert again.settled


@pytest.mark.parametrize("rule", [rules.Margin(3.0), rules.PA(), rules.Adatron()])
@pytest.mark.parametrize("seed", range(2))
def test_what_was_proved_in_a_pass_is_not_lost_in_the_next(rule, seed):
    data, _ = separable(seed)
    made = plain(rule, data, order="shuffled", rng=seed, count_errors=True)
    brackets = np.array([made.bracket for _ in made.passing(25)])
    assert (np.diff(brackets[:, 0][brackets[:, 0] > 0]) >= 0).all()
    assert (np.diff(brackets[:, 1]) <= 0).all()


def test_a_run_restored_in_the_middle_of_a_pass_ends_with_the_same_bounds(tmp_path):
    data, options = reals(0), {"order": "shuffled", "rng": 0}
    whole, first = (plain(rules.Plain(), data, **options) for _ in range(2))
    whole.go(4)
    first.go(1)
    while first.n.best_norm2 == np.inf:  # the best |w|/step_sum of this pass
        first.advance(visits=1)
    first.save(tmp_path / "run.npz")
    again = plain(rules.Plain(), data, **options).restore(tmp_path / "run.npz")
    assert again.n == first.n
    again.go(4)
    assert (again.n, again.bracket) == (whole.n, whole.bracket)


@pytest.mark.parametrize("name", ["plain", "romma", "ballseptron"])
def test_a_state_knows_the_steps_of_its_pass(name):
    """The bounds of a pass need their number, the shortest, and whether any of them scaled w."""
    made = plain(RULES[name], reals(0))
    for visit in range(1, 41):
        made.advance(visits=1)
        position, steps = made.export_state().position, made.journal().updates
        assert (position.visit, position.entries) == (visit, len(steps.a))
        assert position.least == steps.a.min(initial=np.inf)
        assert position.scaled == (steps.c != 1.0).any()
    again = plain(RULES[name], reals(0))
    again.import_state(made.export_state())
    there = again.export_state().position
    for field in ("visit", "opened", "entries", "least", "scaled"):
        assert getattr(there, field) == getattr(position, field)
    if name == "romma":
        assert steps.a.min() < steps.a[-1]
    if name == "ballseptron":  # it scales w seldom
        assert steps.c.min() < steps.c[-1] == 1.0


@pytest.mark.parametrize("updates", [5, 1000])
def test_a_run_takes_over_a_hypothesis_without_what_it_knew_of_another(updates):
    """A shard begins each round so; its margins and bounds are of the hypothesis before."""
    data, _ = separable(0)
    old, used, fresh = (plain(rules.Plain(), data, order="least") for _ in range(3))
    while used.n.k < updates and not used.converged:
        used.advance(updates=1)
    old.advance(updates=2)
    state = old.export_state(here=False)
    assert used.converged == (used.bracket[0] > 0) == (updates == 1000)
    used.begin_round(state, None)
    assert used.bracket[0] == -np.inf
    fresh.import_state(state)
    for one in (fresh, used):
        one.advance(updates=3)
    assert np.array_equal(used.h, fresh.h)
    assert used.n == fresh.n


def test_a_state_that_did_not_begin_at_zero_bounds_no_margin():
    data = reals(0)
    first, made = plain(rules.Plain(), data, start=np.full(6, 0.01)), plain(rules.Plain(), data)
    first.go(1)
    made.import_state(first.export_state(here=False))
    made.go(2)
    assert made.n.step_sum > 0
    assert made.bracket[1] >= made.radius


@pytest.mark.parametrize("visit", [-1, 41])
def test_a_state_at_a_visit_that_the_pass_does_not_have_is_rejected(visit):
    data = reals(0, passes=1)
    made = plain(rules.Plain(), data)
    made.advance(visits=7)
    state = made.export_state()
    ahead = replace(state, position=replace(state.position, visit=visit))
    with pytest.raises(ValueError, match="visit that the pass does not have"):
        plain(rules.Plain(), data).import_state(ahead)


def test_margins_that_only_rounding_makes_positive_prove_nothing():
    """Floats take every margin for positive; that of the second example is negative."""
    X = np.array(
        [
            [0.01, 0.09, 0.08908156859811153],
            [-0.05, 0.08, 0.04725235373851363],
            [0.01, -0.05, -0.041055087141643944],
            [0.03, -0.09, -0.06739240896503525],
        ]
    )
    y, w = np.array([-1, 1, -1, 1]), np.array([-0.5422289908269577, -0.929547540998269, 1.0])
    data, start = Data(X, y, np.arange(4)), np.append(w, 0.0)
    made = plain(rules.Plain(), data, bias=0.0, start=start)
    exact = [
        int(sign) * sum(Fraction(a) * Fraction(b) for a, b in zip(x, w.tolist(), strict=True))
        for x, sign in zip(X.tolist(), y, strict=True)
    ]
    assert made.survey(start) == (0, pytest.approx(6.9e-18, rel=0.1))
    assert min(exact) < 0
    made.go(3)
    assert made.passes[0].updates == 0
    assert not made.converged
    assert made.bracket[0] <= 0
