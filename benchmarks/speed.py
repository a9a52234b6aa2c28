"""What a user waits for: whole fits of public estimators beside scikit-learn's, on one thread.

Both sides make the same number of passes, their other settings as they come; then both are left to
their defaults altogether, with the test errors that result. Rounds alternate between the sides and
the best of each counts.
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import rosenblatt as rb
from benchmarks import claims, data, tables
from benchmarks.clock import best
from benchmarks.synthetic import short_rows, zipf

PASSES = 5
SEEDS = 5
"""Orders behind a test error, where fits are quick."""
EQUAL, DEFAULTS = f"{PASSES} passes", "defaults"
COUNTS = rb.Perceptron().count_errors
"""Whether errors are counted by default."""
NATIVE, LIKE = "native / one-vs-all", "one-vs-rest / one-vs-all"
TITLE = "Speed: whole fits, beside scikit-learn"
COLUMNS = [
    "data", "setting", "classes", "counted", "ours", "passes", "time", "error %", "scikit-learn",
    "its passes", "its time", "its error %", "faster",
]  # fmt: skip
NOTE = f"""\
Whole calls of `fit`, from arrays to a fitted estimator, on one thread; rounds of the two sides
alternate and the best of each counts. `{EQUAL}`: as many passes on either side (`max_iter`, and
`tol=None` for scikit-learn, so that it does not stop early); everything else is as it comes.
`{DEFAULTS}`: no setting on either side but those that name the algorithm and `random_state=0`. The
two then stop by different rules, so they make different numbers of passes: ours after the first
without an update, when the mistakes of passes stop falling, or after `max_iter`, scikit-learn's
when the loss of a pass stops falling. Errors
are on test examples, in per cent: mean ± standard deviation over {SEEDS} seeds, or fewer where a
fit takes long; the last hypothesis of a plain perceptron varies much from order to order. `counted`
says what either side counts on the way: ours counts mistakes, and if `count_errors=True` it looks
at every example once more after each pass to count the errors left; scikit-learn sums the loss of
the pass. The default of `count_errors` is {COUNTS}; rows with `count_errors={not COUNTS}` say so.
With more than two classes `{NATIVE}` sets one run of the multi-class rule against a run for each
class, and `{LIKE}` sets a run for each class against the same: like for like. `faster` is
scikit-learn's time over ours; below 1 ours is slower."""


class Match(NamedTuple):
    """Some of our estimators against one of scikit-learn's."""

    setting: str
    ours: list[tuple[str, Any]]
    """How either side divides the classes, and an estimator."""
    peer: Any


def counting(classes: str, kind: Any, **settings: Any) -> list[tuple[str, Any]]:
    """An estimator with the default of count_errors, and one with the other value."""
    both = kind(**settings), kind(**settings, count_errors=not COUNTS)
    return [(classes, estimator) for estimator in both]


def two_classes() -> Iterator[Match]:
    """The perceptron beside its namesake."""
    equal = Perceptron(max_iter=PASSES, tol=None, random_state=0)
    yield Match(EQUAL, counting("", rb.Perceptron, max_iter=PASSES, random_state=0), equal)
    yield Match(DEFAULTS, [("", rb.Perceptron(random_state=0))], Perceptron(random_state=0))


def averaged_peer() -> Any:
    """scikit-learn's averaged perceptron with as many passes as ours."""
    return SGDClassifier(
        loss="perceptron", learning_rate="constant", eta0=1, penalty=None, average=True,
        max_iter=PASSES, tol=None, random_state=0,
    )  # fmt: skip


def many_classes() -> Iterator[Match]:
    """The perceptron and the averaged perceptron, native and one class against the rest."""
    plain = Perceptron(max_iter=PASSES, tol=None, random_state=0)
    for kind, peer in ((rb.Perceptron, plain), (rb.AveragedPerceptron, averaged_peer())):
        native = counting(NATIVE, kind, max_iter=PASSES, random_state=0)
        like = counting(LIKE, kind, max_iter=PASSES, random_state=0, multiclass="ovr")
        yield Match(EQUAL, [*native, *like], peer)
    yield Match(DEFAULTS, [(NATIVE, rb.Perceptron(random_state=0))], Perceptron(random_state=0))
    averaged = SGDClassifier(loss="perceptron", average=True, random_state=0)
    yield Match(DEFAULTS, [(NATIVE, rb.AveragedPerceptron(random_state=0))], averaged)


def described(estimator: Any) -> str:
    """The call that makes an estimator, without the seed that all share."""
    call = " ".join(repr(estimator).split())
    return re.sub(r", random_state=0|random_state=0(, )?", "", call)


