"""Members that learn from mistakes alone, and differ in what they make of the hypotheses."""

from __future__ import annotations

from math import ceil
from typing import Any, cast

from rosenblatt.engine.observers import Observer
from rosenblatt.engine.run import Run
from rosenblatt.engine.trainer import Trainer
from rosenblatt.estimators.classifier import Member
from rosenblatt.estimators.members import member
from rosenblatt.estimators.parameters import Choice, Flag, Integer, param
from rosenblatt.estimators.shared import LEARNING_RATE
from rosenblatt.theory import readouts, rules

DRAWS = 10_000  # of Gallant's first round


@member
class Perceptron(Member):
    """Rosenblatt's perceptron: on a mistake, add the example.

    w <- w + eta0·y·x if y·(w·x + b) <= 0. From zero weights, on data with lengths at most R and
    best margin g > 0, it makes at most (R/g)² updates (Novikoff 1962) and then stops by itself.
    eta0 only scales the weights, unless they start elsewhere than at zero.

    Differs from scikit-learn's in stopping at the first pass without a mistake and not on a
    tolerance, in the intercept, which is the same for dense and sparse data, and in many classes,
    which one multi-class rule learns in one pass.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])
    >>> clf = Perceptron(shuffle=False).fit(X, y)
    >>> clf.coef_, clf.intercept_, clf.n_updates_
    (array([[3., 2.]]), array([-4.]), 18)
    """

    readout = "last"
    eta0: float = LEARNING_RATE

    def _rule(self, given: Any) -> Any:
        return rules.Plain(given.eta0)


@member
class AveragedPerceptron(Perceptron):
    """The averaged perceptron: the mean of the hypotheses after each visit.

    Learns as `Perceptron` and predicts with the average over all visits, which is steadier on
    data that no hyperplane separates (Freund & Schapire 1999, Collins 2002).

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = AveragedPerceptron(random_state=0).fit(X, y)
    >>> clf.converged_, clf.score(X, y) > 0.99  # the last hypothesis separates, the mean nearly
    (True, True)
    """

    readout = "averaged"


@member
class VotedPerceptron(Perceptron):
    """The voted perceptron: every hypothesis votes, as often as it survived a visit.

    Learns as `Perceptron`; predicts the sign of sum c_k·sign(w_k·x + b_k), c_k the visits for which
    w_k was in force, the one that made it included (Freund & Schapire 1999). Memory and the time of
    a prediction grow with the number of updates, in a stream without end unless `max_hypotheses`
    bounds them; `coef_` shows the last hypothesis.

    Examples
    --------
    >>> from rosenblatt import VotedPerceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = VotedPerceptron(random_state=0).fit(X, y == 0)
    >>> clf.votes_.sum() == clf.n_iter_ * len(X)
    np.True_
    """

    readout = "voted"
    max_hypotheses: int | None = param(
        None,
        Integer(1, nullable=True),
        "The most hypotheses that are kept to vote, the latest ones; None keeps all, as the paper "
        "does.",
    )

    def _options(self) -> dict[str, Any]:
        return {"max_hypotheses": self.max_hypotheses}


@member
class PocketPerceptron(Perceptron):
    """The pocket algorithm: keep the hypothesis that went longest without a mistake.

    Learns as `Perceptron`, best with order="sampled" as its paper has it, and keeps in its pocket
    the hypothesis with the longest run of correct visits (Gallant 1990). With the ratchet it is
    exchanged only for one with fewer training errors; then the pocket never gets worse, and finds
    an optimal hypothesis in the end with probability one (Muselli 1997).

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import PocketPerceptron
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([0, 1, 0, 1])  # no threshold is right for all four
    >>> clf = PocketPerceptron(max_iter=20, order="sampled", random_state=0)
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     clf.fit(X, y).score(X, y)
    0.75
    """

    readout = "pocket"
    tol = None
    ratchet: bool = param(
        True,
        Flag(),
        "Count the training errors before an exchange. A stream, whose past examples are gone, is "
        "learned without.",
    )
    schedule: str | None = param(
        None,
        Choice(None, "gallant"),
        "Gallant's: examples are drawn with replacement, 10,000 of them, and half as many again "
        "as long as the pocket changed in the last 80 % of the draws; in whole passes. `max_iter` "
        "passes are the most, unless 10,000 draws are more.",
    )

    def _readout(self, streaming: bool = False) -> readouts.Readout:
        return readouts.Pocket(bool(self.ratchet) and not streaming)

    def _order(self) -> Any:
        return "sampled" if self.schedule and self.order is None else self.order

    def _max_passes(self, examples: int) -> int:
        return max(self.max_iter, ceil(DRAWS / examples)) if self.schedule else self.max_iter

    def _observers(self) -> list[Observer]:
        return [GallantSchedule()] if self.schedule else []


class GallantSchedule(Observer):
    """Stops when the pocket rests: draws grow by half as long as it changed in the last 80 %."""

    def on_pass(self, trainer: Trainer) -> bool:
        assert trainer.runs is not None
        return all(run.settled or _rested(run) for run in trainer.runs.runs)


def _rested(run: Run) -> bool:
    """Whether a round of Gallant's schedule ended in the last pass with the pocket at rest."""
    budget, earlier = float(DRAWS), run.n.t - run.passes[-1].visits
    while budget <= earlier:
        budget *= 1.5
    pocket = cast(readouts.Pocket, run.readout)
    return run.n.t >= budget and pocket.changed <= 0.2 * run.n.t
