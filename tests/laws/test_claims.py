"""The law of claims: nothing that a fit reports about itself is false.

Cases that once broke a claim stand by name; after them a few hundred of any kind. `make soak` tries
as many as time allows.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt import ORDERS, RULES, certify
from rosenblatt.estimators import MEMBERS
from tests.laws.claims.case import Case
from tests.laws.claims.checks import broken
from tests.laws.claims.draw import SECOND, draw
from tests.laws.claims.shrink import shrink
from tests.oracles import exact

SQUARE = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 2.0]]
SPREAD = [[1.0, 2.0], [-3.0, 1.0], [2.0, -1.0], [-1.0, -2.0], [0.5, 0.25]]
RING = [[1.9, 0.1], [0.2, 2.1], [-1.7, 0.3], [-0.1, -2.2], [0.9, -1.1], [1.2, 1.4]]
STAR = [[-3.0, -1.0], [1.0, 0.0], [0.0, 3.0], [3.0, -1.0], [0.0, -1.0]]
UNITS = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
PICKING = ("least", "violated", "nearest")


def fit(name: str, table: list[list[float]], labels: list[int], **options: object) -> Case:
    """A case of one fit; `case` options go to the case itself."""
    own = {k: options.pop(k) for k in ("dtype", "sparse", "weights", "start", "way", "cuts",
                                       "announce") if k in options}  # fmt: skip
    return Case(name, {"max_iter": 30, "random_state": 0} | options, table, labels, **own)


def assert_true(case: Case) -> None:
    found = broken(case)
    assert not found, "\n".join([case.code(), *(f"{claim}: {detail}" for claim, detail in found)])


# --- bounds on the best margin ------------------------------------------------------------------


@pytest.mark.parametrize("order", PICKING)
@pytest.mark.parametrize("name", SECOND)
def test_second_order_rules_that_pick_examples_bracket_the_margin(name, order):
    assert_true(fit(name, SPREAD, [1, 0, 1, 0, 1], order=order, max_iter=3))


@pytest.mark.parametrize("name", SECOND)
def test_a_stream_after_a_picking_fit_brackets_the_margin(name):
    case = fit(name, SPREAD, [1, 0, 1, 0, 1], order="least", max_iter=3, way="fit+stream", cuts=[3])
    assert_true(case)


def test_mira_takes_the_best_rival_for_the_margin():
    assert_true(fit("MIRA", [[0.0], [-1.0], [-1.0]], [0, 1, 2], margin=50.0, max_iter=3,
                    random_state=2))  # fmt: skip


@pytest.mark.parametrize("passes", [1, 2, 5])
def test_mira_counts_errors_against_the_best_rival(passes):
    assert_true(fit("MIRA", RING, [0, 1, 2, 0, 1, 2], margin=1.0, max_iter=passes, shuffle=False))


NEARLY_EQUAL = {
    "seconds since 1970": ([[1700000000.0], [1700000001.0]], {}),
    "one part in a hundred million": ([[1e8], [1e8 + 1]], {}),
    "a constant column": ([[0.4, 1e5], [0.6, 1e5]], {}),
    "a large constant feature": ([[0.4], [0.6]], {"intercept_scaling": 1e6}),
    "squares that underflow": ([[3e-170], [-2e-170]], {"fit_intercept": False}),
    "single precision": ([[-2e-15], [2e-15], [-5e-16], [1e-15]], {"dtype": "float32"}),
}


@pytest.mark.parametrize("name", ["Perceptron", "AveragedPerceptron", "DynamicMarginPerceptron"])
@pytest.mark.parametrize("data", NEARLY_EQUAL)
def test_no_rounding_hides_a_margin(data, name):
    table, options = NEARLY_EQUAL[data]
    assert_true(fit(name, table, [i % 2 for i in range(len(table))], **options))


def test_steps_whose_squares_underflow_prove_no_bound():
    table = [[8e93, 1e93], [1e94, 1e94]]
    assert_true(fit("MIRA", table, [0, 1], margin=1.0, max_iter=1, random_state=6))


@pytest.mark.parametrize("seed", range(3))
def test_no_rounding_hides_a_margin_from_a_kernel(seed):
    table = [[1.0 + 0.001 * ((7 * i + seed) % 5), 2.0 - 0.003 * (i % 3)] for i in range(6)]
    case = fit("KernelPerceptron", table, [i % 2 for i in range(6)], kernel="rbf", gamma=1.0,
               readout="last", dtype="float32", max_iter=60, random_state=seed)  # fmt: skip
    assert_true(case)


def test_a_matrix_of_no_kernel_bounds_no_margin():
    case = fit("KernelPerceptron", [[1.0, 2.0], [2.0, 1.0]], [0, 1], kernel="precomputed",
               fit_intercept=False)  # fmt: skip
    assert_true(case)


def test_a_sigmoid_that_is_no_kernel_bounds_no_margin():
    case = fit("KernelPerceptron", [[1.0], [3.0]], [0, 1], kernel="sigmoid", gamma=1.0, coef0=0.0,
               fit_intercept=False)  # fmt: skip
    assert_true(case)
    square = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    negative = fit("KernelPerceptron", square, [0, 1, 1, 0], kernel="sigmoid", gamma=0.125,
                   coef0=-1.0, fit_intercept=False)  # fmt: skip
    assert_true(negative)


@pytest.mark.parametrize("rule", ["adaline", "backwards"])
@pytest.mark.parametrize("order", [None, "least"])
def test_steps_back_prove_no_bound(rule, order):
    case = fit("PerceptronClassifier", STAR, [0, 1, 1, 0, 0], rule=f"own:{rule}", order=order,
               max_iter=100)  # fmt: skip
    assert_true(case)


# --- words --------------------------------------------------------------------------------------


def test_a_bound_on_updates_counts_all_classes():
    assert_true(fit("Perceptron", UNITS, [0, 1, 2], multiclass="ovr", fit_intercept=False))


def test_a_bound_on_updates_is_of_a_start_at_zero():
    start = ([[-100.0]], [0.0])
    assert_true(fit("Perceptron", [[1.0], [-1.0]], [1, 0], start=start, max_iter=200))


def test_a_bound_on_updates_is_of_lengths_in_the_plain_rules_space():
    # The first feature decides, all others are noise: few updates for Winnow, many for the rest.
    draw_sign = Random(9).choice
    noise = [[float(draw_sign((-1, 1))) for _ in range(15)] for _ in range(12)]
    table = [[1.0 if i % 2 else -1.0, *row] for i, row in enumerate(noise)]
    labels = [i % 2 for i in range(12)]
    assert_true(fit("PerceptronClassifier", table, labels, rule="winnow", fit_intercept=False))


def test_a_margin_bound_on_updates_holds_for_every_learning_rate():
    case = fit("MarginPerceptron", STAR, [0, 1, 1, 0, 0], eta0=0.1, margin=10.0, max_iter=300)
    assert_true(case)


def test_a_stream_is_not_separated_by_what_its_last_part_shows():
    assert_true(fit("Perceptron", SQUARE[:3], [0, 1, 1], way="stream", cuts=[1, 2],
                    announce=[0, 1]))  # fmt: skip


def test_a_stream_at_rest_is_not_still_updating():
    table, labels = [[1.0], [-1.0], [1.0], [-1.0]], [1, 0, 1, 0]
    assert_true(fit("Perceptron", table, labels, way="stream", cuts=[2], announce=[0, 1]))


def test_a_stream_with_new_classes_counts_the_errors_of_all():
    table = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.1, 0.1]]
    case = fit("Perceptron", table, [0, 1, 2, 3, 2], multiclass="ovr", way="fit+stream", cuts=[2])
    assert_true(case)


# --- the end of learning ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("DynamicMarginPerceptron", {"eps": 0.1}),
        ("Ballseptron", {"radius": 0.3}),
        ("MarginPerceptron", {"margin": 20.0}),
        ("ALMA", {"alpha": 0.5, "B": 8.0**0.5 / 0.5}),
    ],
)
def test_a_margin_is_reached_on_examples_that_were_not_visited_too(name, options, seed):
    for order in ("sampled", [0, 1, 2], [3, 4, 4]):
        assert_true(fit(name, RING, [1, 1, 0, 0, 0, 1], order=order, random_state=seed, **options))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("DynamicMarginPerceptron", {"eps": 0.1}),
        ("Ballseptron", {"radius": 0.3}),
        ("MarginPerceptron", {"margin": 1.0}),
    ],
)
def test_a_margin_is_reached_from_any_start(name, options):
    for size in (-20.0, 0.01, 30.0):
        start = ([[size, size]], None)
        assert_true(fit(name, STAR, [0, 1, 1, 0, 0], start=start, max_iter=100, **options))


@pytest.mark.parametrize("size", [-1e-200, 1e-200, 1e-320])
@pytest.mark.parametrize("name", ["Perceptron", "DynamicMarginPerceptron", "ROMMA", "Ballseptron"])
def test_a_start_whose_square_underflows_is_a_start(name, size):
    for table in ([[1.0], [-2.0]], [[3.0, -1.0], [-3.0, -3.0]]):
        assert_true(fit(name, table, [1, 0], start=([[size] * len(table[0])], None)))
        assert_true(fit(name, table, [0, 1], start=([[size] * len(table[0])], None)))


def test_a_threshold_that_is_right_by_itself_leaves_the_weights_at_zero():
    case = fit("Perceptron", [[2.0], [1.0]], [1, 0], fit_intercept=False, threshold=-1.0,
               way="stream", cuts=[1], announce=[0, 1])  # fmt: skip
    assert_true(case)


def test_a_problem_at_rest_still_counts_its_errors():
    table = [[-0.5, 0.1], [-0.6, 0.0], [0.7, 0.0], [0.4, 0.0], [0.9, 0.1], [0.0, 0.1], [-1.0, -0.1]]
    for passes in (2, 3, 5, 12):
        case = fit("AdaTron", table, [2, 1, 1, 0, 0, 0, 1], C=0.5, gap=0.1, max_iter=passes)
        assert_true(case)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("MaxOver", {"limit": 10.0}),
        ("ThermalPerceptron", {"order": "sampled", "max_iter": 1}),
        ("SecondOrderPerceptron", {"fit_intercept": False, "threshold": 0.5}),
    ],
)
def test_what_comes_to_rest_tells_how_many_errors_are_left(name, options):
    for seed in range(5):
        assert_true(fit(name, [[0.0], [3.0], [1.0]], [1, 0, 1], random_state=seed, **options))


# --- anything -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(MEMBERS))
@settings(
    max_examples=25,
    phases=(Phase.generate,),
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
@given(rng=st.randoms(use_true_random=False))
def test_every_claim_of_every_fit_is_true(name, rng):
    case = draw(rng, name)
    found = broken(case)
    if found:
        claim = found[0].claim
        assert_true(shrink(case, lambda one: any(b.claim == claim for b in broken(one))))
        assert_true(case)


@given(rng=st.randoms(use_true_random=False))
def test_the_oracle_agrees_with_certify(rng):
    """Two programs that share no code agree on which data can be separated, and how well."""
    n, d = rng.randint(2, 7), rng.randint(1, 3)
    table = [[float(rng.randint(-3, 3)) for _ in range(d)] for _ in range(n)]
    signs = [1, -1, *(rng.choice((-1, 1)) for _ in range(n - 2))]
    points = exact.fractions([[*row, 1.0] for row in table])
    best = exact.best_margin(exact.two_sided(exact.products(points), signs))
    found = certify(table, signs)
    assert found.verdict == ("separable" if best.separable else "inseparable")
    if best.separable:
        low, high = found.margin_bracket
        assert not best.surely_below(low)
        assert not best.surely_above(high)


def test_every_estimator_order_and_rule_is_drawn():
    """The law ranges over everything."""
    cases = [draw(Random(seed)) for seed in range(6000)]
    assert {case.name for case in cases} == set(MEMBERS)
    assert {o for c in cases if isinstance(o := c.options.get("order"), str)} == set(ORDERS)
    assert {r for c in cases if (r := c.options.get("rule"))} >= set(RULES)
    assert {case.way for case in cases} == {"fit", "warm", "stream", "fit+stream"}
    assert {case.dtype for case in cases} == {"float64", "float32", "int64"}


def test_a_stream_through_a_link_keeps_the_sum_of_its_steps():
    X = np.array([[1000.0, -3.0], [1000.0, 1.0], [1000.0, 0.0], [1000.0, 3.0]])
    clf = rb.WinnowPerceptron(p="exponential", random_state=6)
    clf.partial_fit(X[:2], [1, 0], classes=[0, 1]).partial_fit(X[2:], [0, 1])
    whole = rb.WinnowPerceptron(p="exponential", random_state=6).partial_fit(X, [1, 0, 0, 1])
    assert np.array_equal(clf.coef_, whole.coef_)
    # The sum of all signed examples is zero, so that 0 is the best margin.
    assert 0 <= whole.margin_bracket_[1] <= clf.margin_bracket_[1] <= clf.radius_


def test_kernel_values_that_underflow_prove_no_bound():
    X = np.array([[2e-20], [-1e-20]], np.float32)
    clf = rb.KernelPerceptron(kernel="poly", gamma=0.125, coef0=0.0, fit_intercept=False)
    assert clf.fit(X, [0, 1]).margin_bracket_[1] > 2e-61


@pytest.mark.parametrize("changed", [{"p": 2.0}, {"fit_intercept": True}])
def test_a_stream_whose_geometry_changes_claims_no_old_bound(changed):
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(300, 30))
    y = (X[:, 0] > 0).astype(int)
    clf = rb.ALMA(p=8.0, random_state=0, fit_intercept=False)
    for _ in range(40):
        clf.partial_fit(X, y)
    clf.set_params(**changed).partial_fit(X, y)
    assert clf.margin_bracket_[1] >= clf.radius_


def test_a_stream_whose_intercept_scaling_changes_claims_no_old_bound():
    X, y = np.array([[10.0], [11.0]] * 5), np.array([0, 1] * 5)
    clf = rb.Perceptron(random_state=0)
    for _ in range(400):
        clf.partial_fit(X, y)
    clf.set_params(intercept_scaling=10.5).partial_fit(X, y)
    assert clf.margin_bracket_[1] >= 0.5 / np.sqrt(2)  # the margin of w = (1, -1)
