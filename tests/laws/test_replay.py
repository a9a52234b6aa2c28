"""A journal replays to the bit, also where no hyperplane separates and errors would grow."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.theory import rules

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3))
LABELS = {2: RANDOM.integers(0, 2, 60), 4: RANDOM.integers(0, 4, 60)}
FORMS = {"dense": np.asarray, "single": lambda A: A.astype(np.float32), "csr": sp.csr_array}
KINDS = {
    name: kind()
    for name, kind in rules.RULES.items()
    if not rules.prior_variance(kind()) and getattr(kind(), "p", 2.0) == 2.0
} | {"romma aggressive": rules.Romma(True), "mira margin": rules.Mira(1.0)}
SHAPES = [(2, "max"), (4, "max"), (4, "uniform"), (4, "projection")]


@pytest.mark.parametrize(("classes", "scheme"), SHAPES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_linear_rule_replays_to_the_bit(name, form, classes, scheme):
    rule, data = KINDS[name], FORMS[form](X)
    if getattr(rule, "needs_dual", False) and classes > 2:
        pytest.skip("one-vs-rest only")
    clf = rb.PerceptronClassifier(rule, scheme=scheme, max_iter=25, random_state=0)
    clf.fit(data, LABELS[classes])
    *_, (weights, steps) = clf.journal_.replay(data)
    assert np.array_equal(weights, np.column_stack([clf.coef_, clf.intercept_]))
    if steps > 0 and not getattr(rule, "needs_dual", False):
        assert steps == pytest.approx(clf.journal_.counters["sa"], rel=1e-12)


@pytest.mark.parametrize("model", [rb.AROW(), rb.WinnowPerceptron(), rb.KernelPerceptron()])
def test_what_is_no_sum_of_examples_says_so(model):
    clf = model.fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="cannot be replayed as a sum of examples"):
        next(clf.journal_.replay(X))


def test_aggressive_romma_never_outgrows_the_best_margin():
    """|w| <= 1/g at all times (Li & Long 2002), g the best margin."""
    points, best = np.array([[10.0, 0.0], [2.0, 1.0]]), np.sqrt(5.0)
    clf = rb.ROMMA(aggressive=True, fit_intercept=False, order="cyclic", max_iter=50)
    clf.fit(np.vstack([points, -points]), [1, 1, 0, 0])
    lengths = [np.linalg.norm(w) for w, _ in clf.journal_.replay(np.vstack([points, -points]))]
    assert len(lengths) > 1
    assert max(lengths) <= 1 / best * (1 + 1e-12)
