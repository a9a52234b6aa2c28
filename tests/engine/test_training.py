"""Training by parts equals training on the whole, and can be stopped at any part."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from rosenblatt.cli.training import Memory, Training
from rosenblatt.estimators import MEMBERS
from rosenblatt.storage import modelfile

X, Y = load_iris(return_X_y=True)
STREAMING = [name for name in MEMBERS if name != "KernelPerceptron"]


def train(name, examples, **options):
    training = Training(MEMBERS[name](random_state=0), examples, **({"passes": 3} | options))
    training.run()
    return training


def test_an_average_is_one_over_all_visits():
    """The definition, written out: the mean of the weights after each visit of all passes."""
    y = np.where(Y == 1, 1, -1)  # not separable: all three passes are made
    w, total, visits = np.zeros(5), np.zeros(5), 0
    examples = Memory(X, y, seed=7, rows=11)
    for number in range(3):
        for rows, signs in examples.training(number):
            for x, sign in zip(np.column_stack([rows, np.ones(len(rows))]), signs, strict=True):
                if sign * (w @ x) <= 0:
                    w = w + sign * x
                total, visits = total + w, visits + 1
    done = train("AveragedPerceptron", examples)
    assert done.estimator.n_iter_ == 3
    assert visits == 3 * len(y)
    np.testing.assert_allclose(done.estimator.coef_[0], total[:4] / visits, rtol=1e-12)
    np.testing.assert_allclose(done.estimator.intercept_, total[4:] / visits, rtol=1e-12)


@pytest.mark.parametrize("rows", [None, 11])
def test_every_pass_has_an_order_of_its_own_and_the_same_when_resumed(rows):
    def first_column(number, seed=3):
        parts = Memory(X, Y, seed=seed, rows=rows).training(number)
        return np.concatenate([x[visits[0]] if visits else x for x, _, *visits in parts])

    one, again, next_, other = (first_column(*a) for a in ((0,), (0,), (1,), (0, 4)))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, next_)
    assert not np.array_equal(one, other)
    assert np.array_equal(np.sort(one, axis=0), np.sort(X, axis=0))


def test_a_pass_is_clean_only_if_all_its_parts_are():
    """The last part of each pass has the one example that is right from the start."""
    X, y = np.array([[1.0], [2.0], [-1.0]]), np.array([0, 1, 0])
    done = train("Perceptron", Memory(X, y, seed=None, rows=1), passes=5)
    assert not done.converged
    assert done.estimator.n_iter_ == 5
    assert [tally.rows for tally in done.state.history] == [3] * 5


@pytest.mark.parametrize("name", ["Perceptron", "AveragedPerceptron", "VotedPerceptron", "AROW"])
@pytest.mark.parametrize("rows", [7, 50, 150])
def test_the_size_of_the_parts_does_not_matter(name, rows):
    one = train(name, Memory(X, Y, seed=1, rows=rows)).estimator
    other = train(name, Memory(X, Y, seed=1)).estimator
    assert np.allclose(one.decision_function(X), other.decision_function(X), rtol=1e-9)
    assert np.array_equal(one.pass_mistakes_, other.pass_mistakes_)
    assert one.n_iter_ == other.n_iter_ == len(one.pass_mistakes_)


def test_it_ends_with_a_proof():
    done = train("Perceptron", Memory(X, Y == 0, seed=0, rows=13), passes=100)
    model = done.estimator
    assert done.converged
    assert model.n_iter_ < 100
    assert model.score(X, Y == 0) == 1.0
    lower, upper = model.margin_bracket_
    assert 0 < lower <= upper
    assert lower == pytest.approx(model.margins(X, Y == 0)[1], rel=1e-9)
    assert "separated" in model.summary()
    assert "150 training examples" in " ".join(model.summary().split())


def test_data_that_cannot_be_separated_are_not_said_to_be():
    done = train("Perceptron", Memory(np.array([[1.0], [1.0]]), np.array([0, 1]), seed=0, rows=1))
    assert not done.converged
    assert done.estimator.pass_errors_[-1] == -1


@pytest.mark.parametrize("name", STREAMING)
def test_stopped_anywhere_it_ends_in_the_same_bits(name, tmp_path):
    examples = Memory(X, Y, seed=2, rows=40, held=[(X[:30], Y[:30])])
    whole = train(name, examples, passes=2)

    class KilledError(Exception):
        pass

    for moment in range(1, 10, 3):
        folder = tmp_path / str(moment)
        left = moment

        def kill(progress):
            nonlocal left
            left -= 1
            if not left:
                raise KilledError

        first = Training(
            MEMBERS[name](random_state=0), examples, passes=2, checkpoint=folder, every=40
        )
        with contextlib.suppress(KilledError):
            first.run(kill)
        second = Training(
            MEMBERS[name](random_state=0), examples, passes=2, checkpoint=folder, every=40
        )
        second.resume()
        second.run()
        assert modelfile.content(second.estimator) == modelfile.content(whole.estimator)
        assert second.state.history == whole.state.history


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    examples = Memory(X, Y, seed=0)
    train("Perceptron", examples, checkpoint=tmp_path, settings={"seed": 1})
    other = Training(
        MEMBERS["Perceptron"](), examples, passes=3, checkpoint=tmp_path, settings={"seed": 2}
    )
    with pytest.raises(ValueError, match="with seed 1, this one has 2"):
        other.resume()
    modelfile.save(MEMBERS["Perceptron"]().fit(X, Y == 0), tmp_path / "training.rbt")
    with pytest.raises(ValueError, match="no checkpoint"):
        other.resume()


def test_held_out_errors_are_counted_after_each_pass():
    X, y = load_digits(return_X_y=True)
    done = train(
        "AveragedPerceptron", Memory(X[:1000], y[:1000], seed=0, held=[(X[1000:], y[1000:])])
    )
    last = done.state.history[-1]
    assert last.held_rows == 797
    assert last.held_errors == int((done.estimator.predict(X[1000:]) != y[1000:]).sum())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "797" not in done.estimator.summary()
