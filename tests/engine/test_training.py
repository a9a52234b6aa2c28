"""Training by parts equals training on the whole, and can be stopped at any part."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from rosenblatt.engine.observers import Observer
from rosenblatt.engine.plan import Examples
from rosenblatt.estimators import MEMBERS
from rosenblatt.estimators.sources import InMemory
from rosenblatt.evaluation.errors import HeldOutErrors
from rosenblatt.storage import modelfile
from rosenblatt.storage.checkpoint import STATE, Checkpoints, resume

X, Y = load_iris(return_X_y=True)
STREAMING = [name for name in MEMBERS if name != "KernelPerceptron"]


def train(name, source, passes=3, state=None, observers=()):
    clf = MEMBERS[name](random_state=0)
    return clf.fit_source(
        source, max_passes=passes, state=state, observers=[HeldOutErrors(), *observers]
    )


def history(model):
    return model.outcome_.state.history


def test_an_average_is_one_over_all_visits():
    """The definition, written out: the mean of the weights after each visit of all passes."""
    y = np.where(Y == 1, 1, -1)  # not separable: all three passes are made
    w, total, visits = np.zeros(5), np.zeros(5), 0
    examples = InMemory(X, y, seed=7, rows=11)
    for number in range(3):
        for part in examples.parts(number):
            lifted = np.column_stack([part.X, np.ones(len(part.y))])
            for x, sign in zip(lifted, part.y, strict=True):
                if sign * (w @ x) <= 0:
                    w = w + sign * x
                total, visits = total + w, visits + 1
    done = train("AveragedPerceptron", examples)
    assert done.n_iter_ == 3
    assert visits == 3 * len(y)
    np.testing.assert_allclose(done.coef_[0], total[:4] / visits, rtol=1e-12)
    np.testing.assert_allclose(done.intercept_, total[4:] / visits, rtol=1e-12)


@pytest.mark.parametrize("rows", [None, 11])
def test_every_pass_has_an_order_of_its_own_and_the_same_when_resumed(rows):
    def first_column(number, seed=3):
        parts = InMemory(X, Y, seed=seed, rows=rows).parts(number)
        return np.concatenate([p.X if p.visits is None else p.X[p.visits] for p in parts])

    one, again, next_, other = (first_column(*a) for a in ((0,), (0,), (1,), (0, 4)))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, next_)
    assert not np.array_equal(one, other)
    assert np.array_equal(np.sort(one, axis=0), np.sort(X, axis=0))


def test_a_pass_is_clean_only_if_all_its_parts_are():
    """The last part of each pass has the one example that is right from the start."""
    X, y = np.array([[1.0], [2.0], [-1.0]]), np.array([0, 1, 0])
    done = train("Perceptron", InMemory(X, y, seed=None, rows=1), passes=5)
    assert not done.converged_
    assert done.n_iter_ == 5
    assert [tally.rows for tally in history(done)] == [3] * 5


@pytest.mark.parametrize("name", ["Perceptron", "AveragedPerceptron", "VotedPerceptron", "AROW"])
@pytest.mark.parametrize("rows", [7, 50, 150])
def test_the_size_of_the_parts_does_not_matter(name, rows):
    one = train(name, InMemory(X, Y, seed=1, rows=rows))
    other = train(name, InMemory(X, Y, seed=1))
    assert np.allclose(one.decision_function(X), other.decision_function(X), rtol=1e-9)
    assert np.array_equal(one.pass_mistakes_, other.pass_mistakes_)
    assert one.n_iter_ == other.n_iter_ == len(one.pass_mistakes_)


def test_it_ends_with_a_proof():
    model = train("Perceptron", InMemory(X, Y == 0, seed=0, rows=13), passes=100)
    assert model.converged_
    assert model.n_iter_ < 100
    assert model.score(X, Y == 0) == 1.0
    lower, upper = model.margin_bracket_
    assert 0 < lower <= upper
    assert lower == pytest.approx(model.margins(X, Y == 0)[1], rel=1e-9)
    assert "separated" in model.summary()
    assert "150 training examples" in " ".join(model.summary().split())


def test_the_radius_is_that_of_the_longest_example_of_all_parts():
    X, y = np.array([[1.0], [40.0], [-1.0], [-2.0]]), np.array([1, 1, 0, 0])
    done = train("Perceptron", InMemory(X, y, seed=None, rows=2))
    assert done.radius_ == pytest.approx(np.sqrt(40.0**2 + 1))


def test_a_part_at_rest_is_not_separated_by_that():
    """Without an intercept no step changes the margin of an example of length zero."""
    X, y = np.array([[1.0], [-1.0], [0.0], [0.0]]), np.array([1, 0, 1, 0])
    clf = MEMBERS["PerceptronClassifier"]("normalised", fit_intercept=False)
    done = clf.fit_source(InMemory(X, y, seed=None, rows=2), max_passes=4)
    assert done.n_updates_ == 1
    assert not done.converged_
    assert not done.outcome_.separated


def test_parts_that_are_learned_one_by_one_are_not_separated_together():
    """The second part has the flipped labels of the first; each is soon near its optimum."""
    X, y = np.array([[1.0], [-1.0], [1.0], [-1.0]]), np.array([1, 0, 0, 1])
    clf = MEMBERS["AdaTron"](gap=0.9)
    done = clf.fit_source(InMemory(X, y, seed=None, rows=2), max_passes=3)
    assert done.n_iter_ == 3
    assert not done.converged_
    assert done.margin_bracket_[0] == -np.inf


def test_data_that_cannot_be_separated_are_not_said_to_be():
    done = train("Perceptron", InMemory(np.array([[1.0], [1.0]]), np.array([0, 1]), seed=0, rows=1))
    assert not done.converged_
    assert done.pass_errors_[-1] == -1


@pytest.mark.parametrize("name", STREAMING)
def test_stopped_anywhere_it_ends_in_the_same_bits(name, tmp_path):
    examples = InMemory(X, Y, seed=2, rows=50, held_out=[(X[:30], Y[:30])])
    whole = train(name, examples, passes=2)

    class KilledError(Exception):
        pass

    class Killer(Observer):
        def __init__(self, left):
            self.left = left

        def on_part(self, trainer):
            self.left -= 1
            if not self.left:
                raise KilledError

        def on_pass(self, trainer):
            return bool(self.on_part(trainer))

    for moment in (1, 3, 4, 7):  # 3 and 7: after the last part of a pass that is not closed yet
        folder = tmp_path / str(moment)
        saving = Checkpoints(folder, {}, every=50)
        with contextlib.suppress(KilledError):
            train(name, examples, 2, observers=[saving, Killer(moment)])
        assert (folder / STATE).exists()
        state = resume(folder, {})
        rest = train(name, examples, 2, state, [Checkpoints(folder, {}, every=50)])
        assert modelfile.content(rest) == modelfile.content(whole)
        assert history(rest) == history(whole)


def test_a_state_can_be_resumed_twice(tmp_path):
    class Stop(Observer):
        def on_part(self, trainer):
            raise KeyboardInterrupt

    examples = InMemory(X, Y, seed=2, rows=50)
    with contextlib.suppress(KeyboardInterrupt):
        train("Perceptron", examples, observers=[Checkpoints(tmp_path, {}, every=50), Stop()])
    state = resume(tmp_path, {})
    one, other = (train("Perceptron", examples, state=state) for _ in range(2))
    assert state.parts.tally.rows == 50
    assert [tally.rows for tally in history(one)] == [150] * 3
    assert history(one) == history(other)
    assert modelfile.content(one) == modelfile.content(other)


@pytest.mark.parametrize("name", ["AveragedPerceptron", "VotedPerceptron"])
def test_passes_over_parts_end_when_they_no_longer_get_better(name, tmp_path):
    examples = InMemory(X, Y, seed=2, rows=50)
    whole = train(name, examples, passes=60)
    assert 10 <= whole.n_iter_ < 60
    assert whole.outcome_.stalled
    assert not whole.converged_

    class Stop(Observer):
        def on_pass(self, trainer):
            return trainer.passes == 7

    train(name, examples, 60, observers=[Checkpoints(tmp_path, {}), Stop()])
    rest = train(name, examples, 60, resume(tmp_path, {}), [Checkpoints(tmp_path, {})])
    assert modelfile.content(rest) == modelfile.content(whole)
    done = train(name, examples, 60, resume(tmp_path, {}))  # there is nothing left to do
    assert modelfile.content(done) == modelfile.content(whole)


def test_a_checkpoint_of_another_training_is_rejected(tmp_path):
    train("Perceptron", InMemory(X, Y, seed=0), observers=[Checkpoints(tmp_path, {"seed": 1})])
    with pytest.raises(ValueError, match="with seed 1, this one has 2"):
        resume(tmp_path, {"seed": 2})
    with pytest.raises(ValueError, match="with seed 1, this one has None"):
        resume(tmp_path, {})
    with pytest.raises(ValueError, match="with rate None, this one has 3"):
        resume(tmp_path, {"seed": 1, "rate": 3})
    (tmp_path / STATE).write_bytes(b"something else")
    with pytest.raises(ValueError, match="not a checkpoint"):
        resume(tmp_path, {"seed": 1})


def test_held_out_errors_are_counted_after_each_pass():
    X, y = load_digits(return_X_y=True)
    held_out = [(X[1000:1300], y[1000:1300]), (X[1300:], y[1300:])]
    done = train("AveragedPerceptron", InMemory(X[:1000], y[:1000], seed=0, held_out=held_out))
    last = history(done)[-1]
    assert last.held_out_rows == 797
    assert last.held_out_errors == int((done.predict(X[1000:]) != y[1000:]).sum())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "797" not in done.summary()


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (Examples(X, Y, visits=np.array([0, 10**9] * 75)), "visits to rows"),
        (Examples(X, Y[:-1]), "149 y"),
        (Examples(X, Y, np.ones(3)), "3 weights"),
        (Examples(X, Y + 1), "not among its classes"),
        (Examples(X[:0], Y[:0]), "is empty"),
    ],
)
def test_a_part_that_compiled_code_could_not_read_is_rejected(part, message):
    class Bad(InMemory):
        def parts(self, number):
            yield Examples(X, Y)
            yield part

    with pytest.raises(ValueError, match=message):
        train("Perceptron", Bad(X, Y, seed=None))


@pytest.mark.parametrize("passes", [0, -1, 2.5, None])
def test_passes_are_a_whole_number(passes):
    with pytest.raises((ValueError, TypeError), match="max_passes"):
        train("Perceptron", InMemory(X, Y, seed=0), passes)