def play(match: Match, split: data.Split, rounds: int, budget: float) -> list[dict[str, Any]]:
    """Time both sides of a match, and test what they learned."""
    X, y, *_ = split
    players = [*(estimator for _, estimator in match.ours), match.peer]
    fits = {number: partial(player.fit, X, y) for number, player in enumerate(players)}
    *times, theirs = best(fits, rounds, budget).values()
    passes = [int(np.max(player.n_iter_)) for player in players]
    seeds = range(1, min(SEEDS, int(budget / (sum(times) + theirs))))
    *errors, their_error = (errors_of(player, split, seeds) for player in players)
    return [
        {
            "setting": match.setting,
            "classes": classes,
            "counted": f"{'mistakes, errors' if ours.count_errors else 'mistakes'} / loss",
            "ours": described(ours),
            "passes": made,
            "time": f"{1e3 * seconds:.1f} ms",
            "error %": error,
            "scikit-learn": described(match.peer),
            "its passes": passes[-1],
            "its time": f"{1e3 * theirs:.1f} ms",
            "its error %": their_error,
            "faster": f"{theirs / seconds:.2f}",
        }
        for (classes, ours), seconds, error, made in zip(
            match.ours, times, errors, passes[:-1], strict=True
        )
    ]


def errors_of(fitted: Any, split: data.Split, seeds: Iterable[int]) -> str:
    """Test error in per cent of a fitted estimator and of its like with further seeds."""
    X, y, X_test, y_test = split
    models = chain([fitted], (clone(fitted).set_params(random_state=s).fit(X, y) for s in seeds))
    return tables.spread([100 * (1 - model.score(X_test, y_test)) for model in models], 2)


# --- data -------------------------------------------------------------------------------------


def digit_nine() -> data.Split:
    X, y, X_test, y_test = data.mnist()
    return X, y == 9, X_test, y_test == 9


def cover_two() -> data.Split:
    X, y = data.covtype()
    order = np.random.default_rng(0).permutation(len(y))
    test, learn = order[: len(y) // 10], order[len(y) // 10 :]
    scaler = StandardScaler().fit(X[learn])
    return scaler.transform(X[learn]), y[learn] == 2, scaler.transform(X[test]), y[test] == 2


def first_newsgroup() -> data.Split:
    X, y, X_test, y_test = data.newsgroups()
    return X, y == y[0], X_test, y_test == y[0]


def halved(made: tuple[Any, Any], test: int) -> data.Split:
    """Examples made for the purpose, the last of them to test on."""
    X, y = made
    return X[:-test], y[:-test], X[-test:], y[-test:]


PARTS: dict[str, tuple[str, Callable[[], data.Split], Callable[[], Iterator[Match]]]] = {
    "dense": ("MNIST, 9 or not, 60,000 x 784 float32", digit_nine, two_classes),
    "short": (
        "normal draws, 200,000 x 20 float64",
        lambda: halved(short_rows(220_000), 20_000),
        two_classes,
    ),
    "covertype": ("covertype, 2 or not, 522,911 x 54 float32", cover_two, two_classes),
    "newsgroups": ("20 Newsgroups TF-IDF, one or not, sparse", first_newsgroup, two_classes),
    "zipf": (
        "Zipf, 50,000 x 100,000, sparse",
        lambda: halved(zipf(55_000), 5_000),
        two_classes,
    ),
    "classes": ("MNIST, ten classes, 60,000 x 784 float32", data.mnist, many_classes),
}


def main() -> None:
    """Measure the parts asked for, all by default, and record them beside those kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--rounds", type=int, default=7, help="of each match at most")
    parser.add_argument("--budget", type=float, default=40, help="seconds of a match, about")
    parser.add_argument("--rows", type=int, help="to learn at most: nothing is recorded")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    with threadpool_limits(1):
        for part in options.parts or PARTS:
            name, load, matches = PARTS[part]
            X, y, X_test, y_test = load()
            split = X[: options.rows], y[: options.rows], X_test, y_test
            for match in matches():
                for row in play(match, split, options.rounds, options.budget):
                    rows.append({"part": part, "data": name, **row})
                    print(" | ".join(str(rows[-1][column]) for column in COLUMNS), flush=True)
    if options.rows is None:
        note = " ".join(NOTE.split("\n"))
        tables.record("speed", TITLE, note, COLUMNS, tables.joined("speed", rows, list(PARTS)))
        claims.renew()


if __name__ == "__main__":
    main()
