"""compare: the same folds for all, and words where a figure would mislead."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import data
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from rosenblatt.estimators import MEMBERS
from rosenblatt.evaluation import comparison, paired

X, y = load_breast_cancer(return_X_y=True)
SOME = ["Perceptron", "AveragedPerceptron", "WinnowPerceptron"]
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)

pytestmark = pytest.mark.usefixtures("figures")


@pytest.fixture(scope="module")
def board():
    return rb.compare(X, y, members=SOME, progress=False)


@pytest.mark.parametrize("name", SOME)
def test_errors_are_those_of_cross_validation(board, name):
    by_hand = make_pipeline(StandardScaler(), MEMBERS[name](max_iter=20, random_state=0))
    expected = 1 - cross_val_score(by_hand, X, y, cv=FOLDS)
    (row,) = (row for row in board.rows if row.name == name)
    np.testing.assert_allclose(row.errors, expected)
    assert row.error == pytest.approx(expected.mean())
    assert row.spread == pytest.approx(expected.std(ddof=1))


def test_the_best_comes_first(board):
    errors = [row.error for row in board.rows]
    assert errors == sorted(errors)
    assert type(board.best[-1]).__name__ == board.rows[0].name
    assert not hasattr(board.best[-1], "coef_")
    assert board.best.fit(X, y).score(X, y) > 0.9
    assert board.chance == pytest.approx(1 - y.mean(), abs=0.002)


def test_every_member_runs():
    board = rb.compare(X[::4], y[::4], cv=2, max_iter=3, progress=False)
    assert {row.name for row in board.rows} == set(MEMBERS) - {"PerceptronClassifier"}
    assert not any(row.failed for row in board.rows)
    assert board.rows[0].error < 0.1


def test_tables(board):
    frame = board.frame()
    assert list(frame["member"]) == [row.name for row in board.rows]
    assert all(name in str(board) for name in SOME)
    assert "most frequent class: error 37" in str(board)
    assert board._repr_html_().count("<tr>") == 1 + len(SOME)


def test_strangers_and_own_settings_may_take_part():
    lone = make_pipeline(StandardScaler(), rb.Perceptron(max_iter=3, random_state=1))
    members = [LogisticRegression(), lone, rb.Perceptron(max_iter=2, random_state=0)]
    board = rb.compare(X, y, cv=3, members=members, progress=False)
    assert {row.name for row in board.rows} == {
        "LogisticRegression",
        "Perceptron 1",
        "Perceptron 2",
    }
    assert str(board)


def test_a_failing_member_does_not_stop_the_rest():
    board = rb.compare(X, y, cv=3, members=[rb.Perceptron(eta0=-1.0), "MIRA"], progress=False)
    assert [row.name for row in board.rows] == ["MIRA", "Perceptron"]
    assert board.rows[1].failed
    assert "failed: eta0=-1.0" in str(board)
    rb.plot.leaderboard(board)
    nothing = rb.compare(X, y, cv=3, members=[rb.Perceptron(eta0=-1.0)], progress=False)
    with pytest.raises(ValueError, match="no member could be fitted"):
        _ = nothing.best
    with pytest.raises(ValueError, match="nothing to draw"):
        rb.plot.leaderboard(nothing)


def test_noise_is_marked_and_warned_about():
    rng = np.random.default_rng(0)
    noise, coin = rng.normal(size=(200, 5)), rng.random(200) < 0.3
    with pytest.warns(UserWarning, match="better than always predicting the most frequent class"):
        board = rb.compare(noise, coin, members=["Perceptron"], progress=False)
    assert board.rows[0].note == "no better than chance"
    ax = rb.plot.leaderboard(board)
    assert any(group.get_gid() == "poor" for group in ax.collections)


def test_a_member_that_learned_nothing_is_marked():
    coin = np.arange(100) < 30
    with pytest.warns(UserWarning, match="DummyClassifier: no better"):
        board = rb.compare(X[:100], coin, cv=3, members=[DummyClassifier()], progress=False)
    assert board.rows[0].spread > 0  # folds differ in size
    assert board.rows[0].error == pytest.approx(board.chance)
    assert board.rows[0].note == "no better than chance"


def test_the_margin_is_a_bracket_for_every_fold():
    flowers, labels = load_iris(return_X_y=True)
    (row,) = rb.compare(flowers, labels == 0, members=["Perceptron"], progress=False).rows
    found = []
    for train, _ in FOLDS.split(flowers, labels == 0):
        model = make_pipeline(StandardScaler(), rb.Perceptron(max_iter=20, random_state=0))
        found.append(model.fit(flowers[train], labels[train] == 0)[-1].margin_bracket_)
    lowers, uppers = zip(*found, strict=True)
    assert min(lowers) < max(lowers)
    assert min(uppers) < max(uppers)
    assert row.margin == (min(lowers), max(uppers))


def test_the_picture_shows_the_table(board):
    ax = rb.plot.leaderboard(board)
    assert [text.get_text() for text in ax.get_yticklabels()] == [row.name for row in board.rows]
    np.testing.assert_allclose(ax.lines[0].get_xdata(), [row.error for row in board.rows])


def test_threads_change_nothing(board):
    again = rb.compare(X, y, members=SOME, n_jobs=2, progress=False)
    for one, other in zip(board.rows, again.rows, strict=True):
        assert one.name == other.name
        np.testing.assert_array_equal(one.errors, other.errors)


def test_any_scorer_of_scikit_learn_ranks():
    members = {"mean": rb.AveragedPerceptron(random_state=0), "last": "Perceptron"}
    board = rb.compare(X, y, members=members, scoring="roc_auc", progress=False)
    whole = make_pipeline(StandardScaler(), rb.AveragedPerceptron(random_state=0))
    (row,) = (row for row in board.rows if row.name == "mean")
    np.testing.assert_allclose(
        row.scores, cross_val_score(whole, X, y, cv=FOLDS, scoring="roc_auc")
    )
    scores = [row.score for row in board.rows]
    assert scores == sorted(scores, reverse=True)
    assert "roc_auc" in str(board).splitlines()[1]
    assert board.records()[0]["roc_auc"] == board.rows[0].score


def test_differences_are_paired_and_allow_for_shared_examples(board):
    best, other = board.rows[0], board.rows[-1]
    by_fold = other.errors - best.errors
    assert other.difference == pytest.approx(by_fold.mean())
    # Nadeau & Bengio: 1/5 of the folds, and a test part of a quarter of the training part.
    assert other.standard_error == pytest.approx(by_fold.std(ddof=1) * (1 / 5 + 1 / 4) ** 0.5, 1e-2)
    assert best.may_be_best
    assert best.difference == 0


def test_p_values_are_those_of_student(board):
    stats = pytest.importorskip("scipy.stats")
    for difference, error, folds in [(0.3, 0.1, 5), (-0.02, 0.05, 3), (1.0, 0.2, 10)]:
        expected = 2 * stats.t.sf(abs(difference) / error, folds - 1)
        assert paired.p_value(difference, error, folds) == pytest.approx(expected)
    assert paired.p_value(0.0, 0.0, 5) == 1.0
    assert paired.p_value(0.1, 0.0, 5) == 0.0


def test_a_member_that_is_far_behind_cannot_be_best():
    members = ["AveragedPerceptron", DummyClassifier()]
    with pytest.warns(UserWarning, match="DummyClassifier: no better"):
        board = rb.compare(X, y, members=members, progress=False)
    assert [row.may_be_best for row in board.rows] == [True, False]
    assert board.contenders == board.rows[:1]


def test_equals_are_told_apart_in_one_case_of_twenty():
    """Two coins that are equally fair: a test at 5 % rejects about as often."""
    rng, rejected = np.random.default_rng(0), 0
    for _ in range(400):
        differences = rng.normal(size=5)
        error = paired.standard_error(differences, 0.0)
        rejected += paired.p_value(float(differences.mean()), error, 5) < paired.LEVEL
    assert 8 <= rejected <= 36


def test_a_slow_member_is_stopped():
    many = np.random.default_rng(0).normal(size=(6_000, 20))
    noisy = many[:, 0] + np.random.default_rng(1).normal(size=6_000) > 0
    members = {"kernel": rb.KernelPerceptron(max_iter=10**6, tol=None), "linear": "Perceptron"}
    began = time.perf_counter()
    board = rb.compare(many, noisy, cv=2, members=members, time_limit=1.0, progress=False)
    assert time.perf_counter() - began < 60
    assert [row.failed for row in board.rows] == [False, True]
    assert board.rows[1].note == "stopped: 1 s were not enough; raise time_limit"
    with pytest.raises(ValueError, match="time_limit=0 must be a number of seconds above 0"):
        rb.compare(X, y, time_limit=0)


def test_a_member_far_behind_does_not_squeeze_the_plot():
    members = [rb.AveragedPerceptron(), rb.PassiveAggressive(), rb.Perceptron(), DummyClassifier()]
    with pytest.warns(UserWarning, match="DummyClassifier: no better"):
        board = rb.compare(X, y, members=members, progress=False)
    ax = rb.plot.leaderboard(board)
    assert ax.get_xlim()[1] < board.rows[-1].error
    assert [text.get_text() for text in ax.texts if text.get_gid() == "beyond"] == ["37.3 % →"]


def test_sparse_data_stay_sparse():
    board = rb.compare(sp.csr_matrix(X), y, cv=3, members=["Perceptron"], progress=False)
    assert type(board.best[0]).__name__ == "MaxAbsScaler"


def test_progress_is_reported_when_it_takes_long(monkeypatch, capsys):
    rb.compare(X, y, cv=2, members=["Perceptron"])
    assert not capsys.readouterr().err
    monkeypatch.setattr(comparison, "QUIET_SECONDS", 0.0)
    rb.compare(X, y, cv=2, members=["Perceptron", "MIRA"])
    assert capsys.readouterr().err.count("compare: ") == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"members": ["Perceptrone"]}, "not a member"),
        ({"members": []}, "not empty"),
        ({"members": "Perceptron"}, "a list or dict"),
        ({"cv": 60}, "cv=60"),
        ({"max_iter": 0}, "max_iter"),
    ],
)
def test_it_refuses(options, words):
    with pytest.raises(ValueError, match=words):
        rb.compare(*load_iris(return_X_y=True), progress=False, **options)
    with pytest.raises(TypeError, match="neither"):
        rb.compare(X, y, members=[rb.Perceptron], progress=False)
    with pytest.raises(ValueError, match="one class"):
        rb.compare(X, np.zeros(len(y)))


@pytest.mark.parametrize(("name", "most"), [("spambase", 0.13), ("a9a", 0.22)])
def test_real_data(name, most):
    try:
        table, labels = getattr(data, name)()[:2]
    except FileNotFoundError as absent:
        pytest.skip(str(absent))
    table, labels = table[:4601], labels[:4601]
    members = ["AveragedPerceptron", "BatchPerceptron", "AdaTron"]
    board = rb.compare(table, labels, cv=3, members=members, progress=False)
    assert board.rows[0].error < most


def test_a_member_that_looks_at_all_examples_learns_from_some() -> None:
    """Each of its steps costs a look at all: on many examples it would take hours."""
    X = np.random.default_rng(0).normal(size=(4_000, 3))
    board = rb.compare(X, X[:, 0] > 0, cv=2, members=["Perceptron", "MaxOver"], max_iter=1)
    notes = {row.name: row.note for row in board.rows}
    assert notes == {"Perceptron": "", "MaxOver": ""}
    more = rb.compare(X, X[:, 0] > 0, cv=4, members=["Perceptron", "MaxOver"], max_iter=1)
    notes = {row.name: row.note for row in more.rows}
    assert notes["Perceptron"] == ""
    assert notes["MaxOver"] == "learned from 2,048 examples of each fold"
