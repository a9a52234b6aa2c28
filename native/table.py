"""What is shipped: loops x kinds of space x element types, each by an example of its arguments.

Any argument of the same kinds runs the same code. What is not in the table is compiled just in
time: sparse matrices with 64-bit indices, more than 2^32 examples, users' own spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.sources import svmlight_loops
from rosenblatt.engine import inputs
from rosenblatt.engine.execution import record
from rosenblatt.engine.execution import rule as rule_code
from rosenblatt.engine.plan import SequencePlan
from rosenblatt.engine.sentences import Sentences
from rosenblatt.proofs.search import triangular
from rosenblatt.theory import budgets, journal, loops, orders, rules, spaces
from rosenblatt.theory.budgets import SupportSet
from rosenblatt.theory.budgets.policies import Penalised
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops import Counters, Proof, Table, greedy
from rosenblatt.theory.loops.greedy import MarginCache
from rosenblatt.theory.loops.plateau import Level
from rosenblatt.theory.rules import RuleByAddress
from rosenblatt.theory.rules.by_address import facts, gain_from_look, plain_step
from rosenblatt.theory.spaces import Dual, DualRows, Gram, GramRows, Mirror, csr

Array = Any
FLOATS = (np.float64, np.float32)
CLASSES = 3
VISITS, LIVES = np.zeros(1, np.uint32), np.zeros(1, np.int64)
WEIGHTS, DUAL, H = np.ones(1), np.zeros(1), np.zeros(2)
LIVES = np.zeros(1, np.int64)
SIGNS, CODES = np.ones(1, np.int8), np.zeros(1, np.int32)
UPDATES, COUNTERS = journal.blank(1), Counters()
RULE = RuleByAddress(0, 0, np.zeros(1), 0.0, 0.0, False, False, False)
PROOF, LEVEL = Proof(True, 0.0, 0, 0), Level(np.zeros((2, 2), np.int64), 0.0, 0)
TABLE = Table(np.zeros((1, 2)), np.zeros((1, 4), np.int64), np.zeros((1, 4)))
COMMON = (RuleByAddress, Counters, Updates, SupportSet, MarginCache)
"""Records that tell no loop from another."""


class Loop(NamedTuple):
    """A loop and an example of its arguments."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    in_page: bool  # part of the WebAssembly module
    in_library: bool = True  # part of the libraries

    @property
    def symbol(self) -> str:
        """The name of its code."""
        kinds: list[Any] = []
        for argument in self.arguments:
            record.describe(argument, kinds, [])
        return record.symbol(self.function, tuple(kinds))

    @property
    def name(self) -> str:
        """Its name in the page: the function, and the kinds of records that it is compiled for."""
        kinds = [type(given) for given in self.arguments if isinstance(given, tuple)]
        told = [kind.__name__ for kind in kinds if kind not in COMMON]
        return " ".join([self.function.__name__, *told])


class RuleFunction(NamedTuple):
    """A function of a rule that loops call by address."""

    kind: type
    work: Callable[..., Any]

    @property
    def symbol(self) -> str:
        """The name of its code."""
        return rule_code.symbol(self.kind, self.work)


def rule_kinds() -> Iterator[type]:
    """Yield the kinds of rules: those by name, and the one that a budget policy requires."""
    yield from rules.RULES.values()
    yield Penalised


def rule_functions() -> Iterator[RuleFunction]:
    """Yield the functions of all rules."""
    for kind in rule_kinds():
        yield RuleFunction(kind, plain_step)
        if kind in rules.prior_variance.bodies:
            yield RuleFunction(kind, gain_from_look)


def groups() -> list[list[Loop]]:
    """Return the loops, those together that share most of their code."""
    made = [list(_of_space(space, y, page)) for space, y, page in _spaces()]
    made += [list(_numbers_of(space)) for space in _residuals()]
    made += [list(_sequences()), list(_kernels()), list(_budgets())]
    made += [list(_without_spaces()), list(_facts())]
    return made


def _tables(dtype: Any) -> Iterator[tuple[Any, bool]]:
    """Yield a dense and a sparse table, and whether the page has such ones."""
    yield np.zeros((1, 1), dtype), dtype is np.float64
    yield sp.csr_matrix((1, 1), dtype=dtype), False


