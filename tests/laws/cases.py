"""What the laws range over: rules, spaces and data sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.theory import rules
from tests.oracles import dual as oracles_dual
from tests.oracles import greedy as oracles_greedy
from tests.oracles import online as oracles

EVERY: dict[str, Any] = {name: kind() for name, kind in rules.RULES.items()}

# Rules of second order live in spaces of their own; their laws are in test_second.
SECOND = {name: rule for name, rule in EVERY.items() if rules.prior_variance(rule)}

# A rule that asks for a space of its own is tested in it; see test_everywhere.
ELSEWHERE = {name for name, rule in EVERY.items() if getattr(rule, "space", None)} | set(SECOND)

RULES: dict[str, Any] = {name: rule for name, rule in EVERY.items() if name not in ELSEWHERE} | {
    "plain eta0": rules.Plain(0.25),
    "romma aggressive": rules.Romma(True),
    "mira margin": rules.Mira(0.5),
    "pa1 timid": rules.PA1(0.2),
    "pa2 timid": rules.PA2(0.2),
    "relaxation half": rules.Relaxation(0.5, 2.0),
    "descent sqrt": rules.Descent(2.0, 0.5),
    "descent inverse": rules.Descent(1.0, 1.0),
    "adatron slow": rules.Adatron(0.5),
    "adatron capped": rules.Adatron(1.0, 0.2),
    "thermal annealed": rules.Thermal(5.0, 0.5, 60.0),
    "maxover kappa": rules.Maxover(0.3, 40.0, 6.0),
    "maxover raw": rules.Maxover(0.0, N=6.0, factor=0.7),
}

# Steps that are whole numbers keep whole-number data exact, whatever the order of the sums.
EXACT = ("plain", "plain eta0", "margin", "uneven")

ORACLES = {
    "plain": oracles.plain,
    "plain eta0": lambda X, y, o: oracles.plain(X, y, o, eta0=0.25),
    "normalised": oracles.normalised,
    "margin": lambda X, y, o: oracles.margin(X, y, o, theta=1.0),
    "uneven": lambda X, y, o: oracles.uneven(X, y, o, 1.0, 0.1),
    "relaxation": oracles.relaxation,
    "relaxation half": lambda X, y, o: oracles.relaxation(X, y, o, 0.5, 2.0),
    "pa": lambda X, y, o: oracles.pa(X, y, o, "pa"),
    "pa1": lambda X, y, o: oracles.pa(X, y, o, "pa1"),
    "pa2": lambda X, y, o: oracles.pa(X, y, o, "pa2"),
    "pa1 timid": lambda X, y, o: oracles.pa(X, y, o, "pa1", 0.2),
    "pa2 timid": lambda X, y, o: oracles.pa(X, y, o, "pa2", 0.2),
    "mira margin": lambda X, y, o: oracles.mira(X, y, o, 0.5),
    "mira": oracles.mira,
    "romma": oracles.romma,
    "romma aggressive": lambda X, y, o: oracles.romma(X, y, o, True),
    "alma": lambda X, y, o: oracles.alma(X, y, o, 0.9),
    "ballseptron": lambda X, y, o: oracles.ballseptron(X, y, o, 0.1),
    "descent": oracles_dual.descent,
    "descent sqrt": lambda X, y, o: oracles_dual.descent(X, y, o, 2.0, 0.5),
    "descent inverse": lambda X, y, o: oracles_dual.descent(X, y, o, 1.0, 1.0),
    "winnow": oracles.plain,  # in these spaces there is no link; with one, see test_family_dual
    "adatron": oracles_dual.adatron,
    "adatron slow": lambda X, y, o: oracles_dual.adatron(X, y, o, 0.5),
    "adatron capped": lambda X, y, o: oracles_dual.adatron(X, y, o, 1.0, 0.2),
    "thermal": oracles_greedy.thermal,
    "thermal annealed": lambda X, y, o: oracles_greedy.thermal(X, y, o, 5.0, 0.5, 60),
    "maxover": oracles_greedy.wendemuth,
    "maxover kappa": lambda X, y, o: oracles_greedy.wendemuth(X, y, o, 0.3, 6, 40.0),
    "maxover raw": lambda X, y, o: oracles_greedy.wendemuth(X, y, o, N=6, factor=0.7),
    "dynamic": lambda X, y, o: oracles.pdm(X, y, o, 0.1),
}


class Data(NamedTuple):
    """A data set and the visits of a run over it."""

    X: Any
    y: Any
    order: Any


@st.composite
def whole_numbers(draw: Any, classes: int = 2, passes: int = 2) -> Data:
    """Small whole numbers, every class present: sums are exact, ties and repeats abound."""
    n, d = draw(st.integers(classes, 10)), draw(st.integers(1, 4))
    X = np.array(draw(st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d),
                               min_size=n, max_size=n)), float)  # fmt: skip
    rest = draw(st.lists(st.integers(0, classes - 1), min_size=n - classes, max_size=n - classes))
    y = np.array([*range(classes), *rest])
    order = [i for _ in range(passes) for i in draw(st.permutations(range(n)))]
    return Data(X, np.where(y == 1, 1, -1) if classes == 2 else y, np.array(order))


def reals(seed: int, n: int = 40, d: int = 5, classes: int = 2, passes: int = 2) -> Data:
    """Gaussian examples with a noisy linear labelling: no ties, no exact sums."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, classes)) + rng.normal(scale=0.5, size=(n, classes))
    y = np.argmax(scores, axis=1)
    y[:classes] = np.arange(classes)
    order = np.concatenate([rng.permutation(n) for _ in range(passes)])
    return Data(X, np.where(y == 1, 1, -1) if classes == 2 else y, order)


