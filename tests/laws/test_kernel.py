"""Laws of kernel runs: the sequential algorithm, whatever the blocks, whatever is shared."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from sklearn.metrics.pairwise import pairwise_kernels

from rosenblatt.engine.kernel_run import kernel_runs
from rosenblatt.engine.run import Run
from rosenblatt.theory import rules
from rosenblatt.theory.similarity import Similarity
from tests.laws.cases import EXACT, RULES, reals, run, whole_numbers

MORE = settings(max_examples=30, deadline=None)
# Rules that look at more than margins and lengths have no kernel form.
DUAL = [name for name, rule in RULES.items() if getattr(rule, "p", 2.0) == 2.0 and name != "alma"]
LINEAR = Similarity("linear", constant=1.0)


def kernel_run(rule, data, similarity=LINEAR, **options):
    made = kernel_runs(rule, similarity, data.X, [data.y.astype(np.int8)], 0,
                       order=data.order, **options)[0]  # fmt: skip
    made.go(1)
    return made


def journal(made):
    updates = made.journal().updates
    return [column.tolist() for column in updates]


@pytest.mark.parametrize("name", EXACT)
@MORE
@given(data=whole_numbers())
def test_the_linear_kernel_is_the_linear_run_exactly(name, data):
    plain, dual = run(RULES[name], data), kernel_run(RULES[name], data)
    assert journal(plain) == journal(dual)
    assert plain.n[:5] == dual.n[:5]
    assert plain.passes == dual.passes
    augmented = np.column_stack([data.X, np.ones(len(data.y))])
    assert np.array_equal(dual.h @ augmented, plain.h)


@pytest.mark.parametrize("name", DUAL)
@pytest.mark.parametrize("seed", range(3))
def test_every_rule_has_the_same_hypothesis_in_kernel_form(name, seed):
    data = reals(seed)
    plain, dual = run(RULES[name], data), kernel_run(RULES[name], data, block=7)
    augmented = np.column_stack([data.X, np.ones(len(data.y))])
    scale = 1e-9 * np.abs(plain.h).max()
    np.testing.assert_allclose(dual.h @ augmented, plain.h, rtol=1e-6, atol=scale)
    assert plain.n.k == dual.n.k


@pytest.mark.parametrize("name", EXACT)
@MORE
@given(data=whole_numbers(passes=4))
def test_blocks_of_any_size_make_the_same_journal(name, data):
    poly = Similarity("poly", degree=2, gamma=1.0, coef0=1.0)
    one, seven, many = (
        kernel_run(RULES[name], data, poly, block=block) for block in (1, 7, 512)
    )  # fmt: skip
    assert journal(one) == journal(seven) == journal(many)
    assert np.array_equal(one.h, many.h)


@pytest.mark.parametrize("kernel", ["poly", "rbf"])
def test_runs_that_share_kernel_values_equal_runs_alone(kernel):
    data = reals(0, n=90, classes=3)
    problems = [np.where(data.y == c, 1, -1).astype(np.int8) for c in range(3)]
    similarity = Similarity(kernel, degree=3, gamma=0.5, coef0=1.0)
    options = {"block": 16, "order": "shuffled"}
    together = kernel_runs(rules.Plain(), similarity, data.X, problems, 5, **options)
    for _ in range(3):
        for start in range(0, 90, 16):
            for one in together:
                one.advance(visits=min(16, 90 - start))
    for shared, y in zip(together, problems, strict=True):
        alone = kernel_runs(rules.Plain(), similarity, data.X, [y], 5, **options)[0]
        alone.go(3)
        assert journal(shared) == journal(alone)
        np.testing.assert_allclose(shared.n.norm2, alone.n.norm2)


def test_the_length_carried_by_algebra_is_that_of_the_gram_matrix():
    data = reals(1)
    similarity = Similarity("rbf", gamma=0.3)
    made = kernel_run(rules.PA(), data, similarity)
    K = similarity.block(data.X, data.X)
    np.testing.assert_allclose(made.n.norm2, made.h @ K @ made.h)
    np.testing.assert_allclose(made.scores(made.h), K @ made.h)


def test_a_run_saved_and_restored_ends_in_the_same_bits(tmp_path):
    data = reals(2, n=60)
    similarity = Similarity("poly", degree=2, gamma=1.0, coef0=1.0)

    def fresh() -> Run:
        y = data.y.astype(np.int8)
        return kernel_runs(rules.Plain(), similarity, data.X, [y], 3, block=8)[0]

    whole, first, second = fresh(), fresh(), fresh()
    whole.go(5)
    for _ in range(13):
        first.advance(visits=8)
    first.save(tmp_path / "run.npz")
    second.restore(tmp_path / "run.npz").go(5)
    assert np.array_equal(whole.h, second.h)
    assert whole.n == second.n


def test_it_separates_what_a_plane_cannot():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([-1, 1, 1, -1], np.int8)
    similarity = Similarity("poly", degree=2, gamma=1.0, coef0=1.0)
    made = kernel_runs(rules.Plain(), similarity, X, [y], 0)[0]
    assert made.go(100).converged
    lower, upper = made.bracket
    assert 0 < lower <= upper


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "laplacian", "cosine"])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_kernels_are_those_of_scikit_learn(kernel, storage):
    if kernel == "laplacian" and storage is sp.csr_array:
        pytest.skip("scikit-learn's laplacian kernel wants other sparse matrices")
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(5, 4)), rng.normal(size=(7, 4))
    options = {"poly": {"degree": 5, "gamma": 0.7, "coef0": 2.0}, "rbf": {"gamma": 0.4},
               "sigmoid": {"gamma": 0.2, "coef0": 0.1}}.get(kernel, {})  # fmt: skip
    mine = Similarity(kernel, **options)
    theirs = pairwise_kernels(A, B, metric=kernel, **options)
    np.testing.assert_allclose(mine.block(storage(A), storage(B)), theirs, atol=1e-12)
    own = pairwise_kernels(A, metric=kernel, **options)
    np.testing.assert_allclose(mine.diagonal(storage(A)), np.diag(own), atol=1e-12)


def test_a_function_is_a_kernel_too():
    words = np.array(["pain", "paint", "rain", "stone"], object)

    def common(a, b):
        return float(len(set(a) & set(b)))

    similarity = Similarity(common)
    made = kernel_runs(rules.Plain(), similarity, words, [np.array([1, 1, 1, -1], np.int8)], 0)[0]
    assert made.go(50).converged
