# Written by docs/stubs.py: change the declarations and run `make docs`.

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Literal

import numpy as np

from rosenblatt.data import FeatureMap, Templates
from rosenblatt.estimators import (
    annealed,
    classifier,
    dual,
    gradients,
    kernel,
    margins,
    mistakes,
    regressor,
    second,
    sequences,
    stability,
)
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.spaces import Array

MEMBERS: dict[str, type[classifier.PerceptronClassifier]]
OTHERS: dict[str, str]

class PerceptronClassifier(classifier.PerceptronClassifier):
    """Any rule of the family with any readout.

    Parameters
    ----------
    rule : str, record or function of `Look`, default="plain"
        When to update and how far: a name from the table of rules, a record such as
        `rules.Margin(theta=2.0)`, or a function of `Look` that returns (a, c).
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        rule: Any = "plain",
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        *,
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class Perceptron(mistakes.Perceptron):
    """Rosenblatt's perceptron: on a mistake, add the example.

    Parameters
    ----------
    eta0 : float, default=1.0
        Learning rate.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        eta0: float = 1.0,
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class AveragedPerceptron(mistakes.AveragedPerceptron):
    """The averaged perceptron: the mean of the hypotheses after each visit.

    Parameters
    ----------
    eta0 : float, default=1.0
        Learning rate.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        eta0: float = 1.0,
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class VotedPerceptron(mistakes.VotedPerceptron):
    """The voted perceptron: every hypothesis votes, as often as it survived a visit.

    Parameters
    ----------
    eta0 : float, default=1.0
        Learning rate.
    max_hypotheses : int or None, default=None
        The most hypotheses that are kept to vote, the latest ones; None keeps all, as the paper
        does.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        eta0: float = 1.0,
        max_hypotheses: int | None = None,
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class PocketPerceptron(mistakes.PocketPerceptron):
    """The pocket algorithm: keep the hypothesis that went longest without a mistake.

    Parameters
    ----------
    eta0 : float, default=1.0
        Learning rate.
    ratchet : bool, default=True
        Count the training errors before an exchange. A stream, whose past examples are gone, is
        learned without.
    schedule : {None, "gallant"}, default=None
        Gallant's: examples are drawn with replacement, 10,000 of them, and half as many again
        as long as the pocket changed in the last 80 % of the draws; in whole passes. `max_iter`
        passes are the most, unless 10,000 draws are more.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        eta0: float = 1.0,
        ratchet: bool = True,
        schedule: Literal[None, "gallant"] = None,
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class MarginPerceptron(margins.MarginPerceptron):
    """The perceptron with margin, even or uneven (PAUM).

    Parameters
    ----------
    margin : float, default=1.0
        The margin asked for, of the positive class if `negative_margin` is set.
    negative_margin : float or None, default=None
        The margin asked for of the negative class.
    eta0 : float, default=1.0
        Learning rate.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        margin: float = 1.0,
        negative_margin: float | None = None,
        eta0: float = 1.0,
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class PassiveAggressive(margins.PassiveAggressive):
    """Passive-aggressive learning: the least change that gives the example margin 1.

    Parameters
    ----------
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        Without bound on the step, with a bound, or with a softened step.
    C : float, default=1.0
        Aggressiveness, of PA-I and PA-II.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        variant: Literal["PA", "PA-I", "PA-II"] = "PA-I",
        C: float = 1.0,
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class MIRA(margins.MIRA):
    """MIRA, the margin-infused relaxed algorithm: the least change that repairs a mistake.

    Parameters
    ----------
    margin : float, default=0.0
        The margin to project to.
    scheme : {"projection", "max", "uniform", "proportional"}, default="projection"
        How the wrong classes share the blame; "projection" is MIRA's.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        margin: float = 0.0,
        scheme: Literal["projection", "max", "uniform", "proportional"] = "projection",
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        multiclass: Literal["native", "ovr"] = "native",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class ROMMA(margins.ROMMA):
    """ROMMA, the relaxed online maximum margin algorithm.

    Parameters
    ----------
    aggressive : bool, default=False
        Update also where the margin is less than 1.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        aggressive: bool = False,
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class ALMA(margins.ALMA):
    """ALMA, the approximate maximal margin algorithm, for any norm.

    Parameters
    ----------
    alpha : float, default=0.9
        How far from the best margin the result may stay; in (0, 1].
    p : float, default=2.0
        The norm, at least 2. Other than 2: two classes or one-vs-rest, no vote.
    B : float or None, default=None
        Factor of the margin asked for; 1/alpha if None, as in the paper's experiments.
    C : float, default=1.41421
        Factor of the step; sqrt(2) by default.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        alpha: float = 0.9,
        p: float = 2.0,
        B: float | None = None,
        C: float = 1.4142135623730951,
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class Ballseptron(margins.Ballseptron):
    """Ballseptron: the perceptron on balls of radius r around the examples.

    Parameters
    ----------
    radius : float, default=0.1
        Radius of the balls, in the units of the features.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        radius: float = 0.1,
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class DynamicMarginPerceptron(margins.DynamicMarginPerceptron):
    """The perceptron with dynamic margin: at least (1 - eps) times the best margin.

    Parameters
    ----------
    eps : float, default=0.1
        Part of the best margin that may be missed; in (0, 1].
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        eps: float = 0.1,
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class MinOver(stability.MinOver):
    """MinOver: always learn the example with the least margin; in the end the margin is the best.

    Parameters
    ----------
    c : float, default=100.0
        Margin asked for, in units of R²/N.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        c: float = 100.0,
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class MaxOver(stability.MaxOver):
    """Wendemuth's algorithms, which settle down whether or not the data can be separated.

    Parameters
    ----------
    algorithm : {1, 2, 3}, default=3
        Which example to take.
    kappa : float, default=0.0
        Stability asked for, y·f(x)/|w| of an example of length sqrt(N). Below 0 it tolerates
        errors. Algorithm 1 does without.
    limit : float or None, default=None
        Stop when |w| exceeds it; w has the length N at the start. None for no limit.
    normalise : bool, default=True
        Scale each example. If False, all are scaled by one factor, so that N is the mean of
        |z|², and |z|² takes the place of the first N in r.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        algorithm: Literal[1, 2, 3] = 3,
        kappa: float = 0.0,
        limit: float | None = None,
        normalise: bool = True,
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class ThermalPerceptron(annealed.ThermalPerceptron):
    """The thermal perceptron: deep mistakes, which may be past mending, move the weights little.

    Parameters
    ----------
    eta0 : float, default=1.0
        Learning rate, at the start.
    temperature : float, default=0.2
        T at the start, in units of eta0·mean |x|². Much above the default it is close to the
        plain rule, much below it hardly learns from any mistake.
    annealing : bool, default=True
        Let T and eta0 fall to zero. A stream, whose end is not known, is learned without.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        eta0: float = 1.0,
        temperature: float = 0.2,
        annealing: bool = True,
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class AdaTron(dual.AdaTron):
    """AdaTron: the largest margin, by steps that can be taken back.

    Parameters
    ----------
    eta0 : float, default=1.0
        Part of the best step to take; above 0 and below 2.
    C : float, default=inf
        Most that an example may contribute; finite for data that no hyperplane separates.
    gap : float, default=0.001
        Part of the largest margin, or of the objective, that may be missed; below 1.
    multiclass : {"ovr"}, default="ovr"
        With more than two classes: one problem per class against the rest.
    max_iter : int, default=1000
        Passes at most.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    dual_: Array
    gap_: float
    def __init__(
        self,
        *,
        eta0: float = 1.0,
        C: float = inf,
        gap: float = 0.001,
        multiclass: Literal["ovr"] = "ovr",
        max_iter: int = 1000,
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class BatchPerceptron(gradients.BatchPerceptron):
    """Gradient descent on the perceptron criterion, over all examples at once or one by one.

    Parameters
    ----------
    method : {"batch", "stochastic"}, default="batch"
        One step per pass on the sum over all mistakes, or a step at each mistake.
    learning_rate : {"constant", "inverse", "sqrt"}, default="constant"
        The rate at the k-th step: eta0, eta0/k or eta0/sqrt(k).
    eta0 : float, default=1.0
        The first rate.
    readout : {"last", "averaged"}, default="last"
        What to make of the hypotheses that come and go; the batch method makes one per pass.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one multi-class rule, or one problem per class against the
        rest.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    criterion_: Array
    def __init__(
        self,
        *,
        method: Literal["batch", "stochastic"] = "batch",
        learning_rate: Literal["constant", "inverse", "sqrt"] = "constant",
        eta0: float = 1.0,
        readout: Literal["last", "averaged"] = "last",
        multiclass: Literal["native", "ovr"] = "native",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class WinnowPerceptron(gradients.WinnowPerceptron):
    """The perceptron for few relevant features among many: p-norms, or multiplicative steps.

    Parameters
    ----------
    p : {"log", "exponential"} or float, default="log"
        The link: p = 2·ln d, at least 2; multiplicative steps; or this p, at least 2.
    eta0 : float, default=0.1
        Length of a step; matters for multiplicative steps only.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem per class against the rest; "native" for p=2
        only.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        p: Literal["log", "exponential"] | float = "log",
        eta0: float = 0.1,
        multiclass: Literal["ovr", "native"] = "ovr",
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class SecondOrderPerceptron(second.SecondOrderPerceptron):
    """The second-order perceptron: on a mistake, a step that past examples have shaped.

    Parameters
    ----------
    a : float, default=1.0
        What S^-1 has on its diagonal at first. Large: like the perceptron.
    covariance : {"diagonal", "full"}, default="diagonal"
        Variances of the weights alone, at the cost of the non-zeros of an example, or of all
        pairs of weights too, at the cost of a matrix. The paper's bound is of the full one.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem per class against the rest. There is no native
        rule.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        a: float = 1.0,
        covariance: Literal["diagonal", "full"] = "diagonal",
        multiclass: Literal["ovr", "native"] = "ovr",
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class ConfidenceWeighted(second.ConfidenceWeighted):
    """Confidence-weighted learning: the least change that is right with a given confidence.

    Parameters
    ----------
    variant : {"stdev", "variance"}, default="stdev"
        Whether the deviation or the variance of f(x) is compared with the margin.
    confidence : float, default=0.7
        Confidence asked for, between 0.5 and 1.
    covariance : {"diagonal", "full"}, default="diagonal"
        Variances of the weights alone, at the cost of the non-zeros of an example, or of all
        pairs of weights too, at the cost of a matrix.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem per class against the rest. There is no native
        rule.
    max_iter : int, default=5
        Passes at most. More do harm where labels are noisy: each example is met in full again.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        variant: Literal["stdev", "variance"] = "stdev",
        confidence: float = 0.7,
        covariance: Literal["diagonal", "full"] = "diagonal",
        multiclass: Literal["ovr", "native"] = "ovr",
        max_iter: int = 5,
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class AROW(second.AROW):
    """AROW, adaptive regularisation of weights: confidence that withstands noisy labels.

    Parameters
    ----------
    r : float, default=1.0
        Regularisation: the larger, the shorter the steps and the slower S shrinks.
    covariance : {"diagonal", "full"}, default="diagonal"
        Variances of the weights alone, at the cost of the non-zeros of an example, or of all
        pairs of weights too, at the cost of a matrix.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem per class against the rest. There is no native
        rule.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        r: float = 1.0,
        covariance: Literal["diagonal", "full"] = "diagonal",
        multiclass: Literal["ovr", "native"] = "ovr",
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class SCW(second.SCW):
    """Soft confidence-weighted learning: CW whose steps give way to noise.

    Parameters
    ----------
    variant : {"I", "II"}, default="I"
        The loss, or its square.
    C : float, default=1.0
        Aggressiveness.
    confidence : float, default=0.7
        Confidence asked for, between 0.5 and 1.
    covariance : {"diagonal", "full"}, default="diagonal"
        Variances of the weights alone, at the cost of the non-zeros of an example, or of all
        pairs of weights too, at the cost of a matrix.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem per class against the rest. There is no native
        rule.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        variant: Literal["I", "II"] = "I",
        C: float = 1.0,
        confidence: float = 0.7,
        covariance: Literal["diagonal", "full"] = "diagonal",
        multiclass: Literal["ovr", "native"] = "ovr",
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class NHERD(second.NHERD):
    """NHERD: a normal herd of hypotheses, led towards the margin by one linear map.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness.
    covariance : {"diagonal", "full"}, default="diagonal"
        Variances of the weights alone, at the cost of the non-zeros of an example, or of all
        pairs of weights too, at the cost of a matrix.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem per class against the rest. There is no native
        rule.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        What to make of the hypotheses that come and go.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    threshold : float, default=0.0
        Value that the activation must exceed, in learning and prediction. With an intercept it
        is only where the intercept starts.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    n_jobs : int or None, default=None
        Threads for one-vs-rest; -1 for one per class.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        C: float = 1.0,
        covariance: Literal["diagonal", "full"] = "diagonal",
        multiclass: Literal["ovr", "native"] = "ovr",
        readout: Literal["last", "averaged", "voted", "pocket"] = "last",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        threshold: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
    ) -> None: ...

class KernelPerceptron(kernel.KernelPerceptron):
    """The perceptron in kernel form: on a mistake, remember the example.

    Parameters
    ----------
    kernel : {"poly", "rbf", "linear", "sigmoid", "precomputed"}, str or callable, default="rbf"
        Names and parameters are those of scikit-learn's `pairwise_kernels`; a function gets two
        examples, which may be rows of a table, or words and other things in a list. With
        "precomputed", X holds kernel values with all training examples.
    degree : float, default=3
        Of the polynomial kernel (gamma·x·y + coef0)^degree.
    gamma : float or None, default=None
        Factor in the polynomial, sigmoid and Gaussian kernels; None is 1 over the number of
        features.
    coef0 : float, default=1.0
        Constant in the polynomial and sigmoid kernels.
    kernel_params : dict, default=None
        Parameters of other kernels.
    rule : str, record or function of `Look`, default="plain"
        A rule of the family.
    readout : {"last", "averaged", "voted", "pocket", "random"}, default="averaged"
        What to make of the hypotheses that come and go; "random" takes those of one visit,
        drawn at random.
    normalise : bool, default=False
        Divide each hypothesis by its length, so that those of different classes compare.
    budget : int or None, default=None
        Examples that a hypothesis may hold at most; with one class against the rest each class
        has its own. An example that is held already needs no new place.
    budget_policy : str or record, default="random"
        What to do when it is used up: "stop", "oldest" or "random" with any rule; "forgetron",
        "projectron", "projectron++", "bpa-s" and "bogd" have steps of their own. A record of
        `rosenblatt.BUDGETS` sets their parameters, such as `BUDGETS["projectron"](eta=0.2)`.
    block_size : int, default=512
        Examples that are scored at a time.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes, one problem per class against the rest, or one multi-class
        rule.
    scheme : {"max", "uniform", "proportional", "projection"}, default="max"
        How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    order : str or array of int, default=None
        Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled";
        an array, whose visits are made in every pass; or "least", "violated" or "nearest",
        which look at all examples before each visit and choose one that the rule would learn.
    random_state : int, RandomState or None, default=None
        Seed of the order and of the validation split.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    early_stopping : bool, default=False
        Stop when the held-out accuracy no longer rises, and keep the best weights.
    validation_fraction : float, default=0.1
        Part to hold out if no validation set is given.
    n_iter_no_change : int, default=5
        Passes without a better held-out accuracy before stopping; without `early_stopping`, the
        least number of passes that `tol` compares.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    support_: Array
    support_vectors_: Any
    dual_coef_: Array
    classes_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal | list[Journal]
    votes_: Array | list[Array]
    def __init__(
        self,
        *,
        kernel: str | Callable[..., float] = "rbf",
        degree: float = 3,
        gamma: float | None = None,
        coef0: float = 1.0,
        kernel_params: Mapping[str, Any] | None = None,
        rule: Any = "plain",
        readout: Literal["last", "averaged", "voted", "pocket", "random"] = "averaged",
        normalise: bool = False,
        budget: int | None = None,
        budget_policy: str | tuple[Any, ...] = "random",
        block_size: int = 512,
        multiclass: Literal["ovr", "native"] = "ovr",
        scheme: Literal["max", "uniform", "proportional", "projection"] = "max",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        shuffle: bool = True,
        order: str | Sequence[int] | Array | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        count_errors: bool = False,
        journal_size: int = 100000,
        verbose: bool | int = 0,
    ) -> None: ...

class PerceptronRegressor(regressor.PerceptronRegressor):
    """Predict numbers with a rule of the family.

    Parameters
    ----------
    rule : str, record or function of `Look`, default="pa1"
        When to update and how far: a name, a record such as `rules.PA1(C=0.1, margin=0.0)`, or
        a function of `Look` that returns (a, c).
    readout : {"averaged", "last"}, default="averaged"
        What to make of the hypotheses that come and go.
    epsilon : float, default=0.1
        Half the width of the tube: residuals below it are right as they are, and no others.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    n_iter_no_change : int, default=5
        The least number of passes that `tol` compares.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    random_state : int, RandomState or None, default=None
        Seed of the order.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    journal_: Journal
    def __init__(
        self,
        rule: Any = "pa1",
        readout: Literal["averaged", "last"] = "averaged",
        *,
        epsilon: float = 0.1,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        count_errors: bool = False,
        journal_size: int = 100000,
        verbose: bool | int = 0,
    ) -> None: ...

class PassiveAggressiveRegressor(regressor.PassiveAggressiveRegressor):
    """Passive-aggressive regression: the least change that brings the residual into the tube.

    Parameters
    ----------
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        Without bound on the step, with a bound, or with a softened step.
    C : float, default=1.0
        Aggressiveness, of PA-I and PA-II.
    readout : {"averaged", "last"}, default="last"
        What to make of the hypotheses that come and go.
    epsilon : float, default=0.1
        Half the width of the tube: residuals below it are right as they are, and no others.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    max_iter : int, default=100
        Passes at most.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    n_iter_no_change : int, default=5
        The least number of passes that `tol` compares.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    random_state : int, RandomState or None, default=None
        Seed of the order.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    journal_: Journal
    def __init__(
        self,
        *,
        variant: Literal["PA", "PA-I", "PA-II"] = "PA-I",
        C: float = 1.0,
        readout: Literal["averaged", "last"] = "last",
        epsilon: float = 0.1,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 100,
        tol: float | None = 1.0,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        count_errors: bool = False,
        journal_size: int = 100000,
        verbose: bool | int = 0,
    ) -> None: ...

class AROWRegressor(regressor.AROWRegressor):
    """AROW for numbers: steps that each weight's variance shapes, and that give way to noise.

    Parameters
    ----------
    r : float, default=1.0
        How slowly steps and variances shrink; large for noise.
    covariance : {"diagonal", "full"}, default="diagonal"
        Variances of the weights alone, at the cost of the non-zeros of an example, or of all
        pairs of weights too, at the cost of a matrix.
    epsilon : float, default=0.0
        Half the width of the tube: residuals below it are right as they are, and no others.
    readout : {"averaged", "last"}, default="last"
        What to make of the hypotheses that come and go.
    max_iter : int, default=5
        Passes at most.
    fit_intercept : bool, default=True
        Learn the weight of a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature's value.
    tol : float or None, default=1.0
        Stop when the passes no longer get better: when the last third of them, at least
        `n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by
        more than `tol` standard deviations of such a count, and these passes made at least 100
        mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used
        with `early_stopping`, a greedy order or a pocket.
    n_iter_no_change : int, default=5
        The least number of passes that `tol` compares.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    random_state : int, RandomState or None, default=None
        Seed of the order.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    coef_: Array
    intercept_: Array
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    journal_: Journal
    def __init__(
        self,
        *,
        r: float = 1.0,
        covariance: Literal["diagonal", "full"] = "diagonal",
        epsilon: float = 0.0,
        readout: Literal["averaged", "last"] = "last",
        max_iter: int = 5,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        tol: float | None = 1.0,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        count_errors: bool = False,
        journal_size: int = 100000,
        verbose: bool | int = 0,
    ) -> None: ...

class SequencePerceptron(sequences.SequencePerceptron):
    """Label sequences: the structured perceptron of Collins (2002), with any rule of the family.

    Parameters
    ----------
    rule : str, record or function of `Look`, default="plain"
        When to update and how far: a name from the table of rules, a record such as
        `rules.PA1(C=0.1)`, or a function of `Look` that returns (a, c). A rule that scales all
        weights at each step is slow with many features.
    readout : {"averaged", "last", "pocket"}, default="averaged"
        What to make of the hypotheses that come and go.
    templates : Templates, str or None, default=None
        Which features to make of tokens with columns, in the notation of CRF++; None for
        `Templates.default`. The weights of transitions are always learned.
    hash_bits : int or None, default=None
        Number the features of tokens by a hash of this many bits, at most 30: no data are kept,
        but features may share a number.
    transitions : str, pairs of labels or None, default=None
        Labellings that may be: those of an encoding of spans such as "BIO" or "BIOES", or those
        in which each label follows another as a pair (label before, label) says; pairs with
        None name the first and the last labels, which otherwise may be any. Others are neither
        learned against nor predicted.
    order : {1, 2}, default=1
        How many labels before a label have weights with it: 2 learns three labels in a row as
        well as two, and takes as many times longer as there are labels, without the features.
    max_iter : int, default=10
        Passes at most.
    shuffle : bool, default=True
        Visit the examples in a fresh random order each pass.
    random_state : int, RandomState or None, default=None
        Seed of the order.
    count_errors : bool, default=False
        Count the training errors that are left after each pass; it costs a look at each
        example. `verbose` counts them too.
    journal_size : int, default=100_000
        Updates that `journal_` keeps at least; the oldest are dropped.
    verbose : bool or int, default=0
        1 reports progress about once a second, 2 after each pass.
    """

    classes_: Array
    coef_: Array
    transition_coef_: Array
    pair_coef_: Array
    n_features_in_: int
    features_: FeatureMap
    n_iter_: int
    converged_: bool
    n_updates_: int
    pass_mistakes_: Array
    pass_errors_: Array
    radius_: float
    margin_bracket_: tuple[float, float]
    journal_: Journal
    def __init__(
        self,
        rule: Any = "plain",
        readout: Literal["averaged", "last", "pocket"] = "averaged",
        *,
        templates: Templates | str | None = None,
        hash_bits: int | None = None,
        transitions: str | Sequence[tuple[Any, Any]] | None = None,
        order: Literal[1, 2] = 1,
        max_iter: int = 10,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
        count_errors: bool = False,
        journal_size: int = 100000,
        verbose: bool | int = 0,
    ) -> None: ...
