"""The estimator of the cluster: any linear member of the family, its rounds mixed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from rosenblatt.cluster import shard
from rosenblatt.cluster.blocks import blocks
from rosenblatt.cluster.files import examples, file_blocks, file_shard, is_path, paths
from rosenblatt.cluster.fit import Fit, describe_round
from rosenblatt.cluster.mix import MIXINGS
from rosenblatt.cluster.rounds import Rounds, connected, processes
from rosenblatt.cluster.shard import RoundPlan
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.estimators.members import complete
from rosenblatt.estimators.parameters import (
    Anything,
    Choice,
    Either,
    Flag,
    Integer,
    Result,
    param,
    result,
    values,
)
from rosenblatt.estimators.shared import RESULTS, WEIGHTS
from rosenblatt.storage.atomic import protect, remember
from rosenblatt.theory import rules
from rosenblatt.theory.spaces import Array


@partial(complete, positional=("estimator",))
class DistributedPerceptron(ClassifierMixin, BaseEstimator):
    """A linear member of the family on shards of the data, by iterative parameter mixing.

    In each round every shard makes one pass from the same weights; then the weights are mixed
    (McDonald, Hall & Mann 2010). Of separable data with margin g and radius R, mixing by mistakes
    needs at most (R/g)² rounds with an update, however many shards there are; uniform mixing at
    most (R/g)² times the shards. A round in which no shard makes an update proves that all data
    are separated. With one shard it is the local estimator, exactly.

    Examples
    --------
    >>> from rosenblatt.cluster import DistributedPerceptron  # doctest: +SKIP
    >>> clf = DistributedPerceptron(client="local:2").fit(X, y)  # doctest: +SKIP
    """

    estimator: Any = param(
        None,
        Anything("estimator or None", "PerceptronClassifier | None", nullable=True),
        "The member to learn with; None for an `AveragedPerceptron`.",
    )
    mixing: str = param(
        "uniform",
        Choice(*MIXINGS),
        "Every shard counts alike, or by the updates that it made.",
    )
    shards: int | None = param(
        None,
        Integer(least=1, nullable=True),
        "Parts to make of data that are in memory here; two by default. Dask collections and lists "
        "of shards keep their own. For files the number is approximate; by default each file is "
        "one shard, and large ones are cut where there would be fewer shards than workers.",
    )
    client: Any = param(
        None,
        Anything("dask.distributed.Client, str or None", "Any", nullable=True),
        'Where to run: a client, the address of a scheduler, "local:4" for four processes here, or '
        "None for one process a core, ended after the fit.",
        advanced=True,
    )
    checkpoint: Any = param(
        None,
        Anything("path or None", "str | PathLike[str] | None", nullable=True),
        "A file that holds the state after each round, none of the data. If it is there, `fit` "
        "resumes from it.",
        advanced=True,
    )
    verbose: int = param(
        0,
        Either(Flag(), Integer(least=0)),
        "Print a line after each round, and count the training errors after it.",
        advanced=True,
    )

    declared_results: tuple[Result, ...] = (
        result(
            "model_",
            "PerceptronClassifier",
            "The fitted local estimator; it predicts, and is saved and loaded, without Dask.",
            "estimator",
        ),
        result(
            "recipe_",
            "Recipe | None",
            "How rows of files become examples; keep it with the model, by "
            "`rosenblatt.save(clf.model_, path, recipe=clf.recipe_)`, to predict such files.",
            "Recipe or None",
        ),
        result(
            "rounds_",
            "list[dict[str, Any]]",
            "Visits, updates (of all and of each shard), mistakes and seconds of each round, and "
            "the bytes of weights that came back.",
            "list of dict",
        ),
        *WEIGHTS,
        # A cluster keeps no journal, and a vote stays in the model.
        *(one for one in RESULTS if one.name not in ("journal_", "votes_")),
    )

    def __sklearn_clone__(self) -> DistributedPerceptron:
        # A connection cannot be copied: clones share the client.
        given = self.get_params(deep=False)
        return type(self)(**(given | {"estimator": clone(self.estimator, safe=False)}))

    # --- learning ---------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, *, target: str | None = None, recipe: Any = None,
        X_val: Any = None, y_val: Any = None, validate: float = 0.0, watch: Any = None,
    ) -> DistributedPerceptron:  # fmt: skip
        """Learn from shards.

        Parameters
        ----------
        X : Dask array or data frame, list of pairs (X, y), array, sparse matrix, or path
            Examples, or shards of them with their labels, delayed or not; or a file, a folder, a
            pattern or a list of these (Parquet, CSV, svmlight), which all workers can reach.
        y : Dask array, series or array, optional
            Labels, where X does not hold them.
        target : str, optional
            The column of a data frame, or of files, that holds the labels.
        recipe : Recipe, optional
            How rows of files become examples, if that is not to be learned from them.
        X_val, y_val : arrays, optional
            Held-out examples; their error is reported after each round. X_val may be a file if X
            is one.
        validate : float, default=0
            The share of rows that every shard holds out, where there is no X_val.
        watch : callable, optional
            Called after each round with its number and what `rounds_` keeps of it.

        Returns
        -------
        self
        """
        estimator = self.check()
        if not 0 <= validate < 1:
            raise ValueError(f"validate={validate} is not a share of the rows: 0 <= share < 1.")
        if is_path(X) and y is not None:
            raise ValueError("files hold their labels: name their column with target=, no y.")
        read = [file for given in (X, X_val) if is_path(given) for file in paths(given)]
        if self.checkpoint is not None:
            protect([("checkpoint", self.checkpoint)], read)
        share = 0.0 if X_val is not None else validate
        make: Callable[..., shard.Shard] = shard.Shard
        parts = None if is_path(X) else blocks(X, y, self.shards, target)
        with connected(self.client) as client:
            if parts is None:
                workers, make = max(1, len(client.nthreads())), file_shard
                parts, recipe = file_blocks(X, target, recipe, self.shards, workers)
            with Rounds(client, parts, make, share) as rounds:
                plan = self._plan(estimator, rounds)
                held_out = None if X_val is None else _held_out(X_val, y_val, recipe)
                report = watch or self._print
                fit = Fit(rounds, plan, estimator, held_out, self.checkpoint, report, recipe)
                fit.run()
                if fit.converged:
                    fit.prove()
        self.recipe_, self.rounds_ = recipe, fit.rounds
        self.model_ = _fitted_model(estimator, fit, X, target)
        remember(self.model_, read)
        self._adopt(fit)
        return self

    def _adopt(self, fit: Fit) -> None:
        """Take over the attributes of the local model; warn if the rounds did not settle."""
        for name, value in vars(self.model_).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(self, name, value)
        if not fit.converged and not fit.finished:
            warnings.warn(
                f"the shards still made {fit.rounds[-1]['updates']:,} updates in round "
                f"{len(fit.rounds)}. Raise max_iter of the estimator, or take an averaged readout "
                "if no hyperplane separates the classes.",
                ConvergenceWarning, stacklevel=3,
            )  # fmt: skip

    def check(self) -> Any:
        """Reject parameters that cannot work; return the member to learn with."""
        values(self)
        processes(self.client)
        member = self._member()
        member.check_parameters()
        return member

    def _print(self, number: int, made: dict[str, Any]) -> None:
        if self.verbose:
            print(describe_round(number, made), flush=True)

    def _member(self) -> Any:
        from rosenblatt.estimators import AveragedPerceptron

        member = AveragedPerceptron() if self.estimator is None else clone(self.estimator)
        name = type(member).__name__
        if not isinstance(member, PerceptronClassifier):
            raise TypeError(f"{name} is not a member of the family; take AveragedPerceptron, say.")
        if not member.learns_one_by_one():
            raise ValueError(
                f"{name} looks at all examples at once, so it cannot learn on shards; take a "
                "member that learns one example after the other."
            )
        if member.early_stopping or member.warm_start:
            raise ValueError(
                "early_stopping and warm_start are for one machine; give fit X_val and y_val, or "
                "a checkpoint."
            )
        return member

    def _plan(self, estimator: Any, rounds: Rounds) -> RoundPlan:
        facts = rounds.facts
        _agree(facts, "features", "{} has {} features and {} has {}; all shards need the same.")
        _agree(
            facts, "type",
            "{} has labels that are {} and {} has labels that are {}; all shards need the same.",
        )  # fmt: skip
        classes = np.unique(np.concatenate([fact["labels"] for fact in facts]))
        if len(classes) < 2:
            others = f" and {len(facts) - 1} more" if len(facts) > 1 else ""
            raise ValueError(
                f"{facts[0]['where']}{others}: one class only, {classes.tolist()[0]!r}; a "
                "classifier needs two."
            )
        factors = None
        if estimator.class_weight is not None:
            if rules.full_step_only(estimator.resolve_rule()):
                raise ValueError("this rule takes whole steps; leave out class_weight on shards.")
            counts = np.zeros(len(classes), int)
            for fact in facts:
                counts[np.searchsorted(classes, fact["labels"])] += fact["counts"]
            y = np.repeat(classes, counts)
            factors = compute_class_weight(estimator.class_weight, classes=classes, y=y)
        seed = estimator.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = int(check_random_state(seed).randint(2**31))
        estimator.random_state = int(seed)
        examples = sum(int(fact["counts"].sum()) for fact in facts)
        plan = estimator.make_plan(classes, facts[0]["features"], examples)
        plan = replace(plan, count_errors=plan.count_errors or self.verbose > 0)
        alone = len(rounds) == 1
        return RoundPlan(plan, rounds.token, int(seed), self.mixing, factors, alone)

    # --- prediction, by the local estimator -------------------------------------------------

    def predict(self, X: Any) -> Array:
        """Labels."""
        check_is_fitted(self, "model_")
        return np.asarray(self.model_.predict(X))

    def decision_function(self, X: Any) -> Array:
        """Scores: one for each example with two classes, else one for each class."""
        check_is_fitted(self, "model_")
        return np.asarray(self.model_.decision_function(X))

    def summary(self) -> str:
        """What was learned and what is proved, in a few lines."""
        check_is_fitted(self, "model_")
        return str(self.model_.summary())


def _agree(facts: list[dict[str, Any]], what: str, sentence: str) -> None:
    """Reject shards that differ in something that all need to have in common."""
    found = {fact[what]: fact["where"] for fact in reversed(facts)}
    if len(found) > 1:
        one, other = min(found), max(found)
        raise ValueError(sentence.format(found[one], one, found[other], other))


def _fitted_model(estimator: Any, fit: Fit, X: Any, target: str | None) -> Any:
    """Return the local estimator with the outcome of the rounds."""
    model = clone(estimator)
    model.n_features_in_ = int(fit.cluster.facts[0]["features"])
    if hasattr(X, "columns"):
        model.feature_names_in_ = np.array([name for name in X.columns if name != target], object)
    fit.outcome().write(model)
    return model


def _held_out(X: Any, y: Any, recipe: Any) -> tuple[Any, Array]:
    """Held-out examples, checked; of a file as the recipe makes them."""
    if is_path(X):
        if recipe is None:
            raise ValueError("X_val may be a file only if X is one.")
        X, codes = examples(X, recipe)
        y = recipe.classes[codes]
    checked = shard.Shard(X, np.asarray(y), "X_val")
    return checked.X, checked.y
