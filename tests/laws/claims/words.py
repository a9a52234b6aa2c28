"""What an estimator reports in words, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rosenblatt.engine.plateau import Plateau
from rosenblatt.engine.state import Pass
from tests.laws.claims.case import Case, run
from tests.laws.claims.fit import Broken, Fit

Says = Callable[[Fit, re.Match[str]], Iterator[Broken]]


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def summary(fit: Fit) -> Iterator[Broken]:
    """Each sentence of `summary()`; one that is not known here breaks the law too."""
    text = " ".join(fit.clf.summary().split())
    yield from _read(fit, text, SUMMARY, "summary()")


def warned(fit: Fit) -> Iterator[Broken]:
    """Each sentence of a ConvergenceWarning."""
    for text in fit.warned:
        yield from _read(fit, text, WARNINGS, "ConvergenceWarning")


def _read(
    fit: Fit, text: str, sentences: tuple[tuple[str, Says], ...], where: str
) -> Iterator[Broken]:
    rest = text
    for pattern, says in sentences:
        match = re.search(pattern, text)
        if match:
            rest = rest.replace(match[0], " ", 1)
            for claim, detail in says(fit, match):
                yield Broken(f"{where}: {claim}", f"{detail} [{match[0]}]")
    if re.search(r"\w{2}", rest):
        yield Broken(f"{where}: only sentences that can be checked", rest.strip())


def _nothing(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    yield from ()


def _rows(fit: Fit) -> tuple[int, int]:
    """Examples in all, and in the last call."""
    return len(fit.truth.rows), len(fit.recent.rows)


def _head(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    every, recent = _rows(fit)
    true = recent if match[1] else every
    if (_number(match[2]), _number(match[3])) != (true, len(fit.case.table[0])):
        yield Broken("examples and features", f"really {true} examples")


def _proved(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    """The last hypothesis separates all examples that were learned."""
    if fit.last is not None and not fit.last.separates:
        yield Broken("without error (proof)", f"at least {fit.last.errors[0]} errors")
    if _number(match[2]) != len(fit.truth.rows):
        yield Broken("number of examples", f"really {len(fit.truth.rows)}")
    if "no update" in match[0] and _updates(fit):
        yield Broken("no update in the last pass", f"{_updates(fit)} updates")
    if match[1] is not None and float(match[1]) < fit.clf.gap_:
        yield Broken("within so much of the best margin", f"gap_ {fit.clf.gap_!r}")


def _updates(fit: Fit) -> int:
    """Updates in the last pass."""
    longest = max(len(j.passes["updates"]) for j in fit.journals)
    return sum(j.passes["updates"][-1] for j in fit.journals if len(j.passes["updates"]) == longest)


def _unsettled(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    """The last pass made an update, or one more would."""
    if not _updates(fit) and fit.one_more_pass(zeros=True) == 0:
        yield Broken("had not settled", "no update in the last pass, nor in one more")


def _ended(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    """The passes of every run that still changed have levelled off."""
    if fit.clf.converged_:
        yield Broken("ended though it could get no better", "it has converged")
    for journal in fit.journals:
        columns = (journal.passes[name] for name in Pass._fields)
        passes = [Pass(*counts) for counts in zip(*columns, strict=True)]
        plateau = Plateau(fit.clf.tol, fit.clf.n_iter_no_change)
        if passes[-1].updates and not plateau.reached(passes):
            yield Broken("passes no longer got better", f"{[one.mistakes for one in passes]}")


def _doubtful(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    """No error is left, up to the precision of floats."""
    if fit.last is not None and fit.last.errors[0] > 0:
        yield Broken("no training error is left", f"{fit.last.errors[0]} errors")


def _left(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    """Counts of mistakes and errors of the last pass."""
    made = int(fit.clf.pass_mistakes_[-1])
    if _number(match[1]) != made:
        yield Broken("mistakes in the last pass", f"really {made}")
    if match[2] is None or fit.last_on_recent is None:
        return
    least, most = fit.last_on_recent.errors
    if not least <= _number(match[2]) <= most:
        yield Broken("errors after the last pass", f"really {least}-{most}")


def _goal(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    """AdaTron's objective is near its optimum; the errors left are those of the last pass."""
    if float(match[1]) < fit.clf.gap_:
        yield Broken("within so much of the best soft margin", f"gap_ {fit.clf.gap_!r}")
    least, most = fit.last.errors if fit.last is not None else (0, 10**9)
    if not least <= _number(match[2]) <= most:
        yield Broken("training errors left", f"really {least}-{most}")


