"""A rule of one's own: a Python function, compiled like the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import rosenblatt as rb
from rosenblatt.theory.rules import step
from tests.support.fits import same

# --- a rule of one's own --------------------------------------------------------------------


def test_a_rule_of_ones_own_runs_compiled(noisy):
    X, y = noisy

    def mine(look):
        return (0.5 if look.m <= 1.0 else 0.0), 1.0

    own = rb.PerceptronClassifier(mine, shuffle=False, max_iter=20).fit(X, y)
    ours = rb.MarginPerceptron(margin=1.0, eta0=0.5, shuffle=False, max_iter=20).fit(X, y)
    same(own, ours)
    assert own.journal_.counters["k"] == own.n_updates_ > 0


@pytest.mark.parametrize("name", ["<lambda>", "_mine", "class"])
def test_a_rule_may_have_any_name(noisy, name):
    X, y = noisy

    def rule(look):
        return (1.0 if look.m <= 0 else 0.0), 1.0

    rule.__name__ = name
    same(
        rb.PerceptronClassifier(rule, random_state=0, max_iter=2).fit(X, y),
        rb.Perceptron(random_state=0, max_iter=2).fit(X, y),
    )


def test_a_rule_that_cannot_be_compiled_says_so(noisy):
    X, y = noisy
    seen = {}

    def collecting(look):
        seen[look.t] = look.m
        return (1.0 if look.m <= 0 else 0.0), 1.0

    model = rb.PerceptronClassifier(collecting)
    with pytest.raises(TypeError, match="rule collecting cannot be compiled"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


def test_a_rule_that_raises_ends_the_fit_quietly_and_changes_nothing(noisy, capfd):
    X, y = noisy

    def fragile(look):
        if look.t > 20:
            raise ValueError("enough")
        return (1.0 if look.m <= 0 else 0.0), 1.0

    model = rb.PerceptronClassifier(fragile, random_state=0, max_iter=3)
    with pytest.raises(ValueError, match="call it on a Look"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")
    assert capfd.readouterr().err == ""


def test_the_parameters_of_a_rule_are_numbers(noisy):
    X, y = noisy

    class Wordy(NamedTuple):
        name: Any

    @step.of(Wordy)
    def _wordy(rule, s):
        return (1.0 if s.m <= 0 else 0.0), 1.0

    for name in ("wordy", [1.0, 2.0]):
        with pytest.raises(TypeError, match="Wordy must be numbers"):
            rb.PerceptronClassifier(Wordy(name)).fit(X, y)


def test_a_rule_defined_anew_is_another_rule(noisy):
    X, y = noisy
    fits = []
    for margin in (0.0, 5.0):

        def again(look, margin=margin):
            return (1.0 if look.m <= margin else 0.0), 1.0

        fits.append(rb.PerceptronClassifier(again, random_state=0, max_iter=2).fit(X, y))
    same(fits[0], rb.Perceptron(random_state=0, max_iter=2).fit(X, y))
    same(fits[1], rb.MarginPerceptron(margin=5.0, random_state=0, max_iter=2).fit(X, y))


def test_a_rule_that_returns_nonsense_is_refused(noisy):
    X, y = noisy
    with pytest.raises(TypeError, match="must return"):
        rb.PerceptronClassifier(lambda look: 1.0).fit(X, y)
    with pytest.raises(TypeError, match="is not a rule"):
        rb.PerceptronClassifier(3).fit(X, y)
