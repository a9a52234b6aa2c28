"""Toy sets have exactly the margin, radius, noise and balance that they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron, certify, max_margin
from rosenblatt.data.toys import TOYS


@settings(max_examples=30)
@given(
    st.integers(4, 80), st.floats(0.005, 0.9), st.floats(1.0, 5.0), st.floats(0.1, 0.9),
    st.integers(0, 1000),
)  # fmt: skip
def test_margin_and_radius_are_exact(n, margin, radius, balance, seed):
    toy = TOYS["halfplanes"].make(n=n, margin=margin, radius=radius, balance=balance, seed=seed)
    assert np.linalg.norm(toy.X, axis=1).max() == pytest.approx(radius, rel=1e-12)
    for options in ({"fit_intercept": False}, {}, {"intercept_scaling": np.inf}):
        low, high = max_margin(toy.X, toy.y, **options).margin_bracket
        assert low == pytest.approx(margin, rel=1e-6)
        assert high == pytest.approx(margin, rel=1e-6)
    assert abs((toy.y == 1).sum() - n * balance) <= 1


def test_noise_turns_exactly_that_part_round():
    clean = TOYS["halfplanes"].make(n=100, seed=3)
    noisy = TOYS["halfplanes"].make(n=100, noise=0.13, seed=3)
    separator = np.array(clean.separator)
    wrong = np.sign(noisy.X @ separator) != noisy.y
    assert wrong.sum() == 13


def test_outliers_lie_far_on_the_wrong_side():
    toy = TOYS["halfplanes"].make(n=50, outliers=4, seed=1)
    far = np.linalg.norm(toy.X, axis=1) > toy.radius
    assert far.sum() == 4
    assert (np.sign(toy.X[far] @ np.array(toy.separator)) != toy.y[far]).all()


@pytest.mark.parametrize("name", TOYS)
def test_every_generator_keeps_to_its_seed_and_its_size(name):
    make = TOYS[name].make
    one, two, other = make(n=20, seed=4), make(n=20, seed=4), make(n=20, seed=5)
    assert np.array_equal(one.X, two.X)
    assert np.array_equal(one.y, two.y)
    assert not np.array_equal(one.X, other.X)
    assert one.X.shape == (20, 2)
    assert np.isfinite(one.X).all()


@pytest.mark.parametrize("name", ["xor", "rings", "spirals"])
def test_no_line_separates_what_a_kernel_does(name):
    toy = TOYS[name].make(n=60, seed=0)
    assert certify(toy.X, toy.y).verdict == "inseparable"
    clf = KernelPerceptron(kernel="rbf", gamma=20.0, readout="last", max_iter=500)
    assert clf.set_params(random_state=0).fit(toy.X, toy.y).converged_


def test_the_least_error_of_clouds_is_that_of_the_best_classifier():
    toy = TOYS["gaussians"].make(n=2000, distance=2.0, noise=0.1, seed=0)
    error = np.mean(np.sign(toy.X[:, 0]) != toy.y)
    assert error == pytest.approx(toy.noise, abs=3 * (0.25 / 2000) ** 0.5)


def test_clouds_can_be_moved_away_from_the_origin():
    make = TOYS["gaussians"].make
    here, there = make(distance=5, seed=0), make(distance=5, shift=1.2, seed=0)
    np.testing.assert_allclose(there.X, here.X + np.array([1.2, 0.0]), atol=1e-15)
    assert there.noise == here.noise
    assert certify(there.X, there.y).verdict == "separable"
    assert certify(there.X, there.y, fit_intercept=False).verdict == "inseparable"


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("halfplanes", {"margin": 2.0}, "margin=2 must be from 0.005 to 0.9"),
        ("halfplanes", {"margin": 0.5, "radius": 0.4}, "less than the radius"),
        ("halfplanes", {"gap": 1}, "no parameter 'gap'"),
        ("clouds", {"classes": 2.5}, "must be an integer"),
        ("rings", {"n": "many"}, "must be a number"),
    ],
)
def test_bad_numbers_get_a_sentence(name, given, words):
    with pytest.raises((ValueError, TypeError), match=words):
        TOYS[name].make(**given)
