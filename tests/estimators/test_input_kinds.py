"""Input of every kind, in every order, is learned alike."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris

import rosenblatt as rb
from rosenblatt.estimators import MEMBERS
from tests.support.fits import same

# --- input ----------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_data_frames_keep_their_names(library):
    pytest.importorskip(library)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = (X - X.mean()) / X.std()
    plain = rb.Perceptron(random_state=0, max_iter=5).fit(X.to_numpy(), y.to_numpy())
    if library == "polars":
        import polars

        frame = polars.from_pandas(X)
    elif library == "pyarrow":
        import pyarrow

        frame = pyarrow.Table.from_pandas(X)
    else:
        frame = X
    model = rb.Perceptron(random_state=0, max_iter=5).fit(frame, y)
    same(plain, model)
    assert model.feature_names_in_[0] == "mean radius"
    top = model.top_features(2)[1]
    best = X.columns[np.argsort(model.coef_[0])[::-1][:2]]
    assert [name for name, _ in top["positive"]] == list(best)
    assert model.score(frame, y) == plain.score(X.to_numpy(), y)


def test_float32_is_learned_in_doubles(digits):
    X, y = digits
    one = rb.Perceptron(random_state=0, max_iter=5).fit(X.astype(np.float32), y)
    two = rb.Perceptron(random_state=0, max_iter=5).fit(X, y)
    same(one, two)
    np.testing.assert_array_equal(
        one.decision_function(X.astype(np.float32)), two.decision_function(X)
    )


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array])
@pytest.mark.parametrize("classes", [2, 10])
@pytest.mark.parametrize("large", [False, True])
def test_sparse_equals_dense(digits, kind, classes, large):
    X, y = digits
    X, y = X[y < classes], y[y < classes]
    S = kind(X)
    if large and S.format == "csr":
        S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    for name in ("Perceptron", "AveragedPerceptron", "VotedPerceptron", "PocketPerceptron"):
        dense = MEMBERS[name](random_state=0, max_iter=3).fit(X, y)
        sparse = MEMBERS[name](random_state=0, max_iter=3).fit(S, y)
        same(dense, sparse)
        np.testing.assert_array_equal(dense.predict(X), sparse.predict(S))


def test_the_order_of_entries_in_a_row_does_not_matter(digits):
    X, y = digits
    sorted_, reversed_ = sp.csr_array(X), sp.csr_array(X)
    for start, stop in zip(reversed_.indptr, reversed_.indptr[1:], strict=False):
        for entries in (reversed_.indices, reversed_.data):
            entries[start:stop] = entries[start:stop][::-1].copy()
    reversed_.has_sorted_indices = reversed_.has_canonical_format = False
    given = reversed_.indices.copy()
    one, two = (rb.Perceptron(random_state=0, max_iter=3).fit(S, y) for S in (sorted_, reversed_))
    same(one, two)
    np.testing.assert_array_equal(reversed_.indices, given)


def test_repeated_entries_of_a_sparse_matrix_add_up():
    raw = sp.csr_matrix((2, 1))
    raw.data, raw.indices = np.array([1.0, 2.0, -3.0]), np.array([0, 0, 0], np.int32)
    raw.indptr = np.array([0, 2, 3], np.int32)
    same(
        rb.PassiveAggressive(shuffle=False).fit(raw, [1, 0]),
        rb.PassiveAggressive(shuffle=False).fit(np.array([[3.0], [-3.0]]), [1, 0]),
    )
    assert raw.data.tolist() == [1.0, 2.0, -3.0]  # what was given stays as it was
    assert raw.indptr.tolist() == [0, 2, 3]


def test_a_read_only_memory_map_is_read_in_place(tmp_path, digits):
    X, y = digits
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    same(
        rb.Perceptron(random_state=0, max_iter=3).fit(mapped, y),
        rb.Perceptron(random_state=0, max_iter=3).fit(X, y),
    )


@pytest.mark.parametrize("order", ["cyclic", "shuffled", "blocks", "sampled", "given"])
def test_orders(noisy, order):
    X, y = noisy
    visits = np.arange(len(y))[::-1] if order == "given" else order
    one, two = (rb.Perceptron(order=visits, max_iter=4, random_state=3).fit(X, y) for _ in range(2))
    same(one, two)
    seen = np.concatenate([one.journal_.updates.i])
    assert seen.max() < len(y)
    if order == "given":
        same(one, rb.Perceptron(shuffle=False, max_iter=4).fit(X[::-1], y[::-1]))


def test_a_sampled_order_converges_only_with_proof():
    X, y = load_iris(return_X_y=True)
    model = rb.Perceptron(order="sampled", random_state=0, max_iter=500).fit(X, y == 0)
    assert model.converged_
    assert model.score(X, y == 0) == 1.0


def test_an_order_that_leaves_examples_out_proves_nothing():
    X = np.array([[1.0], [-1.0], [5.0], [4.0]])
    y = np.array([1, 0, 0, 1])
    model = rb.Perceptron(order=[0, 1], max_iter=10).fit(X, y)
    assert not model.converged_
    assert model.pass_errors_[-1] > 0


@pytest.mark.parametrize("order", ["cyclic", "shuffled"])
def test_a_large_vocabulary_is_screened_and_learned_in_the_same_bits(order):
    """Weights of many features are looked at in single precision where that is enough."""
    from rosenblatt.engine import inputs
    from rosenblatt.engine.run import Run
    from rosenblatt.theory import rules, spaces

    rng = np.random.default_rng(0)
    X = sp.random(1200, 40_000, 0.002, "csr", random_state=0)
    sums = X @ rng.normal(size=40_000)
    y = np.where(rng.random(1200) < 0.05, sums < 0, sums > 0) * np.int8(2) - np.int8(1)
    wide = inputs.binary_space(X, 1.0)
    assert spaces.screening_pays(wide, 1200)
    assert not spaces.screening_pays(wide, 100)  # too few for the work of making one
    assert not spaces.screening_pays(inputs.binary_space(X[:, :500], 1.0), 1200)
    ends = []
    for space in (wide, wide._replace(h32=wide.h32[:0])):
        run = Run(rules.Plain(), space, y, order=order, rng=0)
        run.go(20)
        ends.append((run.h.tobytes(), run.passes, run.bracket))
    assert ends[0] == ends[1]
    assert 4 * ends[0][1][-1].updates < 1200  # looked at quickly, not only at first


def test_threads_of_matrix_products_change_no_bit():
    """BLAS shares a long sum among its threads, and so it depends on their number."""
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(0)
    X = sp.random(300, 60_000, 0.002, "csr", random_state=0)
    y = X @ rng.normal(size=60_000) > 0
    ends = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            ends.append(rb.ROMMA(max_iter=10, random_state=0).fit(X, y).coef_.tobytes())
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("model", [rb.Perceptron, rb.AROW])
def test_squares_of_single_precision_are_summed_in_double_precision(model, form):
    data = np.array([[100001.0], [100002.0]], np.float32)
    single = model(max_iter=3, random_state=0).fit(form(data), [0, 1])
    double = model(max_iter=3, random_state=0).fit(form(data.astype(float)), [0, 1])
    assert single.radius_ == double.radius_
    assert np.array_equal(single.coef_, double.coef_)
