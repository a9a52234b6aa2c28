"""Write what runs of the engine call, for the page's module to repeat: web/tests/calls.json.

python -m web.calls
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from web.call_recorder import Recorder

from rosenblatt.engine import inputs
from rosenblatt.engine.budget_run import BudgetRun
from rosenblatt.engine.execution import by_address, fast
from rosenblatt.engine.kernel_run import KernelRun, kernel_runs
from rosenblatt.engine.run import Run
from rosenblatt.theory import budgets, loops, rules, spaces
from rosenblatt.theory.journal import survivals
from rosenblatt.theory.readouts import READOUTS, Pocket
from rosenblatt.theory.similarity import Similarity
from rosenblatt.theory.spaces import dense_norms2

Array = Any
FILE = Path(__file__).parent / "tests" / "calls.json"
EXAMPLES, FEATURES, CLASSES, PASSES = 24, 4, 3, 2
STRETCH = 4  # visits of a greedy call: to choose by margins lets rounding errors grow fast
STARTS = 6  # random hypotheses from which one choice is made


class Data(NamedTuple):
    """A table and its labels."""

    name: str
    X: Array
    signs: Array
    codes: Array
    weights: Array


def tables() -> Iterator[Data]:
    """Yield a table of whole numbers and one of normal ones, both with some wrong labels.

    Of whole numbers those calls are kept in which all numbers stay whole. Where they do not, equal
    margins are common, and rounding tells them apart.
    """
    for name in ("whole", "normal"):
        rng = np.random.default_rng(7)
        X = rng.normal(size=(EXAMPLES, FEATURES))
        X = np.rint(3 * X) if name == "whole" else X
        codes = np.argmax(X[:, :CLASSES] + 0.4 * rng.normal(size=(EXAMPLES, CLASSES)), axis=1)
        signs = np.where(codes == 0, 1, -1).astype(np.int8)
        yield Data(name, X, signs, codes.astype(np.int32), rng.integers(1, 4, EXAMPLES) / 2)


class Recorded:
    """A run whose loops are recorded."""

    def __init__(self, *arguments: Any, recorder: Recorder, **options: Any) -> None:
        self.recorder_of_calls = recorder
        super().__init__(*arguments, **options)

    def compiled_form(self: Any, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the compiled loop, recorded if the page has it."""
        if function is loops.square:
            return fast(function)
        return lambda *given: self.recorder_of_calls.call(self.rule, function, *given)


class RecordedRun(Recorded, Run):
    """A run in a linear space."""


class RecordedKernelRun(Recorded, KernelRun):
    """A run in kernel form."""


class RecordedBudgetRun(Recorded, BudgetRun):
    """A run on a budget."""


def settings(kind: Any) -> Iterator[Any]:
    """Yield a rule as it comes, and in full where it has variances."""
    yield kind()
    if "full" in kind._fields:
        yield kind(full=1.0)


def linear_spaces(data: Data, rule: Any) -> Iterator[tuple[Any, Array]]:
    """Yield the spaces that a rule learns in, with the labels."""
    base = inputs.binary_space(data.X, 1.0)
    if rules.prior_variance(rule):
        yield inputs.variance_space(base, rule), data.signs
        return
    yield base, data.signs
    if getattr(rule, "needs_dual", False):
        return
    for p in (3.0, inf):
        yield inputs.binary_space(data.X, 1.0, p=p), data.signs
    for scheme in spaces.SCHEMES:
        yield inputs.class_space(data.X, CLASSES, 1.0, scheme, rule), data.codes


def chosen(rule: Any, space: Any, y: Array, common: dict[str, Any]) -> None:
    """Record greedy runs.

    A rule that aims at a margin leaves its example there, so that rounding decides whether it would
    step again. So a choice among all that are due begins from weights that no step has made.
    """
    run = RecordedRun(rule, space, y, order="least", count_errors=False, **common)
    while not run.passes:
        run.advance(visits=STRETCH)
    rng, rows = np.random.default_rng(5), spaces.as_rows(space, run.h)
    for start in range(STARTS):
        h = spaces.from_rows(space, rng.normal(size=rows.shape))
        order = "violated" if start % 2 else "nearest"
        RecordedRun(rule, space, y, order=order, start=h, **common).advance(visits=1)


def learned(data: Data, rule: Any, space: Any, y: Array, recorder: Recorder) -> None:
    """Record runs in all orders, a weighted one, and the questions that end a run.

    MIRA puts examples exactly on the boundary, and rounding decides on which side. So its errors
    are not counted, nor is a pocket chosen by them.
    """
    common: dict[str, Any] = {"rng": 1, "recorder": recorder}
    chosen(rule, space, y, common)
    counts = not isinstance(rule, rules.Mira)
    RecordedRun(rule, space, y, weights=data.weights, count_errors=counts, **common).go(1)
    for readout in READOUTS.values():
        if counts or readout is not Pocket:
            options = {"readout": readout(), "criterion": counts, "count_errors": counts}
            run = RecordedRun(rule, space, y, **options, **common)
            run.go(PASSES)
    replayed(run, recorder)
    called = by_address(rule)
    executed = spaces.with_rule(space, called)
    recorder.call(rule, loops.unsettled, executed, y, called, run.h, run.dual, run.n)


def replayed(run: Run, recorder: Recorder) -> None:
    """Record the replay of a run whose hypotheses are sums of its steps."""
    if not spaces.traits(run.space).linear:
        return
    updates = run.recorder.updates()
    h, lives = spaces.origin(run.space), survivals(updates, 0, run.n.t)
    arguments = (run.space, run.y, updates, lives, h, np.zeros_like(h))
    recorder.call(run.rule, loops.replay, *arguments, plain=True)