def separable(seed: int, n: int = 60, d: int = 4, margin: float = 0.1) -> tuple[Data, Any]:
    """Examples with at least the given margin to a unit separator u, which is returned too."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(n, d))
    y = np.where(X @ u > 0, 1, -1)
    X += (y * margin)[:, None] * u
    return Data(X, y, np.arange(n)), u


def augmented(X: Any, bias: float) -> Any:
    """Examples with the constant feature last."""
    return np.column_stack([X, np.full(len(X), bias)])


def space(data: Data, kind: str, bias: float = 1.0, **more: Any) -> tuple[Any, Any]:
    """The data in a space of this kind, and the labels as it wants them."""
    X = sp.csr_matrix(data.X) if kind.endswith("csr") else data.X
    if kind.startswith("rows"):
        classes = int(data.y.max()) + 1
        return inputs.class_space(X, classes, bias, **more), data.y.astype(np.int32)
    return inputs.binary_space(X, bias, **more), data.y.astype(np.int8)


def run(rule: Any, data: Data, kind: str = "dense", bias: float = 1.0, **options: Any) -> Run:
    """A run that has made the data's visits."""
    more = {name: options.pop(name) for name in ("scheme", "p") if name in options}
    if kind.startswith("rows"):
        more["rule"] = rule
    where, y = space(data, kind, bias, **more)
    made = Run(rule, where, y, order=data.order, **options)
    made.go(1)
    return made


def plain(
    rule: Any, data: Data, kind: str = "dense", *, bias: float = 1.0, offset: float = 0.0,
    **options: Any,
) -> Run:  # fmt: skip
    """A run over two classes that compiles nothing; it has made no visit yet."""
    X = sp.csr_matrix(data.X) if kind == "csr" else data.X
    where = inputs.binary_space(X, bias, offset, sizes=(data.X**2).sum(axis=1) + bias**2)
    if rules.prior_variance(rule):
        where = inputs.variance_space(where, rule)
    y = data.y.astype(np.int8)
    return Run(rule, where, y, **({"order": data.order, "compiled": False} | options))


def plain_rows(rule: Any, data: Data, kind: str, scheme: str) -> Run:
    """A run over many classes that compiles nothing and has made the data's visits."""
    X = sp.csr_matrix(data.X) if kind == "rows csr" else data.X
    sizes = (data.X**2).sum(axis=1) + 1.0
    where = inputs.class_space(X, int(data.y.max()) + 1, 1.0, scheme, rule, sizes)
    made = Run(rule, where, data.y.astype(np.int32), order=data.order, compiled=False)
    made.go(1)
    return made


def weights(made: Run) -> Any:
    """The hypothesis with a row for each score."""
    from rosenblatt.theory import spaces

    return spaces.as_rows(made.space, made.h)


def resumed(
    fresh: Callable[[], Run], path: Path, *, passes: int, first: int, visits: int
) -> tuple[Run, Run]:
    """A run, and one that was saved within a pass and restored, which must end in the same bits."""
    whole, begun = fresh(), fresh()
    whole.go(passes)
    begun.go(first)
    begun.advance(visits=visits)
    begun.save(path)
    again = fresh().restore(path)
    while len(again.passes) < len(whole.passes):
        again.advance(visits=13)
    assert np.array_equal(again.h, whole.h)
    np.testing.assert_equal(again.n, whole.n)  # nan, where no bound follows, equals nan
    assert again.passes == whole.passes
    ours, theirs = again.readout.hypothesis(again), whole.readout.hypothesis(whole)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    return whole, again
