"""Members in kernel form: the hypothesis is a sum over examples."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rosenblatt import custom, inputs, readouts, rules
from rosenblatt.estimators.naming import ATTRIBUTES, Named, _without, member
from rosenblatt.kernel_task import KernelTask
from rosenblatt.similarity import Precomputed, Similarity
from rosenblatt.spaces import Array

ATTRIBUTES_HERE = """support_ : array of shape (n_support,)
    Numbers of the examples that have a coefficient.
support_vectors_ : array or sparse matrix of shape (n_support, n_features)
    Those examples.
dual_coef_ : array of shape (1 or n_classes, n_support)
    Their signed coefficients in the readout's hypothesis; with a vote, in the last one.
""" + _without(ATTRIBUTES, ("coef_", "intercept_"))


@member
class KernelPerceptron(Named):
    """The perceptron in kernel form: on a mistake, remember the example.

    f(x) = Σ a·y·K(x_i, x) over the mistakes made (Aizerman, Braverman & Rozonoer 1964; Freund &
    Schapire 1999). In the space that the kernel stands for it is the perceptron, with its bound:
    at most (R/g)² updates if some hypothesis there has margin g and K(x, x) <= R². Any rule of the
    family that looks at margins and lengths alone works the same way.

    The algorithm is the sequential one, but examples are taken in blocks: scored against the
    supports with one matrix product, then settled in order with the block's own Gram matrix. All
    classes share the kernel values. No matrix of all pairs is made.

    Parameters
    ----------
    kernel : {"poly", "rbf", "linear", "sigmoid", "precomputed"}, other name or callable
        Default "rbf". Names and parameters are those of scikit-learn's `pairwise_kernels`; a
        function gets two examples. With "precomputed", X holds kernel values with all training
        examples.
    degree : float, default=3
        Of the polynomial kernel (gamma·x·y + coef0)^degree.
    gamma : float or None, default=None
        Factor in the polynomial, sigmoid and Gaussian kernels; None is 1 over the number of
        features.
    coef0 : float, default=1.0
        Constant in the polynomial and sigmoid kernels.
    kernel_params : dict, default=None
        Parameters of other kernels.
    rule : str or rule, default="plain"
        A rule of the family.
    readout : {"last", "averaged", "voted", "pocket", "random"}, default="averaged"
        What to make of the hypotheses that come and go; "random" takes those of one visit, drawn
        at random.
    normalise : bool, default=False
        Divide each hypothesis by its length, so that those of different classes compare.
    block_size : int, default=512
        Examples that are scored at a time.
    multiclass : {"ovr"}, default="ovr"
        With more than two classes, one problem a class against the rest.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs as much as the pass.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import KernelPerceptron
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    >>> clf = KernelPerceptron(kernel="poly", degree=2, gamma=1.0, readout="last").fit(X, y)
    >>> clf.predict(X), clf.converged_
    (array([0, 1, 1, 0]), True)
    """

    kernel: Any = "rbf"
    degree: float = 3
    gamma: float | None = None
    coef0: float = 1.0
    kernel_params: dict[str, Any] | None = None
    rule: Any = "plain"
    readout: str = "averaged"
    normalise: bool = False
    block_size: int = 512
    multiclass: str = "ovr"
    count_errors: bool = False

    scheme = "max"  # of the native multi-class rule
    threshold = 0.0
    n_jobs = None
    warm_start = False
    _lacks = frozenset({"scheme", "threshold", "n_jobs", "warm_start"})
    _readouts = (*readouts.READOUTS, "random")
    _task = KernelTask
    _attributes = ATTRIBUTES_HERE

    def _rule(self) -> Any:
        rule = custom.rule(self.rule)
        if getattr(rule, "p", 2.0) != 2.0:
            raise ValueError("a kernel is an inner product; p-norms have none. Take p=2.")
        if rules.prior(rule):
            raise ValueError("a rule that keeps variances has no kernel form; take another one.")
        return rule

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings()
        inputs.whole_number("block_size", self.block_size, 1)
        if self.multiclass != "ovr":
            raise ValueError(
                f"multiclass={self.multiclass!r} is not for kernels; take 'ovr', which shares all "
                "kernel values between the classes."
            )
        return settings

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

    def _readout(self, streaming: bool = False) -> readouts.Last:
        many = self.readout in ("voted", "random")
        if many or (self.normalise and self.readout == "averaged"):
            return readouts.Voted()
        return super()._readout(streaming)

    def _reading(self) -> str:
        """The way to read the hypotheses, as the paper calls it."""
        names = {"voted": "vote", "averaged": "avg", "random": "rand"}
        name = names.get(self.readout, "last")
        return name if name == "vote" else f"{name}_{'norm' if self.normalise else 'unnorm'}"

    def margins(self, X: Any, y: Any) -> tuple[Array, float]:
        """Margin of each example, y·f(x)/|w| in the kernel's space, and the least of them.

        With many classes it is that of the example's own class against the rest. Of the last
        hypothesis.
        """
        check_is_fitted(self, "classes_")
        X, y = self._rows(X), np.asarray(y)
        check_consistent_length(X, y)
        scores = self._last.scores(X) / np.maximum(self._lengths, 5e-324)
        own = np.searchsorted(self.classes_, y)
        if len(self.classes_) == 2:
            distance = np.where(own == 1, 1.0, -1.0) * scores[:, 0]
        else:
            distance = scores[np.arange(len(y)), own]
        return distance, float(distance.min())

    @property
    def partial_fit(self) -> NoReturn:
        raise AttributeError("KernelPerceptron learns from all examples at once; use fit.")

    @property
    def top_features(self) -> NoReturn:
        raise AttributeError("a kernel hypothesis has no weights on features; see dual_coef_.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