def read_out(data: Data, rule: Any, space: Any, y: Array, recorder: Recorder) -> dict[str, Any]:
    """Return the online call of a run over given visits, and what each readout makes of it."""
    rng = np.random.default_rng(3)
    visits = np.concatenate([rng.permutation(EXAMPLES) for _ in range(PASSES)])
    linear = spaces.traits(space).linear and not getattr(rule, "needs_dual", False)
    start = rng.integers(-3, 4, spaces.origin(space).shape) if linear else None
    made, counts = {}, not isinstance(rule, rules.Mira)
    options = {"order": visits, "start": start, "count_errors": counts, "recorder": recorder}
    for name, readout in READOUTS.items():
        if readout is Pocket and not counts:
            continue
        run = RecordedRun(rule, space, y, readout=readout(), **options)
        run.go(1)
        voted = name == "voted"
        made[name] = recorder.number(run.readout.votes() if voted else run.readout.hypothesis(run))
    return {"call": recorder.taken()[0], "readouts": made}


def in_kernel_form(data: Data, rule: Any, recorder: Recorder) -> None:
    """Record runs on kernel values, of two classes and of three, with every readout."""
    kernel = Similarity("linear" if data.name == "whole" else "rbf", constant=1.0)
    problems: list[tuple[Array, dict[str, Any]]] = [(data.signs, {})]
    if not getattr(rule, "needs_dual", False):
        problems += [(data.codes, {"classes": CLASSES, "scheme": s}) for s in spaces.SCHEMES]
    for y, options in problems:
        for readout in READOUTS.values():
            (run,) = kernel_runs(
                rule, kernel, data.X, [y], 1, [readout()], kind=RecordedKernelRun,
                recorder=recorder, block=EXAMPLES // 2, **options,
            )  # fmt: skip
            run.go(PASSES)
        replayed(run, recorder)
        ask_kernel_run(run, kernel, recorder)


def ask_kernel_run(run: KernelRun, kernel: Similarity, recorder: Recorder) -> None:
    """Record the question whether a run is settled."""
    K, norms2 = kernel.block(run.cache.X, run.cache.X), run.space.norms2
    space: Any = spaces.Gram(K, norms2, 0.0)
    if isinstance(run.space, spaces.DualRows):
        beta = float(rules.shared_margin(run.rule))
        scratch = np.zeros(CLASSES), np.zeros(CLASSES)
        space = spaces.GramRows(K, norms2, 0.0, run.space.scheme, beta, *scratch)
    rule, scores = by_address(run.rule), run.scores(run.h)
    recorder.call(run.rule, loops.unsettled, space, run.y, rule, scores, run.dual, run.n)


def on_a_budget(data: Data, policy: Any, recorder: Recorder) -> None:
    """Record a run on a budget."""
    kernel = Similarity("linear" if data.name == "whole" else "rbf", constant=1.0)
    rule = budgets.required_rule(policy) or rules.Plain()
    (run,) = kernel_runs(
        rule, kernel, data.X, [data.signs], 1, kind=RecordedBudgetRun, recorder=recorder,
        policy=policy, budget=5,
    )  # fmt: skip
    run.go(PASSES)


def of_rule(data: Data, rule: Any, recorder: Recorder) -> Iterator[dict[str, Any]]:
    """Yield the cases of a rule in all its spaces."""
    title = f"{data.name} {type(rule).__name__}"
    for space, y in linear_spaces(data, rule):
        option = getattr(space, "p", getattr(space, "scheme", None))
        name = f"{title} {type(space).__name__}" + ("" if option is None else f" {option}")
        read = read_out(data, rule, space, y, recorder)
        learned(data, rule, space, y, recorder)
        yield {"name": name, "calls": recorder.taken(), "read": read}
    if not rules.prior_variance(rule):
        in_kernel_form(data, rule, recorder)
        yield {"name": f"{title} kernel", "calls": recorder.taken()}


def of_data(data: Data, recorder: Recorder) -> Iterator[dict[str, Any]]:
    """Yield cases: a name, calls, and for spaces of weights what readouts make of a run."""
    for kind in rules.RULES.values():
        for rule in settings(kind):
            yield from of_rule(data, rule, recorder)
    for name, policy in budgets.BUDGETS.items():
        on_a_budget(data, policy(), recorder)
        yield {"name": f"{data.name} budget {name}", "calls": recorder.taken()}
    for p in (2.0, 3.0, inf):
        recorder.call((), dense_norms2, data.X, 1.0, p, np.zeros(EXAMPLES))
    yield {"name": f"{data.name} norms", "calls": recorder.taken()}


def cases(recorder: Recorder) -> Iterator[dict[str, Any]]:
    """Yield the cases of both tables that are not empty."""
    whole, normal = tables()
    for case in of_data(whole, recorder):
        case["calls"] = [call for call in case["calls"] if call["exact"]]
        if not case.get("read", {"call": {"exact": False}})["call"]["exact"]:
            case.pop("read", None)
        if case["calls"]:
            yield case
    yield from of_data(normal, recorder)


def main() -> None:
    """Write the file."""
    warnings.simplefilter("error")
    recorder = Recorder()
    made = list(cases(recorder))
    FILE.write_text(json.dumps({"arrays": recorder.arrays, "cases": made}, allow_nan=False))
    count = sum(len(case["calls"]) for case in made)
    print(f"wrote {FILE.name}: {count:,} calls in {len(made)} cases, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
