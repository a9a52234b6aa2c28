"""Training on a stream of examples, pass by pass: counted, checkpointed, resumable.

The parts of a pass go through `partial_fit`, one after the other, so a model trained from a file is
the model that one call over the whole would have given, up to rounding; an average is one over all
visits. What is saved on the way is everything: a training that is killed and resumed ends in the
same bits.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import inf, sqrt
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from rosenblatt.engine.run import Pass
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.storage import modelfile
from rosenblatt.storage.atomic import inside, protect, remember
from rosenblatt.theory.spaces import Array

STATE = "training.rbt"
EVERY = 1_000_000  # rows between two checkpoints inside a pass

FEW = 16_384  # rows that are looked at at a time: their scores stay in the caches
LITTLE = 10_000_000  # numbers that are kept rather than read again

Part = tuple[Any, Array]
"""Examples and their labels."""
Lesson = Part | tuple[Any, Array, Array]
"""A part to learn; if there is a third, it is the order in which to visit each example once."""


class Examples(Protocol):
    """What training asks of its data."""

    classes: Array  # all labels, sorted
    sound: bool  # rows are finite numbers, labels are among the classes: nobody need look again
    files: Sequence[Path]  # that are read on the way, and must not be written to

    def training(self, number: int) -> Iterator[Lesson]:
        """The parts of a pass, the same each time it is asked for."""
        ...

    def held(self) -> Iterator[Part]:
        """Examples that are not learned; none if nothing is held out."""
        ...


@dataclass
class Tally:
    """One pass over the data."""

    rows: int = 0
    updates: int = 0
    mistakes: int = 0  # made while learning
    held_rows: int = 0
    held_errors: int = 0

    @property
    def held_error(self) -> float | None:
        """Held-out error, if anything was held out."""
        return self.held_errors / self.held_rows if self.held_rows else None


@dataclass
class Progress:
    """Where training stands."""

    number: int  # of the pass, from 1
    passes: int
    now: Tally
    history: list[Tally]
    seconds: float  # of learning, in this process
    visited: int  # rows, in this process

    @property
    def held_error(self) -> float | None:
        """The last that is known."""
        return self.history[-1].held_error if self.history else None


@dataclass
class State:
    """What a checkpoint knows beside the model."""

    settings: dict[str, Any]
    history: list[Tally] = field(default_factory=list)
    now: Tally = field(default_factory=Tally)
    parts: int = 0  # of the pass under way that are learned
    clean: bool = True  # none of them changed anything, and all were proved to be right
    lower: float = inf  # their least margin
    radius: float = 0.0
    done: bool = False

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> State:
        history = [Tally(**tally) for tally in told["history"]]
        return cls(**(told | {"history": history, "now": Tally(**told["now"])}))


class Training:
    """An estimator at work on a stream.

    Parameters
    ----------
    estimator : an estimator of the family that has `partial_fit`
    examples : Examples
        The parts, the labels, and what is held out.
    passes : int
        Passes at most; training ends before at the first pass that changes nothing.
    checkpoint : Path, optional
        A folder for the state, saved after each pass and each `every` rows.
    settings : dict, optional
        What a resumed training must agree with: digest of the data, parameters, seed.
    """

    def __init__(
        self,
        estimator: Any,
        examples: Examples,
        *,
        passes: int,
        checkpoint: Path | None = None,
        every: int = EVERY,
        settings: dict[str, Any] | None = None,
        recipe: Any = None,
    ) -> None:
        self.estimator, self.examples, self.passes = estimator, examples, passes
        self.folder, self.every, self.recipe = checkpoint, every, recipe
        self.state = State(settings or {})
        self.seconds, self.visited = 0.0, 0

    @property
    def converged(self) -> bool:
        """Whether the last pass proved that all examples are separated."""
        return bool(getattr(self.estimator, "converged_", False))

    def resume(self) -> bool:
        """Take up what the folder holds; False if it holds nothing yet."""
        if self.folder is None or not (self.folder / STATE).exists():
            return False
        saved = modelfile.read(self.folder / STATE)
        told = saved.provenance.get("training")
        try:
            state = State.from_dict(told)  # type: ignore[arg-type]
        except (TypeError, KeyError, AttributeError):
            raise ValueError(f"{self.folder / STATE} is a model, but no checkpoint.") from None
        mine = json.loads(json.dumps(self.state.settings))
        for name in {*mine, *state.settings}:
            if mine.get(name) != state.settings.get(name):
                raise ValueError(
                    f"{self.folder} holds a training with {name} {state.settings.get(name)}, this "
                    f"one has {mine.get(name)}; use the same command, or an empty folder."
                )
        self.estimator, self.state = saved.estimator, state
        return True

    def run(self, watch: Callable[[Progress], None] | None = None) -> Any:
        """Learn to the end; `watch` is told after each part."""
        if self.folder is not None:
            protect(inside(self.folder, [STATE], "checkpoint"), self.examples.files)
        state = self.state
        while not state.done and len(state.history) < self.passes:
            self._pass(watch)
        remember(self.estimator, self.examples.files)
        return self.estimator

    def _pass(self, watch: Callable[[Progress], None] | None) -> None:
        state, saved = self.state, self.state.now.rows
        for X, y, *visits in self._rest():
            began = time.perf_counter()
            self._learn(X, y, *visits)
            self.seconds += time.perf_counter() - began
            self.visited += len(y)
            if watch is not None:
                watch(self.progress())
            if state.now.rows - saved >= self.every:
                self.save()
                saved = state.now.rows
        if not state.parts:
            raise ValueError("there is no row to learn from.")
        self._close()
        if watch is not None:
            watch(self.progress())
        self.save()

    def _rest(self) -> Iterator[Lesson]:
        """The parts of the pass under way that are still to be learned."""
        parts = self.examples.training(len(self.state.history))
        for number, part in enumerate(parts):
            if number >= self.state.parts:
                yield part

    def _learn(self, X: Any, y: Array, visits: Array | None = None) -> None:
        """One part."""
        state, estimator = self.state, self.estimator
        before = getattr(estimator, "n_updates_", 0)
        if self._known(X):
            # Checks of input, of labels above all, take longer than a pass over a small part.
            with estimator._unchanged_on_error():
                if not hasattr(estimator, "_stream"):
                    X, y, _ = estimator._validated(X, y, None, reset=True)
                settings, classes = estimator._settings(), self.examples.classes
                estimator._go_on(settings, X, y, None, classes, visits)
        else:
            if visits is not None:
                X, y = _taken(X, visits), y[visits]
            estimator.partial_fit(X, y, classes=self.examples.classes)
        separated, lower = estimator._part
        del estimator.journal_  # of this part alone, whose examples go: nobody could replay it
        state.parts += 1
        state.now.rows += len(y)
        state.now.updates += estimator.n_updates_ - before
        state.now.mistakes += int(estimator.pass_mistakes_[-1])
        state.clean = state.clean and separated and estimator.n_updates_ == before
        state.lower = min(state.lower, lower)
        state.radius = max(state.radius, estimator.radius_)

    def _known(self, X: Any) -> bool:
        """Whether a part needs no check, but for the first one."""
        estimator = self.estimator
        return (
            self.examples.sound
            and isinstance(X, np.ndarray)
            and X.flags.c_contiguous
            and X.shape[1] == getattr(estimator, "n_features_in_", X.shape[1])
            and type(estimator).partial_fit is PerceptronClassifier.partial_fit
            and estimator.class_weight is None
        )

    def _close(self) -> None:
        """End a pass: its parts become one pass of the estimator too."""
        state, estimator = self.state, self.estimator
        for X, y in self.examples.held():
            state.now.held_rows += len(y)
            state.now.held_errors += int((estimator.predict(X) != y).sum())
        carried = estimator._stream[1]
        for one in carried:
            parts = one.passes[-state.parts :]
            visits, updates, mistakes, _ = (sum(column) for column in zip(*parts, strict=True))
            left = 0 if state.clean else -1
            one.passes[-state.parts :] = [Pass(visits, updates, mistakes, left)]
        state.history.append(state.now)
        estimator.n_iter_ = len(state.history)
        estimator.pass_mistakes_ = np.array([tally.mistakes for tally in state.history])
        errors = np.full(len(state.history), -1)
        errors[-1] = 0 if state.clean else -1
        estimator.pass_errors_, estimator.converged_ = errors, state.clean
        estimator.radius_, estimator._examples = state.radius, state.now.rows
        estimator._streamed, estimator._separated = False, state.clean
        if state.clean:
            estimator.margin_bracket_ = (state.lower, estimator.margin_bracket_[1])
        state.done = state.clean
        state.now, state.parts, state.clean, state.lower = Tally(), 0, True, inf

    def progress(self) -> Progress:
        """Where training stands."""
        history = self.state.history
        number = min(len(history) + bool(self.state.parts), self.passes)
        now = self.state.now if self.state.parts else history[-1]
        return Progress(number, self.passes, now, history, self.seconds, self.visited)

    def save(self) -> None:
        """Write the state to the folder, if there is one."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        told = {"training": self.state.to_dict()}
        modelfile.save(self.estimator, self.folder / STATE, recipe=self.recipe, provenance=told)


