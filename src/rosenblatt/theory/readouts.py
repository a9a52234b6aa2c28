"""Readouts: the last hypothesis of a run, the average, the vote, the pocket.

A readout folds the updates when the run flushes them, outside the loop: `take` receives a stretch
of updates with the hypothesis before it; `hypothesis` returns the result so far.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.theory.journal import Updates, blank, joined, survivals

Array = npt.NDArray[Any]


class Learner(Protocol):
    """The side of a run that a readout may use."""

    h: Array  # the hypothesis now

    @property
    def defers(self) -> bool:
        """Whether sums over hypotheses are deferred: these are large, and a step is small."""
        ...

    def add(self, updates: Updates, factors: Array, h: Array) -> None:
        """Add to h the examples of some updates, each times a factor."""
        ...

    def blend(self, updates: Updates, lives: Array, before: Array) -> Array:
        """Return the sum of the hypotheses, each times its life."""
        ...

    def mistakes(self, h: Array) -> float:
        """Return the weight of the training examples that h gets wrong."""
        ...


class Readout:
    """A fold of the updates of a run into one hypothesis; KINDS has each kind by class name."""

    KINDS: ClassVar[dict[str, type[Readout]]] = {}
    searches: ClassVar[bool] = False
    """Whether any further pass may find a better result, however little it learns."""
    counts_visits: ClassVar[bool] = False
    """Whether results of several runs compare only after equal numbers of visits."""

    def __init_subclass__(cls) -> None:
        cls.KINDS[cls.__name__] = cls

    def take(self, run: Learner, updates: Updates, before: Array, t0: int, t1: int) -> None:
        """Receive the updates between visits t0 and t1, and the hypothesis before them."""

    def hypothesis(self, run: Learner, until: int = 0) -> Array:
        """Return the result so far; the present hypothesis lives until visit `until`."""
        return run.h

    def convert(self, change: Callable[[Array], Array]) -> None:
        """Apply `change` to each hypothesis that is kept."""

    def drop_examples(self) -> None:
        """Drop what refers to examples that a stream will not keep."""

    def on_new_classes(self) -> None:
        """Drop records that new classes make invalid."""

    # On a cluster each shard folds its part of a round, the parts are joined, and the mixture of
    # the shards is offered, with its training errors if `wants_errors`.

    wants_errors = False

    def on_shard(self) -> Readout:
        """Return a new readout for one round on a shard."""
        return self.copy()

    def join(self, others: Sequence[Readout]) -> None:
        """Add the readouts of shards after a round."""
        raise ValueError(
            f"the readout {type(self).__name__} cannot be learned on several shards; take "
            "'averaged' or 'last', or a single shard."
        )

    def offer(self, h: Array, errors: float) -> None:
        """Consider a mixture that makes these training errors."""

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (np.ndarray, list, dict, set)):
                setattr(twin, name, value.copy())
        return twin

    def state(self) -> dict[str, Array]:
        """Return all that changes, as arrays."""
        return {}

    def restore(self, state: dict[str, Array]) -> None:
        """Restore what `state` returned."""


class Last(Readout):
    """The hypothesis after the last update (Rosenblatt 1958)."""

    def copy(self) -> Self:
        return self  # it keeps nothing

    def join(self, others: Sequence[Readout]) -> None:
        """Do nothing: the mixture of the shards is the last hypothesis."""


class Averaged(Readout):
    """The mean of the hypotheses after each visit (Freund & Schapire 1999, Collins 2002).

    Where a step changes few of many weights, most of the sum is owed as a multiple of the present
    hypothesis. A step then takes from the sum what its example would add for visits before it.
    """

    def __init__(self) -> None:
        self.total: Array = np.zeros(0)
        self.visits = self.end = 0
        self.owed = 0  # how often the present hypothesis is still to be added

    def take(self, run: Learner, updates: Updates, before: Array, t0: int, t1: int) -> None:
        if run.defers and bool((updates.c == 1.0).all()):
            self._defer(run, updates, t0, t1)
        else:
            self.settle(before)
            self._add(run, updates, before, t0, t1)
        self.visits += t1 - t0
        self.end = t1

    def _defer(self, run: Learner, updates: Updates, t0: int, t1: int) -> None:
        if self.visits == 0:
            self.total = np.zeros(run.h.shape)  # whose pages are not touched yet
        run.add(updates, -(self.owed + (updates.t - t0)) * updates.a, self.total)
        self.owed += t1 - t0

    def settle(self, h: Array) -> None:
        """Add what is owed of the present hypothesis."""
        if self.owed:
            self.total = self.total + self.owed * h
            self.owed = 0

    def _add(self, run: Learner, updates: Updates, before: Array, t0: int, t1: int) -> None:
        if len(updates.t):
            part = run.blend(updates, survivals(updates, t0, t1), before)
        else:
            part = float(t1 - t0) * before
        self.total = part if self.visits == 0 else self.total + part

    def hypothesis(self, run: Learner, until: int = 0) -> Array:
        if not self.visits:
            return run.h
        rest = max(0, until - self.end)
        mean = (self.owed + rest) * run.h
        mean += self.total
        mean /= self.visits + rest
        return mean

    def convert(self, change: Callable[[Array], Array]) -> None:
        if self.visits:
            self.total = change(self.total)

    def on_shard(self) -> Readout:
        return type(self)()

    def join(self, others: Sequence[Readout]) -> None:
        for other in others:
            assert isinstance(other, Averaged)
            assert not other.owed
            self.total = other.total if not self.visits else self.total + other.total
            self.visits += other.visits
        self.end = self.visits

    def state(self) -> dict[str, Array]:
        owed = [self.owed] if self.owed else []
        return {"total": self.total, "span": np.array([self.visits, self.end, *owed])}

    def restore(self, state: dict[str, Array]) -> None:
        self.total = state["total"]
        self.visits, self.end, self.owed = [*state["span"].tolist(), 0][:3]


class Voted(Readout):
    """All hypotheses, each with as many votes as visits it survived (Freund & Schapire 1999).

    Keeps every update: its memory grows with the number of mistakes, as the paper's does.
    """

    counts_visits = True

    def __init__(self) -> None:
        self.start: Array = np.zeros(0)
        self.parts: list[Updates] = []
        self.t0 = self.t1 = -1

    def take(self, run: Learner, updates: Updates, before: Array, t0: int, t1: int) -> None:
        if self.t0 < 0:
            self.start, self.t0 = before.copy(), t0
        self.parts.append(Updates(*(column.copy() for column in updates)))
        self.t1 = t1

    def join(self, others: Sequence[Readout]) -> None:
        """Do nothing: the votes of each shard are kept."""

    def drop_examples(self) -> None:
        # The state of the stream keeps the votes themselves, with the examples they are made of.
        self.parts, self.t0, self.t1 = [], -1, -1

    def convert(self, change: Callable[[Array], Array]) -> None:
        if self.t0 >= 0:
            self.start = change(self.start)

    def updates(self) -> Updates:
        """Return all updates so far."""
        return joined(self.parts) if self.parts else blank(0)

    def votes(self, until: int = 0) -> Array:
        """Return the votes of the start and of the hypothesis after each update."""
        return survivals(self.updates(), max(self.t0, 0), max(self.t1, until, 0))

    def state(self) -> dict[str, Array]:
        span = np.array([self.t0, self.t1])
        return {"start": self.start, "span": span, **self.updates()._asdict()}

    def restore(self, state: dict[str, Array]) -> None:
        self.start = state["start"]
        self.t0, self.t1 = (int(t) for t in state["span"])
        self.parts = [Updates(*(state[name] for name in Updates._fields))]


class Pocket(Readout):
    """The hypothesis with the longest run of visits without a mistake (Gallant 1990).

    The visit that made it does not count: it has not classified that example yet. With the ratchet
    it must also make strictly fewer training errors than the one it replaces.
    """

    searches = True

    def __init__(self, ratchet: bool = True) -> None:
        self.ratchet = ratchet
        self.best: Array = np.zeros(0)
        self.longest = 0  # run of the hypothesis in the pocket
        self.errors = -1.0  # weight of its training errors; -1: none in the pocket yet
        self.life = 0  # run of the present hypothesis so far
        self.present = False  # the present hypothesis is the one in the pocket
        self.refused = False  # the ratchet has rejected the present hypothesis
        self.changed = 0  # visits made when the pocket last changed

    def take(self, run: Learner, updates: Updates, before: Array, t0: int, t1: int) -> None:
        lives = survivals(updates, t0, t1)
        lives[1:] = np.maximum(lives[1:] - 1, 0)  # the visit that made a hypothesis is no success
        lives[0] += self.life
        born = t0 - self.life
        if len(lives) > 1:
            self._offer(run, lives, 0, updates, before, born)
            self.present = self.refused = False
            for e in 1 + np.flatnonzero(lives[1:-1] > self.longest):
                self._offer(run, lives, int(e), updates, before, int(updates.t[e - 1]) + 1)
                self.present = self.refused = False
            born = int(updates.t[-1]) + 1
        self._offer(run, lives, len(lives) - 1, updates, before, born)
        self.life = int(lives[-1])

    def _offer(
        self, run: Learner, lives: Array, e: int, updates: Updates, before: Array, born: int
    ) -> None:
        if lives[e] <= self.longest:
            return
        if self.present:
            self.longest = int(lives[e])
        elif not self.refused:
            once = np.zeros(e + 1, np.int64)
            once[e] = 1
            h = run.h.copy() if e == len(updates.t) else run.blend(updates.part(0, e), once, before)
            errors = run.mistakes(h) if self.ratchet else 0.0
            if self.ratchet and self.errors >= 0 and errors >= self.errors:
                self.refused = True
                return
            self.changed = born + self.longest + 1
            self.best, self.longest, self.errors, self.present = h, int(lives[e]), errors, True

    def hypothesis(self, run: Learner, until: int = 0) -> Array:
        return self.best if self.longest else run.h

    wants_errors = True

    def on_shard(self) -> Readout:
        return Last()

    def join(self, others: Sequence[Readout]) -> None:
        """Do nothing: no shard has the errors on the others, so only mixtures are offered."""

    def offer(self, h: Array, errors: float) -> None:
        if self.errors < 0 or errors < self.errors:
            self.best, self.errors, self.longest = h.copy(), errors, 1

    def drop_examples(self) -> None:
        self.ratchet = False  # the examples on which errors were counted are gone

    def convert(self, change: Callable[[Array], Array]) -> None:
        if self.longest:
            self.best = change(self.best)

    def on_new_classes(self) -> None:
        self.longest = self.life = 0  # a run without mistakes on fewer classes is no record
        self.present = self.refused = False

    def state(self) -> dict[str, Array]:
        numbers = [
            self.longest, self.errors, self.life, self.present, self.refused, self.changed,
            self.ratchet,
        ]  # fmt: skip
        return {"best": self.best, "numbers": np.array(numbers, float)}

    def restore(self, state: dict[str, Array]) -> None:
        self.best = state["best"]
        longest, self.errors, life, present, refused, changed, ratchet = state["numbers"].tolist()
        self.longest, self.life, self.changed = int(longest), int(life), int(changed)
        self.present, self.refused, self.ratchet = bool(present), bool(refused), bool(ratchet)


class Fewest(Readout):
    """The hypothesis with the fewest training errors of all, the first of equals.

    The pocket for greedy orders: there every visit is an update, so that the length of a run means
    nothing. To count the errors of a hypothesis costs as much as to choose its example did.
    """

    searches = True

    def __init__(self) -> None:
        self.best: Array = np.zeros(0)
        self.errors = inf

    def take(self, run: Learner, updates: Updates, before: Array, t0: int, t1: int) -> None:
        h = before
        if self.errors == inf:
            self._offer(run, h)
        for e in range(len(updates.t)):
            h = run.blend(updates.part(e, e + 1), np.array([0, 1]), h)
            self._offer(run, h)

    def _offer(self, run: Learner, h: Array) -> None:
        errors = run.mistakes(h)
        if errors < self.errors:
            self.best, self.errors = h.copy(), errors

    def hypothesis(self, run: Learner, until: int = 0) -> Array:
        return run.h if self.errors == inf else self.best

    def drop_examples(self) -> None:
        # The examples on which errors were counted are gone.
        self.best, self.errors = np.zeros(0), inf

    def convert(self, change: Callable[[Array], Array]) -> None:
        if self.errors < inf:
            self.best = change(self.best)

    def state(self) -> dict[str, Array]:
        known = -1.0 if self.errors == inf else self.errors
        return {"best": self.best, "errors": np.array(known)}

    def restore(self, state: dict[str, Array]) -> None:
        known = float(state["errors"])
        self.best, self.errors = state["best"], inf if known < 0 else known


READOUTS: dict[str, type[Readout]] = {
    "last": Last,
    "averaged": Averaged,
    "voted": Voted,
    "pocket": Pocket,
}
"""Readouts by name."""
