"""The runs of one fit in kernel form, side by side, so that they share every kernel value."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.validation import assert_all_finite

from rosenblatt import inputs
from rosenblatt.expansion import Course, Crowd, Expansion
from rosenblatt.kernel import KernelRun, kernel_runs
from rosenblatt.readouts import Voted
from rosenblatt.spaces import Array
from rosenblatt.task import Task


class KernelTask(Task):
    """Two classes need one run, more one for each class against the rest."""

    runs: list[KernelRun]

    def __init__(
        self,
        estimator: Any,
        settings: dict[str, Any],
        X: Any,
        y: Array,
        weights: Array | None,
        start: Any,
        classes: Array,
    ) -> None:
        if len(classes) < 2:
            raise ValueError(f"y holds one class only, {classes.tolist()}; a classifier needs two.")
        if start is not None:
            raise ValueError(
                "a kernel run begins at zero; leave out coef_init, intercept_init and warm_start."
            )
        self.X, self.y, self.classes, self.streaming = X, y, classes, False
        self.kind = "binary" if len(classes) == 2 else "ovr"
        self.how = estimator._reading()
        assert_all_finite(X.data if sp.issparse(X) else X, input_name="X")
        similarity = estimator._similarity(X, settings["bias"])
        order = estimator.order
        if order is None:
            order = "shuffled" if estimator.shuffle else "cyclic"
        positives = classes[1:] if self.kind == "binary" else classes
        self.random = check_random_state(estimator.random_state)
        self.runs = kernel_runs(
            settings["rule"], similarity, X, [inputs.signs(y, p) for p in positives],
            int(self.random.randint(2**31)), order=order, weights=weights,
            count_errors=estimator.count_errors, keep=estimator.journal_size,
            block=estimator.block_size, readouts=[estimator._readout() for _ in positives],
        )  # fmt: skip
        if not isfinite(self.runs[0].space.norms.sum()):
            raise ValueError(
                "the kernel overflows on these examples; scale the features, or take a lower "
                "degree."
            )
        self._moment = float(self.random.uniform())

    def make_pass(self, jobs: int | None) -> None:
        """One pass, block by block, of every run that may still change."""
        active, done = [run for run in self.runs if not run.settled], 0
        aim = len(active[0].passes) + 1
        while len(active[0].passes) < aim:
            for run in active:
                done = run.advance(visits=run._size())
            if not done:
                break

    def _held(self) -> Array:
        """Examples that any class needs."""
        return self.runs[0].supports.numbers

    def _course(self, run: KernelRun, held: Array) -> Course:
        """All hypotheses of a run, with the supports numbered as they are held."""
        if not isinstance(run.readout, Voted):
            raise TypeError("only a vote keeps all hypotheses")
        updates = run.readout.updates()
        signs = run.y[updates.i].astype(float)
        numbered = updates._replace(i=np.searchsorted(held, updates.i))
        return Course(numbered, signs, run.readout.votes(self.visits), run.lengths())

    def model(self) -> Any:
        """What predicts."""
        held = self._held()
        supports = self.runs[0].supports
        examples = supports.pick(held)
        if isinstance(self.runs[0].readout, Voted):
            courses = [self._course(run, held) for run in self.runs]
            moment = int(self._moment * self.visits)
            return Crowd(supports.similarity, examples, courses, self.how, moment)
        coef = np.stack([run.readout.hypothesis(run, self.visits)[held] for run in self.runs])
        if self.how == "last_norm":
            coef /= np.array([max(run.n.ww, 5e-324) ** 0.5 for run in self.runs])[:, None]
        return Expansion(supports.similarity, examples, coef)

    def fitted(self, model: Any = None) -> dict[str, Any]:
        """The attributes of a fitted estimator."""
        model = self.model() if model is None else model
        held = self._held()
        brackets = np.array([run.bracket for run in self.runs])
        journals = [run.journal() for run in self.runs]
        similarity, examples = self.runs[0].supports.similarity, self.runs[0].supports.pick(held)
        last = np.stack([run.readout.hypothesis(run, self.visits)[held] for run in self.runs])
        result = {
            "classes_": self.classes,
            "support_": held,
            "support_vectors_": self.X[held],
            "dual_coef_": last,
            "n_iter_": max(len(run.passes) for run in self.runs),
            "converged_": self.converged,
            "n_updates_": sum(run.n.k for run in self.runs),
            "pass_mistakes_": self.passes("mistakes"),
            "pass_errors_": self.passes("errors"),
            "radius_": max(run.radius for run in self.runs),
            "margin_bracket_": (float(brackets[:, 0].min()), float(brackets[:, 1].min())),
            "journal_": journals[0] if len(journals) == 1 else journals,
            "_model": model,
            "_last": Expansion(similarity, examples, np.stack([run.h[held] for run in self.runs])),
            "_lengths": np.array([max(run.n.ww, 0.0) ** 0.5 for run in self.runs]),
            "_examples": len(self.y),
        }
        if isinstance(self.runs[0].readout, Voted):
            votes = [run.readout.votes(self.visits) for run in self.runs]  # type: ignore[attr-defined]
            result["votes_"] = votes[0] if len(votes) == 1 else votes
        return result

    def carry(self) -> Any:
        return None