def _taken(X: Any, rows: Array) -> Any:
    """Some rows; of an array twice as fast as by indexing."""
    return X.take(rows, axis=0) if isinstance(X, np.ndarray) else X[rows]


def errors(estimator: Any, parts: Iterator[Part]) -> tuple[int, int]:
    """Wrong predictions, and examples."""
    wrong = rows = 0
    for X, y in parts:
        wrong += int((estimator.predict(X) != y).sum())
        rows += len(y)
    return wrong, rows


def spread(error: float, rows: int) -> float:
    """Standard error of an error rate that was measured on so many examples."""
    return sqrt(max(error * (1.0 - error), 0.0) / rows) if rows else inf


def relabel(estimator: Any, classes: Array) -> None:
    """Give an estimator that learned codes 0, 1, ... the classes that they stand for."""
    estimator.classes_ = classes
    if estimator._stream is not None:
        estimator._stream = (classes, *estimator._stream[1:])


class Streamed:
    """Examples from a file: in memory and well mixed if they fit, else batch by batch.

    Labels are codes, the positions in the stream's classes: whole numbers are quick to compare.
    """

    def __init__(
        self, stream: Any, *, seed: int | None, held: Callable[[], Iterator[Part]] | None = None,
        rows: int | None = None,
    ) -> None:  # fmt: skip
        self.stream, self.seed, self._given, self.sound = stream, seed, held, True
        self.classes, self.files = np.arange(len(stream.classes)), stream.source.paths
        self._kept: list[Part] | None = None  # what is held out, if it is little
        self._memory: Memory | None = None
        if stream.in_memory:
            self._memory = Memory(*stream.all_rows(), seed=seed, rows=rows)

    def training(self, number: int) -> Iterator[Lesson]:
        if self._memory is not None:
            yield from self._memory.training(number)
            return
        for X, y, _ in self.stream.batches(number, self.seed):
            yield X, y

    def unmixed(self) -> Iterator[Part]:
        """The training rows that are in memory as they stand, a few at a time."""
        memory = self._memory
        for first in range(0, 0 if memory is None else len(memory.y), FEW):
            part = slice(first, first + FEW)
            yield memory.X[part], memory.y[part]  # type: ignore[union-attr]

    def held(self) -> Iterator[Part]:
        if self._given is not None:
            yield from self._given()
        elif self._kept is not None:
            yield from self._kept
        elif self.stream.validate:
            kept, size = [], 0
            for X, y, _ in self.stream.batches(held_out=True):
                yield X, y
                size += X.shape[0] * X.shape[1] if isinstance(X, np.ndarray) else X.nnz
                if size <= LITTLE:
                    kept.append((X, y))
            self._kept = kept if size <= LITTLE else None


class Memory:
    """Examples in memory, in a fresh order each pass.

    The order of a pass depends on the seed and the number of the pass alone, so that it is the same
    when training is resumed.
    """

    def __init__(
        self, X: Any, y: Array, *, seed: int | None, held: list[Part] | None = None,
        rows: int | None = None,
    ) -> None:  # fmt: skip
        self.X, self.y, self.seed, self.rows = X, y, seed, rows or len(y)
        self.classes, self._held, self.sound = np.unique(y), held or [], False
        self.files: Sequence[Path] = ()

    def training(self, number: int) -> Iterator[Lesson]:
        order = np.arange(len(self.y))
        if self.seed is not None:
            order = np.random.default_rng([self.seed, number]).permutation(len(self.y))
        if self.rows >= len(order):
            yield self.X, self.y, order  # no copy
            return
        for first in range(0, len(order), self.rows):
            part = order[first : first + self.rows]
            yield _taken(self.X, part), self.y[part]

    def held(self) -> Iterator[Part]:
        yield from self._held
