"""Linear models score in double precision, block by block."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.models import Linear, linear


@pytest.mark.parametrize("kind", [np.asarray, np.float32, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("cells", [1, 7, 1 << 21])
def test_scores_are_products_plus_intercepts(kind, cells, monkeypatch):
    monkeypatch.setattr(linear, "CELLS", cells)
    rng = np.random.default_rng(0)
    X, coef, intercept = rng.integers(-5, 6, (9, 4)) * 1.0, rng.normal(size=(3, 4)), np.arange(3.0)
    found = Linear(coef, intercept).scores(kind(X))
    assert found.dtype == np.float64
    assert found == pytest.approx(np.array([[w @ x for w in coef] for x in X]) + intercept)