def _spaces() -> Iterator[tuple[Any, Array, bool]]:
    """Yield a space of every kind, its labels, and whether it is part of the page."""
    sizes = np.zeros(1)
    for dtype in FLOATS:
        for X, page in _tables(dtype):
            base = inputs.binary_space(X, 1.0, sizes=sizes)
            yield base, SIGNS, page
            yield Mirror(base, 3.0, 1.0, 0.0, np.zeros(2)), SIGNS, page
            for full in (False, True):
                variances = inputs.variance_space(base, rules.Arow(full=float(full)))
                yield spaces.with_rule(variances, RULE), SIGNS, page
            yield inputs.class_space(X, CLASSES, 1.0, sizes=sizes), CODES, page


def _of_space(space: Any, y: Array, page: bool) -> Iterator[Loop]:
    """Yield the loops over the examples of a space."""
    h = spaces.origin(space)
    data, state = (space, y, WEIGHTS, VISITS), (h, DUAL, COUNTERS, UPDATES)
    yield Loop(loops.online, (*data, RULE, *state), page)
    if spaces.traits(space).linear:
        words = np.zeros((1, 2), np.uint32)
        yield Loop(loops.passes, (*data, words, RULE, *state, PROOF, LEVEL, 0, TABLE), False)
    cache = greedy.empty_margin_cache(space, 1)
    yield Loop(greedy.greedy, (*data, 0, RULE, *state, cache), page)
    yield Loop(loops.unsettled, (space, y, RULE, h, DUAL, COUNTERS), page)
    if not hasattr(space, "rule"):  # those with variances are surveyed without them
        yield Loop(loops.survey, (space, y, h, WEIGHTS), page)
    replayed = Loop(loops.replay, (space, y, UPDATES, LIVES, h, h), page)
    if not spaces.traits(space).linear:
        yield replayed
        return
    yield Loop(loops.add, (space, y, UPDATES, WEIGHTS, h), page)
    if page:  # which shows each hypothesis on the way; the library needs sums only
        yield replayed._replace(in_library=False)


def _residuals() -> Iterator[Any]:
    """Yield a space of numbers to predict of every kind: with and without variances."""
    side = np.ones(1, np.int8)
    for X, _ in _tables(np.float64):
        base = inputs.binary_space(X, 1.0, sizes=np.zeros(1))
        yield spaces.Residual(base, 0.0, 1.0, side)
        for full in (False, True):
            variances = inputs.variance_space(base, rules.Arow(full=full))
            yield spaces.Residual(spaces.with_rule(variances, RULE), 0.0, 1.0, side)


def _numbers_of(space: Any) -> Iterator[Loop]:
    """Yield the loops over numbers to predict; the page has none."""
    h = spaces.origin(space)
    data, state = (space, DUAL, WEIGHTS, VISITS), (h, DUAL, COUNTERS, UPDATES)
    yield Loop(loops.online, (*data, RULE, *state), False)
    if spaces.traits(space).linear:
        words = np.zeros((1, 2), np.uint32)
        yield Loop(loops.passes, (*data, words, RULE, *state, PROOF, LEVEL, 0, TABLE), False)
        yield Loop(loops.survey, (space, DUAL, h, WEIGHTS), False)
        yield Loop(loops.add, (space, DUAL, UPDATES, WEIGHTS, h), False)
    else:
        yield Loop(loops.replay, (space, DUAL, UPDATES, LIVES, h, h), False)


def _sequences() -> Iterator[Loop]:
    """Yield the loops over sentences; the page has none."""
    X = sp.csr_matrix((1, 1))
    sentences = Sentences.of(X, np.ones(1, np.int64))
    space = sentences.space(SequencePlan(np.zeros((3, 2)), np.zeros(2)), norms2=np.zeros(1))
    h = spaces.origin(space)
    data, state = (space, SIGNS, WEIGHTS, VISITS), (h, DUAL, COUNTERS, UPDATES)
    yield Loop(loops.online, (*data, RULE, *state), False)
    yield Loop(loops.survey, (space, SIGNS, h, WEIGHTS), False)
    yield Loop(loops.add, (space, SIGNS, UPDATES, WEIGHTS, h), False)
    yield Loop(loops.tag, (space, h, CODES, WEIGHTS), False)
    best, back = np.zeros((2, 2, 1)), np.zeros((2, 2, 1), np.int64)
    ranked = best, back, np.zeros((1, 1), np.int32), np.zeros((1, 1))
    yield Loop(loops.tag_ranks, (space, h, *ranked), False)
    arrays = sentences.data, sentences.indices, sentences.indptr, sentences.starts
    yield Loop(spaces.longest_norms2, (*arrays, 1, WEIGHTS, WEIGHTS), False)


