"""Members in kernel form: the hypothesis is a sum over examples."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any, NoReturn

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from rosenblatt.engine import custom
from rosenblatt.engine.plan import Examples, KernelPlan, Plan
from rosenblatt.engine.state import State
from rosenblatt.estimators.classifier import Member
from rosenblatt.estimators.members import member
from rosenblatt.estimators.parameters import (
    Anything,
    Choice,
    Flag,
    Integer,
    Real,
    array,
    param,
    result,
)
from rosenblatt.estimators.shared import RESULTS, RULE
from rosenblatt.models import Margins, leads, margins, own_scores
from rosenblatt.theory import budgets, orders, readouts, rules
from rosenblatt.theory.similarity import Precomputed, Similarity
from rosenblatt.theory.spaces import Array

KERNELS = ("poly", "rbf", "linear", "sigmoid", "precomputed")
"""The kernels with parameters of their own; any other of scikit-learn's goes by its name too."""


def _has_kernel_form(rule: Any) -> bool:
    """Whether a rule looks at margins and lengths alone, by an inner product."""
    return getattr(rule, "p", 2.0) == 2.0 and not rules.prior_variance(rule)


@member
class KernelPerceptron(Member):
    """The perceptron in kernel form: on a mistake, remember the example.

    f(x) = Σ a·y·K(x_i, x) over the mistakes made (Aizerman, Braverman & Rozonoer 1964; Freund &
    Schapire 1999). In the space that the kernel stands for it is the perceptron, with its bound:
    at most (R/g)² updates if some hypothesis there has margin g and K(x, x) <= R². Any rule of the
    family that looks at margins and lengths alone works the same way.

    The algorithm is the sequential one, but examples are taken in blocks: scored against the
    supports with one matrix product, then settled in order with the block's own Gram matrix. All
    classes share the kernel values. No matrix of all pairs is made.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import KernelPerceptron
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    >>> clf = KernelPerceptron(kernel="poly", degree=2, gamma=1.0, readout="last").fit(X, y)
    >>> clf.predict(X), clf.converged_
    (array([0, 1, 1, 0]), True)
    """

    kernel: Any = param(
        "rbf",
        Anything(
            f"{Choice(*KERNELS).words}, str or callable",
            "str | Callable[..., float]",
            KERNELS,
        ),
        "Names and parameters are those of scikit-learn's `pairwise_kernels`; a function gets two "
        "examples, which may be rows of a table, or words and other things in a list. With "
        '"precomputed", X holds kernel values with all training examples.',
    )
    degree: float = param(3, Real(), "Of the polynomial kernel (gamma·x·y + coef0)^degree.")
    gamma: float | None = param(
        None,
        Real(nullable=True),
        "Factor in the polynomial, sigmoid and Gaussian kernels; None is 1 over the number of "
        "features.",
    )
    coef0: float = param(1.0, Real(), "Constant in the polynomial and sigmoid kernels.")
    kernel_params: dict[str, Any] | None = param(
        None,
        Anything("dict", "Mapping[str, Any] | None", nullable=True),
        "Parameters of other kernels.",
        advanced=True,
    )
    rule: Any = param(
        "plain",
        replace(
            RULE, names=tuple(n for n, kind in rules.RULES.items() if _has_kernel_form(kind()))
        ),
        "A rule of the family.",
    )
    readout: str = param(
        "averaged",
        Choice(*readouts.READOUTS, "random"),
        'What to make of the hypotheses that come and go; "random" takes those of one visit, '
        "drawn at random.",
    )
    normalise: bool = param(
        False,
        Flag(),
        "Divide each hypothesis by its length, so that those of different classes compare.",
    )
    budget: int | None = param(
        None,
        Integer(least=1, nullable=True),
        "Examples that a hypothesis may hold at most; with one class against the rest each class "
        "has its own. An example that is held already needs no new place.",
    )
    budget_policy: Any = param(
        "random",
        Anything("str or record", "str | tuple[Any, ...]", tuple(budgets.BUDGETS)),
        'What to do when it is used up: "stop", "oldest" or "random" with any rule; "forgetron", '
        '"projectron", "projectron++", "bpa-s" and "bogd" have steps of their own. A record of '
        '`rosenblatt.BUDGETS` sets their parameters, such as `BUDGETS["projectron"](eta=0.2)`.',
    )
    block_size: int = param(
        512, Integer(least=1), "Examples that are scored at a time.", advanced=True
    )
    multiclass: str = param(
        "ovr",
        Choice("ovr", "native"),
        "With more than two classes, one problem per class against the rest, or one multi-class "
        "rule.",
    )
    threshold = 0.0
    n_jobs = None

    declared_results = (
        array("support_", "(n_support,)", "Numbers of the examples that have a coefficient."),
        result(
            "support_vectors_",
            "Any",
            "Those examples.",
            "array or sparse matrix of shape (n_support, n_features)",
        ),
        array(
            "dual_coef_",
            "(1 or n_classes, n_support)",
            "Their signed coefficients in the readout's hypothesis; with a vote, in the last one.",
        ),
        *RESULTS,
    )

    def _rule(self, given: Any) -> Any:
        rule = custom.rule(self.rule)
        if getattr(rule, "p", 2.0) != 2.0:
            raise ValueError("a kernel is an inner product; p-norms have none. Take p=2.")
        if rules.prior_variance(rule):
            raise ValueError("a rule that keeps variances has no kernel form; take another one.")
        return rule

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings()
        if isinstance(self.order, str) and orders.find(self.order, 1).pick:
            raise ValueError(
                f"order={self.order!r} looks at all examples before each visit, which kernels are "
                "too slow for; take 'cyclic', 'shuffled', 'blocks' or 'sampled'."
            )
        if self.normalise and self.readout == "pocket":
            raise ValueError(
                "normalise=True needs the length of each hypothesis, and a pocket keeps none; take "
                "another readout, or normalise=False."
            )
        settings["policy"] = None
        if self.budget is not None:
            settings["policy"] = self._policy(settings["rule"])
            settings["rule"] = budgets.required_rule(settings["policy"]) or settings["rule"]
        return settings

    def _policy(self, rule: Any) -> Any:
        """The budget policy, if it goes with the rule and the readout."""
        policy = budgets.find(self.budget_policy)
        name = f"budget_policy={self.budget_policy!r}"
        if budgets.required_rule(policy) is not None and self.rule != "plain":
            raise ValueError(f"{name} has a step of its own; leave rule at 'plain'.")
        if getattr(rule, "needs_dual", False) or rules.ball_radius2(rule) < inf:
            raise ValueError(
                f"the rule {type(rule).__name__} cannot do with a part of its examples; take "
                "another one, or budget=None."
            )
        average = self.readout == "averaged" and not self.normalise and budgets.keeps_all(policy)
        if self.readout != "last" and not average:
            raise ValueError(
                f"readout={self.readout!r} would need more examples than the budget holds with "
                f"{name}; take readout='last'."
            )
        return policy

    def _plan(
        self, settings: dict[str, Any], X: Any, y: Array, weights: Array | None, classes: Array,
        start: tuple[Array, Array] | None, state: State | None, streaming: bool = False,
    ) -> tuple[Plan, Examples]:  # fmt: skip
        random = check_random_state(self.random_state)
        # All runs visit the examples in the same order, so that they share kernel values.
        plan = self._bare_plan(settings, classes, 1, len(y), streaming, random, seeds=1)
        if plan.multiclass == "native" and (self.normalise or self.readout in ("voted", "random")):
            raise ValueError(
                "with multiclass='native' take readout='last', 'averaged' or 'pocket' and "
                "normalise=False; set multiclass='ovr' for the others."
            )
        if getattr(plan.rule, "needs_dual", False) and state is not None and not streaming:
            raise ValueError(
                "a rule with a dual coefficient for each example begins at zero; leave out "
                "warm_start."
            )
        if weights is not None and rules.full_step_only(plan.rule):
            weights = weights / weights.max()
        kernel = KernelPlan(
            similarity=self._similarity(X, settings["bias"]),
            block=self.block_size,
            reading=self._reading(),
            moment=float(random.uniform()),
            policy=settings["policy"],
            budget=self.budget,
        )
        return replace(plan, kernel=kernel), Examples(X, y, weights)

    def check_state(self) -> None:
        if self.kernel == "precomputed":  # which has no examples to go on from
            return
        super().check_state()
        state = self.outcome_.state
        if state is not None and state.examples.shape[0]:
            similarity = self._similarity(state.examples, self._settings()["bias"])
            values = state.examples.data if issparse(state.examples) else state.examples
            with np.errstate(over="ignore"):
                sizes = similarity.diagonal(state.examples).sum()
                sizes += np.square(values).sum() if values.dtype.kind == "f" else 0.0
            if not np.isfinite(sizes):
                raise ValueError("the kernel overflows on the examples that were learned.")

    def learns_one_by_one(self) -> bool:
        return False

    def _similarity(self, X: Any, bias: float) -> Any:
        if self.kernel == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"kernel='precomputed' needs a square X in fit, not one of shape {X.shape}."
                )
            return Precomputed(bias * bias)
        return Similarity(
            self.kernel, self.degree, self.gamma, self.coef0, bias * bias, self.kernel_params or {}
        )

    def _readout(self, streaming: bool = False) -> readouts.Readout:
        many = self.readout in ("voted", "random")
        if many or (self.normalise and self.readout == "averaged"):
            return readouts.Voted()
        return super()._readout(streaming)

    def _reading(self) -> str:
        """The way to read the hypotheses, as the paper calls it."""
        names = {"voted": "vote", "averaged": "avg", "random": "rand"}
        name = names.get(self.readout, "last")
        return name if name == "vote" else f"{name}_{'norm' if self.normalise else 'unnorm'}"

    def margins(self, X: Any, y: Any) -> Margins:
        """Return the margin of each example, y·f(x)/|w| in the kernel's space, and the least.

        f is the last hypothesis. With many classes it is that of the example's own class against
        the rest, or with multiclass="native" the lead over the best other class.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Examples.
        y : array of shape (n_samples,)
            Their labels, which must be classes of the fit.

        Returns
        -------
        Margins
            A named tuple: `each`, an array of shape (n_samples,), and `least`, a float.
        """
        X, own = self._labelled(X, y)
        lengths = self.outcome_.lengths
        scores = self.outcome_.last.scores(X) / np.maximum(lengths, 5e-324)
        lead = leads if len(lengths) == 1 else own_scores
        return margins(lead(scores, own), 1.0)

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> KernelPerceptron:
        """Go on learning: one pass over these examples in the order given.

        Calls for the parts of a data set equal one pass over the whole; after a `fit` it goes on
        from there. What was learned before is kept by its examples, so memory grows with the
        mistakes unless there is a budget. The parameters are those of the linear estimators.
        """
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError(
                "kernel='precomputed' knows no examples but those of one fit; for partial_fit give "
                "the examples themselves and a kernel."
            )
        return super().partial_fit(X, y, classes, sample_weight)

    def _table(self, X: Any, reset: bool) -> Any:
        things = self._things(X)
        if things is None:
            return super()._table(X, reset)
        if reset:
            self.n_features_in_ = 1
        return things

    def _rows(self, X: Any) -> Any:
        things = self._things(X)
        return super()._rows(X) if things is None else things

    def _things(self, X: Any) -> Array | None:
        """Examples that are no vectors, such as words, which a function can compare; else None."""
        if not callable(self.kernel) or not isinstance(X, list | tuple | np.ndarray) or not len(X):
            return None
        if isinstance(X, np.ndarray) and (X.ndim != 1 or X.dtype.kind not in "OUS"):
            return None
        if isinstance(X, list | tuple) and not isinstance(X[0], str | bytes):
            return None
        things = np.empty(len(X), object)
        things[:] = X
        return things

    def _start(self, coef: Any, intercept: Any, classes: Array, features: int) -> Any:
        """With warm_start, what the last fit left."""
        if coef is not None or intercept is not None:
            raise ValueError(
                "a kernel hypothesis has no weights on features to start from; leave out "
                "coef_init and intercept_init, or set warm_start=True."
            )
        before = getattr(self, "outcome_", None)
        if not self.warm_start or before is None or before.state is None:
            return None, None
        state = before.state
        if not self._continues(state, classes, features):
            raise ValueError(
                "warm_start needs the classes, features and multiclass of the fit before; set "
                "warm_start=False to start afresh."
            )
        restarted = [one.restarted() for one in state.runs]
        return None, replace(state, runs=restarted, history=[])

    def _continues(self, state: State, classes: Array, features: int) -> bool:
        """Whether a state has the classes, the features and the runs of this fit."""
        scores = 1 if len(classes) == 2 else len(classes)
        runs = len(classes) if scores > 1 and self.multiclass == "ovr" else 1
        examples = state.examples
        wide = examples.shape[1] if getattr(examples, "ndim", 1) == 2 else features
        return (
            np.array_equal(state.classes, classes)
            and sum(len(one.hypothesis) for one in state.runs) == scores
            and len(state.runs) == runs
            and wide == features
        )

    @property
    def top_features(self) -> NoReturn:
        raise AttributeError("a kernel hypothesis has no weights on features; see dual_coef_.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
