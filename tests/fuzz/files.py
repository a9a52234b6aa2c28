"""Files of every kind that the library reads, and what each is used for once it is read."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.cli.saved_model import load_model
from rosenblatt.data import Recipe, open_source
from rosenblatt.engine import inputs
from rosenblatt.engine.batch_run import BatchRun
from rosenblatt.engine.budget_run import BudgetRun
from rosenblatt.engine.kernel_run import kernel_runs
from rosenblatt.engine.run import Run
from rosenblatt.estimators import MEMBERS
from rosenblatt.estimators.sources import InMemory
from rosenblatt.lab.server import read_opening
from rosenblatt.proofs import Certificate, certify, verify
from rosenblatt.storage import modelfile
from rosenblatt.storage.checkpoint import STATE, Checkpoints, resume
from rosenblatt.storage.replay import Samples, run_document
from rosenblatt.theory import rules
from rosenblatt.theory.budgets import BUDGETS
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.readouts import Averaged, Fewest, Pocket, Voted
from rosenblatt.theory.similarity import Similarity
from tests.fuzz import containers

DRAW = np.random.default_rng(11)
X = DRAW.normal(size=(30, 3)).round(2)
THREE = np.arange(30) % 3
TWO = (X @ [1.0, -2.0, 0.5] > 0) ^ (np.arange(30) % 10 == 0)  # no hyperplane separates them
TWO = TWO.astype(int)
CANNOT_GO_ON = ("votes of several shards", "needs all labels at once")
SETTINGS = {"model": "one", "passes": 3, "seed": 0}
EXPORTED = 0.05  # share of the models that are also exported to ONNX, which takes long


@dataclass(frozen=True)
class FileKind:
    """A kind of files: how some are made, and how one is used."""

    container: containers.Container
    makers: dict[str, Callable[[Path], None]]  # by name; each writes a file
    use: Callable[[str, Path, Random], None]  # gets the name of the file that was damaged
    share: int = 1  # of the cases, compared with the others


# --- model files --------------------------------------------------------------------------------


def _fitted(member: str, y: Any = TWO, data: Any = X, **parameters: Any) -> Any:
    options = {"random_state": 0, "max_iter": 3} | parameters
    return MEMBERS[member](**options).fit(data, y)


def _streamed(member: str, y: Any = TWO, **parameters: Any) -> Any:
    clf = MEMBERS[member](random_state=0, **parameters)
    for part in np.array_split(np.arange(30), 3):
        clf.partial_fit(X[part], y[part], classes=np.unique(y))
    return clf


MODELS: dict[str, Callable[[], Any]] = {
    "last": lambda: _fitted("Perceptron"),
    "averaged": lambda: _fitted("AveragedPerceptron", THREE),
    "one against the rest": lambda: _fitted("AveragedPerceptron", THREE, multiclass="ovr"),
    "voted": lambda: _fitted("VotedPerceptron"),
    "voted classes": lambda: _fitted("VotedPerceptron", THREE, sp.csr_array(X), multiclass="ovr"),
    "pocket": lambda: _fitted("PocketPerceptron"),
    "greedy": lambda: _fitted("MinOver"),
    "dual": lambda: _fitted("AdaTron"),
    "batch": lambda: _fitted("BatchPerceptron"),
    "kernel": lambda: _fitted("KernelPerceptron", readout="last"),
    "sparse kernel": lambda: _fitted("KernelPerceptron", data=sp.csr_array(X), kernel="linear"),
    "kernel votes": lambda: _fitted("KernelPerceptron", THREE, readout="voted"),
    "kernel at random": lambda: _fitted("KernelPerceptron", readout="random", normalise=True),
    "kernel classes": lambda: _fitted("KernelPerceptron", THREE, multiclass="native"),
    "gram matrix": lambda: _fitted("KernelPerceptron", data=X @ X.T, kernel="precomputed"),
    "budget": lambda: _streamed(
        "KernelPerceptron", readout="last", budget=5, budget_policy="oldest"
    ),
    "projection": lambda: _streamed("KernelPerceptron", budget=5, budget_policy="projectron"),
    "variances": lambda: _fitted("AROW"),
    "covariance": lambda: _fitted("AROW", covariance="full"),
    "winnow": lambda: _fitted("WinnowPerceptron"),
    "record": lambda: _fitted("PerceptronClassifier", rule=rules.Plain(), readout="averaged"),
    "texts": lambda: _fitted("MIRA", np.array(["no", "yes"])[TWO]),
    "real labels": lambda: _fitted("ALMA", TWO - 1.0),
    "stream": lambda: _streamed("AveragedPerceptron", THREE),
    "stream of votes": lambda: _streamed("VotedPerceptron"),
    "stream of variances": lambda: _streamed("AROW"),
    "votes of shards": lambda: _on_shards(MEMBERS["VotedPerceptron"](random_state=0), 2).model_,
    "balanced": lambda: _fitted("Perceptron", class_weight="balanced"),
    "early": lambda: _fitted("PassiveAggressive", THREE, early_stopping=True),
}


def _save_model(make: Callable[[], Any], path: Path) -> None:
    rb.save(make(), path, provenance={"rows": 30, "seed": 0})


def _save_with_recipe(path: Path) -> None:
    table = path.with_suffix(".csv")
    words = ["red", "green", "blue"]
    rows = [f"{a},{b},{words[i % 3]},{'yes' if TWO[i] else 'no'}" for i, (a, b, _) in enumerate(X)]
    table.write_text("\n".join(["one,two,colour,label", *rows]))
    source = open_source(table)
    recipe = Recipe.learn(source, target="label")
    batches = list(source.batches(recipe.bind(source, target=True)))
    data = sp.vstack([sp.csr_array(recipe.transform(batch)) for batch in batches]).toarray()
    labels = np.concatenate([recipe.target(batch) for batch in batches])
    rb.save(_fitted("Perceptron", labels, data), path, recipe=recipe, provenance={"rows": 30})


def use_model(name: str, path: Path, draw: Random) -> None:
    """Predict, sum up, learn, save and export."""
    model = load_model(path).estimator
    shape = 2, model.n_features_in_
    sparse = sp.issparse(getattr(model, "support_vectors_", None))
    rows: Any = sp.csr_array(([1.0], ([0], [0])), shape) if sparse else np.ones(shape)
    with working():
        model.predict(rows)
        model.decision_function(rows)
        model.summary()
        repr(model)
        repr(getattr(model, "journal_", None))
        rb.save(model, path)
        rb.load(path)
    if draw.random() < EXPORTED:
        with working("cannot be exported"):
            rb.to_onnx(model)
    if getattr(model, "kernel", None) != "precomputed":
        with working(*CANNOT_GO_ON, rejected=("weights overflowed",)):
            model.partial_fit(rows[:1], model.classes_[:1])
            model.predict(rows)


class UnfitError(Exception):
    """What was loaded does not work."""


@contextmanager
def working(*excuses: str, rejected: tuple[str, ...] = ()) -> Iterator[None]:
    """What is loaded works, but for some excuses; in some words it may still be rejected."""
    try:
        yield
    except ValueError as error:
        if any(words in str(error) for words in rejected):
            raise
        if not any(words in str(error) for words in excuses):
            raise UnfitError(str(error)) from error


# --- saved runs ---------------------------------------------------------------------------------


def _signs() -> Any:
    return (2 * TWO - 1).astype(np.int8)


def _dense_run(rule: Any, **options: Any) -> Run:
    return Run(rule, inputs.binary_space(X, bias=1.0), _signs(), rng=3, **options)


def _variance_run() -> Run:
    rule = rules.RULES["arow"]()
    space = inputs.variance_space(inputs.binary_space(X, bias=1.0), rule)
    return Run(rule, space, _signs(), rng=3)


def _class_run() -> Run:
    space = inputs.class_space(X, 3, 1.0)
    return Run(rules.Plain(), space, THREE.astype(np.int32), rng=3, readout=Voted())


def _kernel_run(**options: Any) -> Any:
    return kernel_runs(rules.Plain(), Similarity("rbf"), X, [_signs()], 3, **options)[0]


def _budget_run() -> Any:
    policy = BUDGETS["projectron"]()
    return _kernel_run(kind=partial(BudgetRun, policy=policy, budget=5), readouts=[Averaged()])


RUNS: dict[str, Callable[[], Any]] = {
    "last": lambda: _dense_run(rules.Plain()),
    "averaged": lambda: _dense_run(rules.Plain(), readout=Averaged()),
    "voted": lambda: _dense_run(rules.Plain(), readout=Voted()),
    "pocket": lambda: _dense_run(rules.Plain(), readout=Pocket()),
    "greedy": lambda: _dense_run(rules.Plain(), order="least", readout=Fewest()),
    "dual": lambda: _dense_run(rules.RULES["adatron"]()),
    "sparse": lambda: Run(
        rules.Plain(), inputs.binary_space(sp.csr_matrix(X), bias=1.0), _signs(), rng=3
    ),
    "variances": _variance_run,
    "classes": _class_run,
    "batch": lambda: BatchRun(
        rules.Plain(), inputs.binary_space(X, bias=1.0), _signs(), order="cyclic"
    ),
    "kernel": lambda: _kernel_run(readouts=[Averaged()]),
    "budget": _budget_run,
}


def _save_run(make: Callable[[], Any], path: Path) -> None:
    run = make()
    run.go(2)
    run.advance(visits=7)
    run.save(path)


def use_run(name: str, path: Path, draw: Random) -> None:
    """Restore the run, go on, read it out, and save it again."""
    run = RUNS[name]()
    run.restore(path)
    with working(rejected=("weights overflowed",)):
        run.go(len(run.passes) + 2)
    with working():
        run.readout.hypothesis(run, run.n.t)
        if isinstance(run.readout, Voted):
            run.readout.votes(run.n.t)
        repr(run.journal())
        if run.journal().config["linear"] and name != "batch":
            for _ in run.journal().replay(X):
                pass
        run.save(path)
        RUNS[name]().restore(path)


# --- checkpoints --------------------------------------------------------------------------------


TRAININGS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "averaged": lambda: (MEMBERS["AveragedPerceptron"](random_state=0), THREE),
    "last": lambda: (MEMBERS["Perceptron"](random_state=0), TWO),
    "voted": lambda: (MEMBERS["VotedPerceptron"](random_state=0), TWO),
    "pocket": lambda: (MEMBERS["PocketPerceptron"](random_state=0), TWO),
    "variances": lambda: (MEMBERS["AROW"](random_state=0), THREE),
    "kernel": lambda: (MEMBERS["KernelPerceptron"](random_state=0), TWO),
    "budget": lambda: (MEMBERS["KernelPerceptron"](random_state=0, readout="last", budget=5), TWO),
}


def _train(name: str, folder: Path, passes: int, state: Any = None) -> Any:
    clf, y = TRAININGS[name]()
    source = InMemory(X, y, seed=1, rows=11)
    observers = [Checkpoints(folder, SETTINGS, every=11)]
    return clf.fit_source(source, max_passes=passes, state=state, observers=observers)


def _save_checkpoint(name: str, path: Path) -> None:
    _train(name, path.parent, 2)
    (path.parent / STATE).rename(path)


def use_checkpoint(name: str, path: Path, draw: Random) -> None:
    """Resume the training to its end, predict and sum up."""
    folder = path.parent / "resumed"
    folder.mkdir(exist_ok=True)
    (folder / STATE).write_bytes(path.read_bytes())
    state = resume(folder, SETTINGS)
    with working(rejected=("fit anew", "weights overflowed", "the shape", "budget was set")):
        clf = _train(name, folder, 3, state)
    with working():
        clf.predict(X)
        clf.summary()
        modelfile.content(clf)


SHARDED: dict[str, Callable[[], Any]] = {
    "averaged": lambda: MEMBERS["AveragedPerceptron"](random_state=0),
    "pocket": lambda: MEMBERS["PocketPerceptron"](random_state=0),
    "variances": lambda: MEMBERS["AROW"](random_state=0),
}


@cache
def _client() -> Any:
    """A Dask client whose worker is a thread of this process."""
    from distributed import Client

    here = "127.0.0.1"
    return Client(
        processes=False, n_workers=1, threads_per_worker=1, memory_limit=0, protocol="tcp://",
        host=here, dashboard_address=f"{here}:0", worker_dashboard_address=f"{here}:0",
        silence_logs=logging.CRITICAL,
    )  # fmt: skip


def _on_shards(member: Any, rounds: int, path: Path | None = None) -> Any:
    from rosenblatt.cluster import DistributedPerceptron

    member.set_params(max_iter=rounds)
    clf = DistributedPerceptron(member, shards=2, client=_client(), checkpoint=path)
    return clf.fit(X, THREE)


def _save_rounds(name: str, path: Path) -> None:
    _on_shards(SHARDED[name](), 2, path)


def use_rounds(name: str, path: Path, draw: Random) -> None:
    """Make one more round from the checkpoint, predict and sum up."""
    clf = _on_shards(SHARDED[name](), 3, path)
    with working():
        clf.predict(X)
        clf.summary()


# --- journals, documents, certificates ----------------------------------------------------------


JOURNALS: dict[str, Callable[[], Any]] = {
    name: MODELS[name]
    for name in ("last", "averaged", "greedy", "dual", "batch", "winnow", "kernel", "variances")
}


def _save_journal(make: Callable[[], Any], path: Path) -> None:
    make().journal_.save(path)


def use_journal(name: str, path: Path, draw: Random) -> None:
    """Replay the journal, and save it again."""
    journal = Journal.load(path)
    rows = np.ones((len(journal.labels), journal.start.shape[1] - 1))
    with working():
        repr(journal)
        if journal.config.get("linear", True):
            for weights, _ in journal.replay(rows):
                assert weights.shape == journal.start.shape
        journal.save(path)
        Journal.load(path)


def _save_document(name: str, path: Path) -> None:
    make, y = DOCUMENTS[name]
    clf, samples = make(), Samples()
    clf.fit(X[:, :2], y, observers=[samples])
    path.write_text(json.dumps(run_document(clf, X[:, :2], y, samples)))


def use_document(name: str, path: Path, draw: Random) -> None:
    """Open the document as the lab does."""
    opening = read_opening(path)
    with working():
        json.loads(opening.model_dump_json())
    _in_range(opening.document)


def _in_range(document: Any) -> None:
    """Raise an error if the page would look for what is not there."""
    for entries in (document, *document.others) if document is not None else ():
        updates, points = entries.updates, document.data.points
        for column in updates.model_dump().values():
            if column is not None and len(column) != len(updates.t):
                raise UnfitError("updates of different lengths")
        if not all(0 <= i < len(points) for i in updates.i):
            raise UnfitError("an update of an example that is not there")
        if not all(0 <= r < max(2, len(document.data.classes)) for r in updates.r):
            raise UnfitError("an update of a class that is not there")


DOCUMENTS: dict[str, tuple[Callable[[], Any], Any]] = {
    "plain": (lambda: MEMBERS["Perceptron"](random_state=0, max_iter=3), TWO),
    "native": (lambda: MEMBERS["Perceptron"](random_state=0, max_iter=2), THREE),
    "classes": (
        lambda: MEMBERS["AveragedPerceptron"](random_state=0, max_iter=2, multiclass="ovr"),
        THREE,
    ),
    "variances": (lambda: MEMBERS["AROW"](random_state=0, max_iter=2), TWO),
    "kernel": (lambda: MEMBERS["KernelPerceptron"](random_state=0, max_iter=2), TWO),
}

PROOFS: dict[str, Any] = {
    "separable": (X, (X @ [1.0, -2.0, 0.5] > 0).astype(int)),
    "inseparable": (X, TWO),
    "classes": (X, THREE),
    "free": (X[:8], TWO[:8]),
}


def _save_certificate(name: str, path: Path) -> None:
    certify(*PROOFS[name], intercept_scaling=np.inf if name == "free" else 1.0).save(path)


def use_certificate(name: str, path: Path, draw: Random) -> None:
    """Print the certificate, check it against the data, and save it again."""
    certificate = Certificate.load(path)
    with working():
        str(certificate)
        certificate.statement()
        certificate.save(path)
        Certificate.load(path)
    verify(certificate, *PROOFS[name])


# --- the table ----------------------------------------------------------------------------------


def _made(save: Callable[..., None], makers: dict[str, Any]) -> dict[str, Callable[[Path], None]]:
    return {name: partial(save, make) for name, make in makers.items()}


def _named(save: Callable[..., None], names: Any) -> dict[str, Callable[[Path], None]]:
    return {name: partial(save, name) for name in names}


KINDS: dict[str, FileKind] = {
    "model file": FileKind(
        containers.MODEL,
        _made(_save_model, MODELS) | {"recipe": _save_with_recipe},
        use_model,
        share=4,
    ),
    "saved run": FileKind(containers.STATE, _made(_save_run, RUNS), use_run, share=4),
    "checkpoint": FileKind(
        containers.STATE, _named(_save_checkpoint, TRAININGS), use_checkpoint, share=3
    ),
    "rounds of a cluster": FileKind(containers.STATE, _named(_save_rounds, SHARDED), use_rounds),
    "journal": FileKind(containers.JSON, _made(_save_journal, JOURNALS), use_journal, share=2),
    "document of a run": FileKind(
        containers.JSON, _named(_save_document, DOCUMENTS), use_document, share=2
    ),
    "certificate": FileKind(containers.JSON, _named(_save_certificate, PROOFS), use_certificate),
}
"""Kinds of files, by name."""


@dataclass
class Originals:
    """Files of every kind before they are damaged, in a folder."""

    folder: Path
    names: dict[str, list[str]] = field(default_factory=dict)  # of each kind, in order

    def __post_init__(self) -> None:
        self.names = {kind: sorted(entry.makers) for kind, entry in KINDS.items()}

    def path(self, kind: str, name: str) -> Path:
        """Where a file is."""
        return self.folder / kind / f"{name}.original"

    def write(self) -> None:
        """Write all files."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for kind, entry in KINDS.items():
                (self.folder / kind).mkdir(parents=True, exist_ok=True)
                for name, make in entry.makers.items():
                    make(self.path(kind, name))
