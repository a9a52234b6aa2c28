# Written by docs/stubs.py: change the declarations and run `make docs`.

from os import PathLike
from typing import Any, Literal

from rosenblatt.cluster import perceptron
from rosenblatt.cluster.fit import describe_round as describe_round
from rosenblatt.data import Recipe
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.theory.spaces import Array

class DistributedPerceptron(perceptron.DistributedPerceptron):
    """A linear member of the family on shards of the data, by iterative parameter mixing.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The member to learn with; None for an `AveragedPerceptron`.
    mixing : {"uniform", "mistakes"}, default="uniform"
        Every shard counts alike, or by the updates that it made.
    shards : int or None, default=None
        Parts to make of data that are in memory here; two by default. Dask collections and
        lists of shards keep their own. For files the number is approximate; by default each
        file is one shard, and large ones are cut where there would be fewer shards than
        workers.
    client : dask.distributed.Client, str or None, default=None
        Where to run: a client, the address of a scheduler, "local:4" for four processes here,
        or None for one process a core, ended after the fit.
    checkpoint : path or None, default=None
        A file that holds the state after each round, none of the data. If it is there, `fit`
        resumes from it.
    verbose : bool or int, default=0
        Print a line after each round, and count the training errors after it.
    """

    model_: PerceptronClassifier
    recipe_: Recipe | None
    rounds_: list[dict[str, Any]]
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
    def __init__(
        self,
        estimator: PerceptronClassifier | None = None,
        *,
        mixing: Literal["uniform", "mistakes"] = "uniform",
        shards: int | None = None,
        client: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool | int = 0,
    ) -> None: ...
