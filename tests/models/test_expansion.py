"""Expansions are sums over supports."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.models import Expansion, expansion
from rosenblatt.theory.similarity import Precomputed, Similarity


@pytest.mark.parametrize("cells", [1, 20, 1 << 22])
def test_scores_are_sums_of_kernel_values(cells, monkeypatch):
    monkeypatch.setattr(expansion, "CELLS", cells)
    rng = np.random.default_rng(0)
    X, supports, coef = rng.normal(size=(7, 3)), rng.normal(size=(4, 3)), rng.normal(size=(2, 4))
    model = Expansion(Similarity("poly", degree=2, gamma=1.0, coef0=1.0), supports, coef)
    naive = [
        [sum(c * (1 + s @ x) ** 2 for c, s in zip(row, supports, strict=True)) for row in coef]
        for x in X
    ]
    assert model.scores(X) == pytest.approx(np.array(naive))


def test_supports_of_a_gram_matrix_are_columns():
    K = np.arange(12.0).reshape(3, 4)
    model = Expansion(Precomputed(), np.array([3, 1]), np.array([[2.0, -1.0]]))
    assert model.scores(K)[:, 0].tolist() == (2 * K[:, 3] - K[:, 1]).tolist()


def test_a_block_leaves_room_for_an_array_of_a_given_width(monkeypatch):
    monkeypatch.setattr(expansion, "CELLS", 100)
    X, supports = np.ones((9, 2)), np.ones((4, 2))
    blocks = list(expansion.kernel_rows(Similarity("linear"), X, supports, width=30))
    assert [rows.stop - rows.start for rows, _ in blocks] == [3, 3, 3]
    assert all(np.array_equal(K, np.full((3, 4), 2.0)) for _, K in blocks)
