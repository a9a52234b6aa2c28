"""Laws of the engine: every rule, in every space, on data of every kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.theory import rules, spaces
from rosenblatt.theory.journal import joined
from rosenblatt.theory.readouts import READOUTS
from tests.laws.cases import (
    EXACT,
    ORACLES,
    RULES,
    Data,
    augmented,
    reals,
    resumed,
    run,
    separable,
    space,
    weights,
    whole_numbers,
)

MORE = settings(max_examples=40, deadline=None)
EVERY_RULE = pytest.mark.parametrize("name", RULES)
SEEDS = pytest.mark.parametrize("seed", range(3))


@EVERY_RULE
@MORE
@given(data=whole_numbers())
def test_python_equals_compiled_bit_for_bit(name, data):
    """Sparse sums are taken in order, so that the two must agree to the last bit."""
    slow, fast = (run(RULES[name], data, "csr", compiled=c) for c in (False, True))
    assert np.array_equal(slow.h, fast.h)
    np.testing.assert_equal(slow.n, fast.n)  # where a bound was lost, nan equals nan
    assert slow.passes == fast.passes


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("kind", ["dense", "rows", "rows csr"])
@MORE
@given(st.data())
def test_python_equals_compiled_in_every_space(name, kind, data):
    classes = 3 if kind.startswith("rows") else 2
    drawn = data.draw(whole_numbers(classes=classes))
    slow, fast = (run(RULES[name], drawn, kind, compiled=c) for c in (False, True))
    assert np.array_equal(slow.h, fast.h)
    assert slow.n == fast.n


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("bias", [0.0, 1.0, 2.0])
@MORE
@given(data=whole_numbers())
def test_dense_equals_sparse_exactly(name, bias, data):
    dense, sparse = (run(RULES[name], data, kind, bias) for kind in ("dense", "csr"))
    assert np.array_equal(dense.h, sparse.h)
    assert dense.n == sparse.n


@pytest.mark.parametrize("name", EXACT)
@MORE
@given(data=whole_numbers(classes=3))
def test_dense_equals_sparse_exactly_with_many_classes(name, data):
    dense, sparse = (run(RULES[name], data, kind) for kind in ("rows", "rows csr"))
    assert np.array_equal(weights(dense), weights(sparse))
    assert dense.n == sparse.n


@EVERY_RULE
@SEEDS
def test_dense_equals_sparse_on_reals(name, seed):
    data = reals(seed)
    dense, sparse = (run(RULES[name], data, kind) for kind in ("dense", "csr"))
    np.testing.assert_allclose(dense.h, sparse.h, rtol=1e-7, atol=1e-9)


@EVERY_RULE
@SEEDS
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_hypotheses_equal_the_paper(name, seed, kind):
    """The whole trajectory, hypothesis by hypothesis, against the paper's plain words."""
    data = reals(seed)
    expected = ORACLES[name](augmented(data.X, 1.0), data.y.astype(float), data.order)
    where, y = space(data, kind)
    made = Run(RULES[name], where, y, order=data.order)
    for w in expected[1:]:
        made.advance(visits=1)
        np.testing.assert_allclose(made.h, w, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", EXACT)
@MORE
@given(data=whole_numbers())
def test_hypotheses_equal_the_paper_exactly(name, data):
    expected = ORACLES[name](augmented(data.X, 1.0), data.y.astype(float), data.order)
    assert np.array_equal(run(RULES[name], data).h, expected[-1])


@EVERY_RULE
@SEEDS
@pytest.mark.parametrize("kind", ["dense", "csr", "rows", "rows csr"])
def test_counters_are_what_they_say(name, seed, kind):
    """norm2 = |w|², the sum of the steps, and w as the combination of examples that they make."""
    data = reals(seed, classes=3 if kind.startswith("rows") else 2)
    made = run(RULES[name], data, kind, count_errors=False)
    assert made.n.norm2 == pytest.approx(np.vdot(made.h, made.h), rel=1e-9)
    assert made.n.t == len(data.order)
    updates = made.journal().updates
    total, h = 0.0, np.zeros_like(made.h)
    for i, r, a, c in zip(updates.i, updates.r, updates.a, updates.c, strict=True):
        h *= c
        spaces.move(made.space, made.y, i, r, a, h)
        total = c * total + a
    np.testing.assert_allclose(made.h, h, rtol=1e-9, atol=1e-12)
    if (updates.c >= 0).all():
        assert made.n.step_sum == pytest.approx(total, rel=1e-9)


@EVERY_RULE
@SEEDS
def test_the_dual_is_the_journal(name, seed):
    """w = sum of dual·y·x, for a run that keeps the dual."""
    data = reals(seed)
    where, y = space(data, "dense")
    made = Run(RULES[name], where, y, order=data.order)
    made.dual = np.zeros(len(y))
    made.go(1)
    X = augmented(data.X, 1.0)
    np.testing.assert_allclose(X.T @ (made.dual * data.y), made.h, rtol=1e-7, atol=1e-9)


@EVERY_RULE
@pytest.mark.parametrize("readout", READOUTS)
@SEEDS
def test_stopped_and_resumed_is_the_same_run(name, readout, seed, tmp_path):
    """run(a), saved, restored, then run(b) ends in the bits of run(a + b)."""
    data = reals(seed)
    where, y = space(data, "dense")

    def fresh() -> Run:
        return Run(RULES[name], where, y, rng=7, readout=READOUTS[readout](), keep=30)

    path = tmp_path / "run.npz"
    whole, second = resumed(fresh, path, passes=4, first=1, visits=1 + 11 * seed)
    if readout == "voted":
        assert np.array_equal(second.readout.votes(), whole.readout.votes())


@SEEDS
def test_one_update_at_a_time_is_the_same_run(seed):
    data = reals(seed)
    where, y = space(data, "dense")
    whole, steps = (Run(rules.Plain(), where, y, order=data.order) for _ in range(2))
    whole.go(1)
    while not steps.passes:
        before = steps.n.k
        steps.advance(updates=1)
        assert steps.n.k <= before + 1
    assert np.array_equal(whole.h, steps.h)


@EVERY_RULE
@SEEDS
def test_the_bracket_holds(name, seed):
    data, u = separable(seed)
    where, y = space(data, "dense", bias=0.0)
    made = Run(RULES[name], where, y, rng=seed)
    made.go(200)
    lower, upper = made.bracket
    best = (y * (data.X @ u)).min()
    assert lower <= upper * (1 + 1e-12)
    assert upper >= best * (1 - 1e-12)
    last = (y * (data.X @ made.h[:-1])).min() / np.linalg.norm(made.h[:-1])
    assert last <= lower * (1 + 1e-9) or last <= 1e-12  # not more than rounding could fake


@pytest.mark.parametrize("name", EXACT)
@MORE
@given(data=whole_numbers())
def test_swapped_labels_give_minus_w(name, data):
    rule = rules.Uneven(1.0, 1.0) if name == "uneven" else RULES[name]
    there = run(rule, data)
    back = run(rule, data._replace(y=-data.y))
    assert np.array_equal(there.h, -back.h)


@pytest.mark.parametrize("name", EXACT)
@MORE
@given(data=whole_numbers(), seed=st.integers(0, 99))
def test_permuted_features_permute_w(name, data, seed):
    p = np.random.default_rng(seed).permutation(data.X.shape[1])
    there = run(RULES[name], data)
    back = run(RULES[name], data._replace(X=np.ascontiguousarray(data.X[:, p])))
    assert np.array_equal(there.h[:-1][p], back.h[:-1])
    assert there.n == back.n


@MORE
@given(data=whole_numbers(), eta0=st.sampled_from([0.125, 0.5, 4.0]))
def test_the_learning_rate_only_scales_w(data, eta0):
    one, other = run(rules.Plain(), data), run(rules.Plain(eta0), data)
    assert np.array_equal(eta0 * one.h, other.h)
    assert one.n.k == other.n.k


def test_a_long_journal_forgets_its_beginning_and_still_replays():
    data = reals(0, n=500)
    where, y = space(data, "dense")
    made = Run(rules.Margin(1e9), where, y, rng=0, keep=100)
    made.go(1000)
    kept = made.journal()
    assert len(kept) >= 100
    assert len(kept) < made.n.k
    h = kept.start[0].copy()
    for i, a, c in zip(kept.updates.i, kept.updates.a, kept.updates.c, strict=True):
        h *= c
        spaces.move(where, y, i, 0, a, h)
    np.testing.assert_allclose(h, made.h, rtol=1e-9)


def test_a_journal_never_has_fewer_updates_than_it_should_keep():
    where, y = space(Data(np.array([[1.0], [1.0]]), np.array([1, -1]), None), "dense")
    made = Run(rules.Plain(), where, y, order=np.tile([0, 1], 50_000), keep=100_000)
    for _ in range(80):
        made.advance(visits=5_000)
        assert len(made.journal()) >= min(made.n.k, 100_000)
    assert made.n.k == 400_000 > len(made.journal())


def test_memory_stays_flat_on_data_that_cannot_be_separated():
    X = np.array([[1.0], [1.0]])
    where, y = space(Data(X, np.array([1, -1]), None), "dense")
    made = Run(rules.Plain(), where, y, order=np.tile([0, 1], 200_000), keep=1000)
    made.go(3)
    assert made.n.k == 3 * 400_000
    assert len(made.journal()) <= 3 * 65_536


def test_parts_of_a_journal_join_to_the_whole():
    made = run(rules.Plain(), reals(1)).journal().updates
    whole = joined([made.part(0, 2), made.part(2, 3), made.part(3, len(made.t))])
    for column, again in zip(made, whole, strict=True):
        assert np.array_equal(column, again)


def screened(data, kind):
    """A space with h in single precision; a sparse one has it from many features on."""
    where, labels = space(data, kind)
    if kind == "csr":
        where = where._replace(h32=np.zeros(data.X.shape[1] + 1, np.float32))
    return where, labels


@pytest.mark.parametrize(
    ("name", "compiled"),
    [(name, True) for name in RULES] + [(name, False) for name in ("plain", "pa1", "romma")],
)
@pytest.mark.parametrize("kind", ["dense", "rows", "csr"])
@pytest.mark.parametrize("data", ["reals", "ties", "huge"])
def test_the_quick_look_in_single_precision_changes_nothing(name, compiled, kind, data):
    """Screening ends in the same bits as looking at every example."""
    n, passes = (200, 4) if compiled else (60, 1)
    X, y, order = reals(0, n=n, d=140, classes=4 if kind == "rows" else 2, passes=passes)
    X = {"reals": X, "ties": np.rint(X), "huge": X * 1e17}[data].astype(np.float32)
    where, labels = screened(Data(X, y, order), kind)
    ends = []
    for used in (where, where._replace(h32=where.h32[:0])):
        made = Run(RULES[name], used, labels, order=order, compiled=compiled)
        made.go(2)
        ends.append((made.h.tobytes(), np.array(made.n).tobytes(), made.passes, made.bracket))
        # Mistakes and the least margin, of hypotheses that make some and of one that makes none.
        flat = np.full_like(made.h, 0.0)
        flat[..., -1] = 1.0
        ends[-1] += (made.survey(made.h), made.survey(-made.h), made.survey(flat))
    assert spaces.screening_pays(where, n)
    assert ends[0] == ends[1]


def unmeasured(X):
    """A space whose first pass measures the examples."""
    return inputs.binary_space(X, 1.0, sizes=np.full(len(X), np.nan))


def copied(X):
    """A space with coarse copies of its examples."""
    space = inputs.with_coarse_copies(unmeasured(X))
    for i in range(len(X)):
        spaces.measure(space, i)
    return space


@pytest.mark.parametrize(("name", "compiled"), [*((name, True) for name in RULES), ("pa1", False)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("data", ["reals", "far", "ties", "huge", "gaps"])
def test_coarse_copies_change_nothing(name, compiled, dtype, data):
    """Screening by them ends in the same bits as looking at every example."""
    n, passes = (200, 4) if compiled else (60, 2)
    X, y, order = reals(0, n=n, d=140, classes=2, passes=passes)
    sides = np.where(y == y.max(), 1.0, -1.0)[:, None]
    X = {"reals": X, "far": X + sides, "ties": np.rint(X), "huge": X * 1e17, "gaps": X * (X > 2.5)}
    X = X[data].astype(dtype)
    labels = inputs.signs(y, y.max())
    ends = []
    for used in (unmeasured(X), inputs.with_coarse_copies(unmeasured(X))):
        made = Run(RULES[name], used, labels, order=order, compiled=compiled)
        made.go(passes)
        ends.append((made.h.tobytes(), np.array(made.n).tobytes(), made.passes, made.bracket))
        ends[-1] += (made.survey(made.h), made.survey(-made.h))
    assert ends[0] == ends[1]
    if name == "plain" and data == "far":
        assert not used.coarse.doubtful.all()  # copies do decide


@pytest.mark.parametrize("scale", [1e-30, 1e-5, 1.0, 1e14, 1e20])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_coarse_copy_is_not_trusted_with_what_it_has_lost(scale, dtype):
    """Along the difference to its copy an example is shorter than the copy makes it look."""
    X = (reals(0, n=40, d=140, classes=2).X * scale).astype(dtype)
    X[0] = 0.0
    labels = np.ones(len(X), np.int8)
    space = copied(X)
    for i in range(len(X)):
        lost = space.coarse.scales[i] * space.coarse.rows[i] - X[i].astype(float)
        if space.coarse.slack[i] == np.inf or not lost.any():
            continue
        h = np.append(lost / np.abs(lost).max(), 0.0)
        spaces.refresh_h32(space, h)
        m, norm2 = spaces.look(space, labels, i, h)[0], spaces.squared_norm(space, h)
        space.coarse.doubtful[:] = False
        assert not spaces.clearly_above(space, labels, i, h, norm2, m)
        space.coarse.doubtful[:] = False
        below = m - 3.0 * space.coarse.slack[i] * np.sqrt(norm2)
        assert spaces.clearly_above(space, labels, i, h, norm2, below)
    trusted = np.isfinite(space.coarse.slack).sum()
    assert trusted == (39 if 1e-6 < scale < 1e15 else 0)


def test_copies_that_decide_too_little_are_not_read():
    space = copied(reals(0, n=40, d=140, classes=2).X.astype(np.float32))
    space.coarse.doubtful[:4] = True
    spaces.weigh_doubts(space)
    assert space.coarse.doubtful.sum() == 4
    space.coarse.doubtful[4] = True
    spaces.weigh_doubts(space)
    assert space.coarse.doubtful.all()


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_screening_is_not_trusted_with_tiny_numbers(kind):
    """What single precision cannot hold may make a margin look larger than it is."""
    d = 200
    X = np.full((2, d), 1e30, np.float32)
    where, labels = screened(Data(X, np.array([1, -1]), None), kind)
    h = np.full(d + 1, 0.8e-45)  # in single precision 1.4e-45, the least number there is
    spaces.refresh_h32(where, h)
    assert where.h32[0] > 1.5 * h[0]
    level = 1.2 * spaces.look(where, labels, 0, h)[0]
    assert not spaces.clearly_above(where, labels, 0, h, spaces.squared_norm(where, h), level)


def test_screening_is_not_trusted_where_every_sum_is_rounded_up():
    """Partial sums from 64 on take each of these products for more than it is."""
    X = np.ones((2, 140), np.float32)
    where, labels = screened(Data(X, np.array([1, -1]), None), "dense")
    h = np.full(141, 1.0 + 0.51 * 2.0**-17)
    spaces.refresh_h32(where, h)
    m, norm2 = spaces.look(where, labels, 0, h)[0], spaces.squared_norm(where, h)
    rounded = spaces.dense_dot(where.X, 0, where.h32) + h[140]
    off = (rounded - m) / np.sqrt(where.norms2[0] * norm2)
    assert off > 20 * 2.0**-24
    assert not spaces.clearly_above(where, labels, 0, h, norm2, m)
    assert spaces.clearly_above(where, labels, 0, h, norm2, m * (1 - 1e-3))


def test_indices_of_64_bits_do_the_same():
    """Few matrices are so large, and no test has room for one."""
    data = reals(0)
    narrow, y = space(data, "csr")
    indices, indptr = narrow.indices.astype(np.uint64), narrow.indptr.astype(np.int64)
    wide = narrow._replace(indices=indices, indptr=indptr)
    ends = []
    for where in (narrow, wide):
        made = Run(rules.Plain(), where, y, order=data.order)
        made.go(2)
        ends.append((made.h.tobytes(), made.passes))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_margins_without_variances_are_the_same_margins(kind, full):
    data = reals(0)
    base, y = space(data, kind)
    made = Run(
        rules.Arow(full=full), inputs.variance_space(base, rules.Arow(full=full)), y,
        order=data.order,
    )  # fmt: skip
    made.go(1)
    where, w = spaces.scoring_form(made.space, made.h)
    for i in range(len(y)):
        with_variance = spaces.look(made.space, y, i, made.h)[0]
        assert spaces.look(where, y, i, w)[0] == pytest.approx(with_variance, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", ["dense", "rows", "csr"])
@pytest.mark.parametrize("level", [0.0, 1.0])
def test_screening_proves_only_what_is_true_and_often_enough(kind, level):
    rng = np.random.default_rng(0)
    h = rng.normal(size=(3, 101))
    X = rng.normal(size=(4000, 100))
    # Margins from clear ones down to those that single precision must get wrong.
    aim = np.sign(rng.normal(size=4000)) * 10.0 ** rng.uniform(-9, 1, 4000)
    plane = h[0, :100] - h[1, :100] if kind == "rows" else h[0, :100]
    rest = h[0, 100] - h[1, 100] if kind == "rows" else h[0, 100]
    X += ((level + aim - rest - X @ plane) / (plane @ plane))[:, None] * plane
    y = np.array([2] + 3999 * [0]) if kind == "rows" else np.ones(4000, int)
    where, labels = screened(Data(X.astype(np.float32), y, None), kind)
    h = h if kind == "rows" else h[0]
    spaces.refresh_h32(where, h)
    norm2, passed = spaces.squared_norm(where, h), 0
    for i in range(1, 4000):
        if spaces.clearly_above(where, labels, i, h, norm2, level):
            passed += 1
            assert spaces.look(where, labels, i, h)[0] > level
    assert passed > (300 if kind == "rows" else 500)