def _made(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    if _number(match[1]) != fit.clf.n_updates_:
        yield Broken("updates", f"really {fit.clf.n_updates_}")


def _between(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    low, high, truth = float(match[1]), float(match[2]), fit.truth
    if truth.offset or not truth.has_space:
        yield Broken("a margin is bounded only where there is a scale", "there is none")
    elif truth.p != 2.0:
        if low > min(bounds.high for bounds in truth.dual_bounds):
            yield Broken("best margin at least (p-norm)", f"best in {truth.dual_bounds}")
        yield from _at_most(fit, high)
    else:
        if truth.best.surely_below(low):
            words = f"best margin at least{_digits(low, fit)}"
            yield Broken(words, f"best {float(truth.best)!r}")
        yield from _at_most(fit, high)


def _at_most(fit: Fit, high: float) -> Iterator[Broken]:
    """No hypothesis has a larger margin."""
    truth = fit.truth
    if truth.offset or not truth.has_space:
        if truth.separable and high <= 0:
            yield Broken("best margin at most", "the data are separable")
    elif truth.p != 2.0:
        if high < min(bounds.low for bounds in truth.dual_bounds):
            yield Broken("best margin at most (p-norm)", f"best in {truth.dual_bounds}")
    elif truth.best.surely_above(high):
        yield Broken(f"best margin at most{_digits(high, fit)}", f"best {float(truth.best)!r}")


def _digits(printed: float, fit: Fit) -> str:
    """A mark for numbers that are false by the rounding of the print alone."""
    near = abs(printed - float(fit.truth.best)) <= 6e-3 * abs(printed)
    return " (by the rounding of the print)" if near else ""


def _above(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    yield from _at_most(fit, float(match[1]))


def _cost(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    """No order costs the plain rule more updates: not the one that was made, nor others."""
    most, each = _number(match[1]), "for each class" in match[0]
    made = _made_by(fit.clf, each)
    if fit.rule == "plain" and made > most and fit.from_zero:
        yield Broken("the most updates of the plain rule", f"this run made {made}")
    for case in _plain_runs(fit.case):
        twin = run(case).estimator
        if twin is not None and _made_by(twin, each) > most:
            words = f"{_made_by(twin, each)} in {case.options}"
            yield Broken("the most updates of the plain rule", words)
            return


def _made_by(estimator: Any, each: bool) -> int:
    """Updates made; with `each` by the class that made most."""
    journals = estimator.journal_
    if each and isinstance(journals, list):
        return max(sum(j.passes["updates"]) for j in journals)
    return int(estimator.n_updates_)


def _plain_runs(case: Case) -> list[Case]:
    """The plain rule on the same data in two orders, from zero, without weights."""
    shared = (
        "fit_intercept", "intercept_scaling", "multiclass", "kernel", "gamma", "coef0", "degree"
    )  # fmt: skip
    options = {k: v for k, v in case.options.items() if k in shared} | {
        "max_iter": 100,
        "tol": None,
    }
    name = "Perceptron"
    if case.name == "KernelPerceptron":
        name, options = "KernelPerceptron", options | {"readout": "last"}
    rows = [i for i in range(len(case.labels)) if case.weights is None or case.weights[i] > 0]
    if "multiclass" not in options and case.name in OVR_BY_DEFAULT:
        options["multiclass"] = "ovr"
    same = replace(
        case, name=name, weights=None, start=None, way="fit", cuts=[],
        table=[case.table[i] for i in rows], labels=[case.labels[i] for i in rows],
    )  # fmt: skip
    if options.get("kernel") == "precomputed" and len(rows) < len(case.labels):
        return []
    return [
        replace(same, options=options | {"order": "cyclic"}),
        replace(same, options=options | {"random_state": 1}),
    ]


OVR_BY_DEFAULT = (
    "AdaTron", "WinnowPerceptron", "SecondOrderPerceptron", "ConfidenceWeighted", "AROW", "SCW",
    "NHERD",
)  # fmt: skip


def _rest(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    if _number(match[1]) != fit.clf.n_updates_:
        yield Broken("came to rest after so many updates", f"really {fit.clf.n_updates_}")


def _rest_with_errors(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    yield from _rest(fit, match)
    if fit.last is not None:
        least, most = fit.last.errors
        if not least <= _number(match[2]) <= most:
            yield Broken("training errors left", f"really {least}-{most}")


def _stopped(fit: Fit, match: re.Match[str]) -> Iterator[Broken]:
    if _number(match[1]) != fit.case.options["max_iter"]:
        yield Broken("max_iter", f"really {fit.case.options['max_iter']}")
    yield from _unsettled(fit, match)


SUMMARY: tuple[tuple[str, Says], ...] = (
    (r"\w+ · (in the last call, )?([\d,]+) examples? x ([\d,]+) features? · \d+ classes", _head),
    (
        r"separated: (?:within (\S+) of the best margin after|no update in|at its goal in|after) "
        r"pass \d+ (?:-> )?"
        r"the last hypothesis classifies the ([\d,]+) training examples without error \(proof\)",
        _proved,
    ),
    (r"; learning had not settled", _unsettled),
    (
        r"; it ended there since the passes(?: of any class)? no longer got better, by the measure "
        r"of tol",
        _ended,
    ),
    (r"(?<=in the last one), no training error after it", _doubtful),
    (
        r"at its goal after \d+ pass(?:es)?, within (\S+) of the best soft margin objective; "
        r"([\d,]+) training errors? (?:are|is) left",
        _goal,
    ),
    (
        r"not (?:separated in|proved to be separated after) \d+ pass(?:es)?: ([\d,]+) mistakes? in "
        r"the last one(?:, ([\d,]+) errors? after it)?",
        _left,
    ),
    (
        r"pass [\d,]+ of a stream: ([\d,]+) mistakes?(?:, ([\d,]+) errors? on its examples after "
        r"it)?",
        _left,
    ),
    (r"(?<=\s)([\d,]+) updates?(?=;|$| for | [\d,]+ support)", _made),
    (r"the best margin is between (\S+) and ([^\s,;]+)", _between),
    (
        r", so the plain rule, started at zero, makes at most ([\d,]+) updates?(?: for each class)"
        r"? in any order",
        _cost,
    ),
    (r"no hypothesis has a margin above ([^\s,;]+)(?: on all examples seen so far)?", _above),
    (r", with weights measured in the dual norm, not the Euclidean one", _nothing),
    (r", for the class that is hardest to separate from the rest", _nothing),
    (r"[\d,]+ support vectors?", _nothing),
    (r"for \S+: \S.*", _nothing),
)
"""Sentences, and what must be true where they are printed."""

WARNINGS: tuple[tuple[str, Says], ...] = (
    (
        r"\w+ stopped at max_iter=(\d+) before learning had settled\.",
        _stopped,
    ),
    (
        r"\w+ came to rest after ([\d,]+) updates?: the budget of \d+ examples is used up\. Raise "
        r"it, or take another budget_policy\.",
        _rest,
    ),
    (
        r"\w+ came to rest after ([\d,]+) updates?, but the examples are not proved to be "
        r"separated: ([\d,]+) training errors? (?:is|are) left\. Scale the features, or ask for a "
        r"margin\.",
        _rest_with_errors,
    ),
    (r"Raise max_iter.*", _nothing),
)
"""The same of warnings."""