def _kernels() -> Iterator[Loop]:
    """Yield the loops of runs in kernel form; kernel values are in either precision."""
    for dtype in FLOATS:
        K, many = np.zeros((1, 1), dtype), np.zeros((1, CLASSES))
        page = dtype is np.float64
        two = Gram(K, WEIGHTS, 0.0)
        classes = GramRows(K, WEIGHTS, 0.0, 0, 0.0, np.zeros(CLASSES), np.zeros(CLASSES))
        for space, y, h in ((two, SIGNS, DUAL), (classes, CODES, many)):
            state = (h, DUAL, COUNTERS, UPDATES)
            yield Loop(loops.online, (space, y, WEIGHTS, VISITS, RULE, *state), page)
            yield Loop(loops.unsettled, (space, y, RULE, h, DUAL, COUNTERS), page)
    dual, dual_rows = Dual(WEIGHTS, 0.0, 0), DualRows(WEIGHTS, 0.0, 0, CLASSES, 0)
    for each, labels in ((dual, SIGNS), (dual_rows, CODES)):
        h = spaces.origin(each)
        yield Loop(loops.add, (each, labels, UPDATES, WEIGHTS, h), True)
        yield Loop(loops.replay, (each, labels, UPDATES, LIVES, h, h), True, in_library=False)


def _budgets() -> Iterator[Loop]:
    """Yield the loop on a budget, with every policy."""
    integers, square = np.zeros(1, np.int64), np.zeros((1, 1))
    support = SupportSet(
        square, integers, integers, DUAL, DUAL, integers, square, DUAL, DUAL, DUAL
    )  # fmt: skip
    for kind in budgets.BUDGETS.values():
        arguments = (support, integers, SIGNS, WEIGHTS, RULE, kind(), COUNTERS, UPDATES)
        yield Loop(loops.bounded, arguments, True)


def _without_spaces() -> Iterator[Loop]:
    """Yield the loops over plain arrays."""
    offsets = np.zeros(2, np.uint32)
    yield Loop(journal.pull, (DUAL, LIVES, DUAL), True)
    yield Loop(orders.shuffle, (VISITS, VISITS), True)
    yield Loop(loops.square, (H,), False)
    yield Loop(loops.square, (np.zeros((1, 2)),), False)
    for dtype in FLOATS:
        page = dtype is np.float64
        yield Loop(spaces.dense_norms2, (np.zeros((1, 1), dtype), 0.0, 2.0, DUAL), page)
        yield Loop(csr.sparse_norms2, (np.zeros(1, dtype), offsets, 0.0, 2.0, DUAL), False)
    yield Loop(csr.repeats, (VISITS, offsets, VISITS), False)
    factor = np.zeros((2, 2), order="F")
    for function, arguments in (
        (triangular.forward, (factor, DUAL)),
        (triangular.backward, (factor, DUAL)),
        (triangular.move_towards, (DUAL, DUAL)),
        (triangular.downdate, (factor, 0, 0, DUAL)),
    ):
        yield Loop(function, arguments, False)
    text, places = np.zeros(1, np.uint8), np.zeros(1, np.int64)
    row, indices = (places, CODES, CODES), (places,)
    yield Loop(svmlight_loops.find_tokens, (text, 0, *row, *indices), False)
    yield Loop(svmlight_loops.read_decimals, (text, *[places] * 5), False)


def _facts() -> Iterator[Loop]:
    """Yield the loops by which the page learns the facts of rules; Python has the verbs."""
    for kind in rule_kinds():
        rule: Any = kind
        yield Loop(facts, (rule(*[0.0] * len(rule._fields)), DUAL), True, in_library=False)
