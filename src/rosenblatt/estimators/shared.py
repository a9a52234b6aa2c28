"""The parameters and results that all members of the family share."""

from __future__ import annotations

from typing import Any

from rosenblatt.estimators.parameters import (
    Anything,
    Choice,
    Either,
    Flag,
    Integer,
    Real,
    array,
    param,
    result,
)
from rosenblatt.theory.orders import ORDERS
from rosenblatt.theory.readouts import READOUTS
from rosenblatt.theory.rules import RULES
from rosenblatt.theory.spaces.rows import SCHEMES


class SharedParameters:
    """Declarations of the parameters that all members have unless they fix them."""

    readout: str = param(
        "last", Choice(*READOUTS), "What to make of the hypotheses that come and go."
    )
    multiclass: str = param(
        "native",
        Choice("native", "ovr"),
        "With more than two classes: one multi-class rule, or one problem per class against the "
        "rest.",
    )
    scheme: str = param(
        "max",
        Choice(*SCHEMES),
        "How the wrong classes share the blame in the native rule (Crammer & Singer 2003).",
    )
    threshold: float = param(
        0.0,
        Real(),
        "Value that the activation must exceed, in learning and prediction. With an intercept it "
        "is only where the intercept starts.",
        advanced=True,
    )
    fit_intercept: bool = param(True, Flag(), "Learn the weight of a constant feature.")
    intercept_scaling: float = param(1.0, Real(above=0), "The constant feature's value.")
    max_iter: int = param(100, Integer(least=1), "Passes at most.")
    tol: float | None = param(
        1.0,
        Real(least=0, nullable=True),
        "Stop when the passes no longer get better: when the last third of them, at least "
        "`n_iter_no_change`, made no fewer mistakes and updates than as many passes before, by "
        "more than `tol` standard deviations of such a count, and these passes made at least 100 "
        "mistakes. None: go on to the first pass without an update, or to `max_iter`. Not used "
        "with `early_stopping`, a greedy order or a pocket.",
        advanced=True,
    )
    shuffle: bool = param(True, Flag(), "Visit the examples in a fresh random order each pass.")
    order: Any = param(
        None,
        Anything("str or array of int", "str | Sequence[int] | Array | None", tuple(ORDERS), True),
        'Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled"; '
        'an array, whose visits are made in every pass; or "least", "violated" or "nearest", '
        "which look at all examples before each visit and choose one that the rule would learn.",
    )
    random_state: Any = param(
        None,
        Anything("int, RandomState or None", "int | np.random.RandomState | None", nullable=True),
        "Seed of the order and of the validation split.",
        advanced=True,
    )
    class_weight: Any = param(
        None,
        Anything(
            'dict or "balanced"', 'Mapping[Any, float] | Literal["balanced"] | None', nullable=True
        ),
        "Factor of the steps of each class.",
        advanced=True,
    )
    warm_start: bool = param(
        False, Flag(), "Start from the weights of the last fit.", advanced=True
    )
    early_stopping: bool = param(
        False,
        Flag(),
        "Stop when the held-out accuracy no longer rises, and keep the best weights.",
        advanced=True,
    )
    validation_fraction: float = param(
        0.1,
        Real(above=0, below=1),
        "Part to hold out if no validation set is given.",
        advanced=True,
    )
    n_iter_no_change: int = param(
        5,
        Integer(least=1),
        "Passes without a better held-out accuracy before stopping; without `early_stopping`, the "
        "least number of passes that `tol` compares.",
        advanced=True,
    )
    count_errors: bool = param(
        False,
        Flag(),
        "Count the training errors that are left after each pass; it costs a look at each example. "
        "`verbose` counts them too.",
        advanced=True,
    )
    journal_size: int = param(
        100_000,
        Integer(least=0),
        "Updates that `journal_` keeps at least; the oldest are dropped.",
        advanced=True,
    )
    n_jobs: int | None = param(
        None,
        Integer(nullable=True),
        "Threads for one-vs-rest; -1 for one per class.",
        advanced=True,
    )
    verbose: int = param(
        0,
        Either(Flag(), Integer(least=0)),
        "1 reports progress about once a second, 2 after each pass.",
        advanced=True,
    )


RULE = Anything("str, record or function of `Look`", "Any", tuple(RULES))

LEARNING_RATE = param(1.0, Real(above=0), "Learning rate.")

ONE_VS_REST = param(
    "ovr",
    Choice("ovr", "native"),
    "With more than two classes: one problem per class against the rest. There is no native rule.",
)

WEIGHTS = (
    array(
        "coef_",
        "(1 or n_classes, n_features)",
        "Weights; the averaged, pocket or last ones. With a vote, those of the last hypothesis.",
    ),
    array("intercept_", "(1 or n_classes,)", "Intercepts."),
)
"""What only a linear hypothesis has."""

RESULTS = (
    array("classes_", "(n_classes,)", "Labels."),
    result("n_iter_", "int", "Passes made; in a stream each call makes one."),
    result(
        "converged_",
        "bool",
        "Whether learning ended with every margin positive: a proof that the last hypothesis "
        "separates the training examples.",
    ),
    result("n_updates_", "int", "Updates made."),
    array(
        "pass_mistakes_",
        "(n_iter_,)",
        "Mistakes made while learning, in each pass; with one-vs-rest of all classes together that "
        "were still learned. Of a stream the latest 20 calls are kept, the first entry being the "
        "sum of all before.",
    ),
    array(
        "pass_errors_",
        "(n_iter_,)",
        "Training errors of the hypothesis left by each pass, with one-vs-rest of all classes "
        "together; -1 where not counted (see `count_errors`; a pass without a mistake always is). "
        "In a stream they are errors on the examples of that call.",
    ),
    result(
        "radius_",
        "float",
        "Largest length of an example in the space of the mistake bound: with the constant "
        "feature, and with many classes times the square root of two. In a stream, of the last "
        "call.",
    ),
    result(
        "margin_bracket_",
        "tuple[float, float]",
        "Bounds on the best margin in that space that the run itself has proved, rounding errors "
        "included; the lower is -inf before the data are separated. With one-vs-rest they hold "
        "for the class that is hardest to separate from the rest.",
        "tuple of (float, float)",
    ),
    result(
        "journal_",
        "Journal | list[Journal]",
        "The updates, to replay or save; one for each class with one-vs-rest.",
        "Journal or list of Journal",
    ),
    result(
        "votes_",
        "Array | list[Array]",
        'Visits that each hypothesis survived (with readout="voted").',
        "array or list of arrays",
    ),
)
"""What every fitted estimator has."""
