"""Every claim of a fitted estimator but its words, compared with the truth."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from math import inf, isfinite, isnan

import numpy as np

from tests.laws.claims import guarantees, words
from tests.laws.claims.case import Case, run
from tests.laws.claims.fit import Broken, Fit
from tests.laws.claims.replay import Replay, replayable, visits
from tests.laws.claims.truth import FLOATS, Truth
from tests.oracles.exact import root

Check = Callable[[Fit], Iterator[Broken]]
WORDS_OF_AN_ERROR = 4  # at least, or it is no sentence


def broken(case: Case) -> list[Broken]:
    """The claims that a case breaks; a refusal in a sentence breaks none."""
    outcome = run(case)
    if outcome.error is not None:
        error = outcome.error
        refused = isinstance(error, ValueError | TypeError)
        if refused and len(str(error).split()) >= WORDS_OF_AN_ERROR:
            return []
        return [Broken("bad input gets a sentence", f"{type(error).__name__}: {error}")]
    fit = Fit(case, outcome)
    found: list[Broken] = []
    for check in CHECKS:
        try:
            found += check(fit)
        except Exception as error:
            where = f"{type(error).__name__}: {error} ({_place(error)})"
            found.append(Broken(f"no error in {check.__name__}", where))
    return found


def _place(error: Exception) -> str:
    """Where an error was raised."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename.rpartition('/')[2]}:{last.lineno}"


def numbers(fit: Fit) -> Iterator[Broken]:
    """No weight is NaN or infinite."""
    arrays = [getattr(fit.clf, name) for name in ("coef_", "intercept_", "dual_coef_")
              if hasattr(fit.clf, name)]  # fmt: skip
    if not all(np.isfinite(a).all() for a in arrays):
        yield Broken("weights are finite", str(arrays))


def bracket(fit: Fit) -> Iterator[Broken]:
    """The best margin is within the bracket."""
    low, high = fit.clf.margin_bracket_
    if isnan(low) or isnan(high) or low > high:
        yield Broken("margin_bracket_: low <= high", f"({low}, {high})")
    elif fit.truth.offset or not fit.truth.has_space:
        yield from _bracket_without_scale(fit, low, high)
    elif fit.truth.p != 2.0:
        yield from _bracket_of_a_norm(fit, low, high)
    else:
        best = fit.truth.best
        if best.surely_below(low):
            yield Broken(f"margin_bracket_: low <= best{_hair(low, float(best))}",
                         f"low {low!r}, best {float(best)!r}")  # fmt: skip
        if best.surely_above(high):
            yield Broken(f"margin_bracket_: best <= high{_hair(high, float(best))}",
                         f"high {high!r}, best {float(best)!r}")  # fmt: skip


def _hair(claim: float, truth: float) -> str:
    """A mark for claims that only the last bits make false."""
    return " (by rounding)" if abs(claim - truth) <= 1e-12 * abs(truth) else ""


def _bracket_without_scale(fit: Fit, low: float, high: float) -> Iterator[Broken]:
    """With a fixed offset, or without a space, nothing bounds a margin but that it has a sign."""
    if low > 0 and not fit.truth.separable:
        yield Broken("margin_bracket_: low > 0 only if separable", f"low {low!r}")
    if fit.truth.separable and (high <= 0 or (fit.truth.offset and high < inf)):
        yield Broken("margin_bracket_: no bound without a scale", f"high {high!r}")


def _bracket_of_a_norm(fit: Fit, low: float, high: float) -> Iterator[Broken]:
    found = fit.truth.dual_bounds
    least, most = min(b.low for b in found), min(b.high for b in found)
    if low > 0 and low > most:
        yield Broken("margin_bracket_: low <= best (p-norm)", f"low {low!r}, best <= {most!r}")
    if high < least:
        yield Broken("margin_bracket_: best <= high (p-norm)", f"high {high!r}, best >= {least!r}")


def radius(fit: Fit) -> Iterator[Broken]:
    """radius_ is the largest length of an example of the last call."""
    claim = fit.clf.radius_
    if not fit.recent.has_space:
        return
    single = FLOATS[fit.case.dtype] is np.float32 and fit.truth.kernel is not None
    part = 1e-4 if single else 1e-12
    true = _radius(fit.recent)
    if not abs(claim - true) <= part * true + 1e-323:
        yield Broken("radius_", f"{claim!r}, really {true!r}")


def _radius(truth: Truth) -> float:
    if truth.p == 2.0:
        return root(truth.radius_squared)
    rows = [[*map(float, row), float(truth.bias)] for row in truth.rows]
    largest = max(abs(x) for row in rows for x in row)
    if truth.p == inf or largest == 0:
        return largest
    scaled = [[abs(x) / largest for x in row] for row in rows]
    return largest * max(float(sum(x**truth.p for x in row)) ** (1 / truth.p) for row in scaled)


def converged(fit: Fit) -> Iterator[Broken]:
    """converged_: the last hypothesis has a positive margin on every training example."""
    if not fit.clf.converged_:
        return
    if fit.truth.p == 2.0 and not fit.truth.separable:
        yield Broken("converged_: the data are separable", "they are not")
    if fit.last is not None and not fit.last.separates:
        least = min(m.value for problem in fit.last.margins for m in problem)
        yield Broken("converged_: the last hypothesis separates", f"a margin is {float(least):.3g}")
    low = fit.clf.margin_bracket_[0]
    if fit.truth.kernel is None and not fit.truth.offset and low <= 0:
        yield Broken("converged_: margin_bracket_ has a lower end", f"low {low!r}")


def rest(fit: Fit) -> Iterator[Broken]:
    """Where learning ended by itself, the rule asks for no update on any example."""
    at_rest = fit.clf.converged_ or any("came to rest" in text for text in fit.warned)
    more = fit.one_more_pass(zeros=False) if at_rest else None
    if more:
        yield Broken("at rest: one more pass makes no update", f"it makes {more}")


def errors(fit: Fit) -> Iterator[Broken]:
    """pass_errors_: errors of the hypothesis that the last pass left."""
    claim = int(fit.clf.pass_errors_[-1])
    if claim < 0 or fit.last_on_recent is None:
        return
    least, most = fit.last_on_recent.errors
    if not least <= claim <= most:
        yield Broken("pass_errors_: errors after the last pass", f"{claim}, really {least}-{most}")


def journal(fit: Fit) -> Iterator[Broken]:
    """The journal makes the run again: weights, mistakes and errors of every pass."""
    updates = sum(sum(j.passes["updates"]) for j in fit.journals)
    if fit.case.way == "fit" and updates != fit.clf.n_updates_:
        yield Broken("n_updates_ is the sum over the passes", f"{fit.clf.n_updates_}, {updates}")
    if not replayable(fit):
        return
    for number, one in enumerate(fit.journals):
        made = Replay(fit, number)
        seen = visits(fit, one)
        end = 0
        for p, length in enumerate(one.passes["visits"]):
            if seen is not None:
                yield from _mistakes(made, next(seen), one.passes["mistakes"][p], p)
            end += length
            made.until(end)
            claim, (least, most) = one.passes["errors"][p], made.errors()
            if claim >= 0 and not least <= claim <= most:
                yield Broken("pass_errors_: recount", f"pass {p}: {claim}, really {least}-{most}")
        yield from _replayed(fit, number, made)


def _replayed(fit: Fit, number: int, made: Replay) -> Iterator[Broken]:
    """The weights that the journal ends with are those of the estimator."""
    shown = fit.shows_last
    if shown is None:
        return
    part = slice(None) if made.native else slice(number, number + 1)
    coef, intercept = shown.coef_[part], shown.intercept_[part]
    off = made.strays(coef, intercept - float(fit.truth.offset), fit.truth.bias)
    if off > 1e-9:
        yield Broken("journal_ leads to the last hypothesis", f"off by a part of {off:.3g}")
    batch = fit.case.name == "BatchPerceptron" and fit.clf.method == "batch"
    ends = list(fit.journals[number].replay(fit.case.X[fit.truth.kept]))
    if ends and not batch and not np.array_equal(ends[-1][0][:, :-1], coef):
        yield Broken("journal_.replay ends in the same bits", f"{ends[-1][0]} {coef}")


def _mistakes(
    made: Replay, visited: list[tuple[int, int]], claim: int, number: int
) -> Iterator[Broken]:
    least = most = 0
    for visit, example in visited:
        made.until(visit)
        margin = made.margin(example)
        least += margin.wrong
        most += margin.maybe_wrong
    if not least <= claim <= most:
        yield Broken("pass_mistakes_: recount", f"pass {number}: {claim}, really {least}-{most}")


def votes(fit: Fit) -> Iterator[Broken]:
    """votes_: each visit is one vote."""
    given = getattr(fit.clf, "votes_", None)
    if given is None:
        return
    made = max(sum(j.passes["visits"]) for j in fit.journals)
    for one in given if isinstance(given, list) else [given]:
        if fit.case.way == "fit" and int(np.sum(one)) != made:
            yield Broken("votes_ sum to the visits", f"{int(np.sum(one))}, really {made}")


def bounds(fit: Fit) -> Iterator[Broken]:
    """What `bounds` reports about runs of the plain rule, and the inequalities of a trace."""
    from rosenblatt import bounds as every
    from rosenblatt import proof_trace

    usual = fit.rule == "plain" and fit.truth.kind == "binary" and fit.truth.kernel is None
    if not usual or len(fit.truth.rows[0]) > 4 or fit.case.weights is not None:
        return
    X, y = fit.case.X, np.array(fit.case.labels)
    try:
        found, trace = every(X, y, fit.clf), proof_trace(fit.clf, X=X, y=y)
    except ValueError as error:
        if len(str(error).split()) < WORDS_OF_AN_ERROR:
            yield Broken("bounds refuses in a sentence", str(error))
        return
    for row in found.rows:
        if row.applies and not row.value >= found.updates:
            yield Broken(f"bounds: {row.name}", f"{found.updates} updates, bound {row.value!r}")
    best = fit.truth.best
    for name, low in (("bounds", found.margin), ("proof_trace", trace.margin)):
        if best.surely_below(low):
            yield Broken(f"{name}: proved margin", f"{low!r}, best {float(best)!r}")
    if best.surely_above(found.margin_upper):
        yield Broken("bounds: margin_upper", f"{found.margin_upper!r}, best {float(best)!r}")
    if trace.margin > 0 and trace.fails is not None:
        yield Broken("proof_trace: all inequalities hold", trace.fails)


def finite_rate(fit: Fit) -> Iterator[Broken]:
    """Numbers of passes are what was asked for."""
    if fit.case.way == "fit" and fit.clf.n_iter_ > fit.case.options["max_iter"]:
        yield Broken("n_iter_ <= max_iter", str(fit.clf.n_iter_))
    if not isfinite(fit.clf.radius_):
        yield Broken("radius_ is finite", str(fit.clf.radius_))


def margins(fit: Fit) -> Iterator[Broken]:
    """margins(): the distance of each example, y·f(x)/|w|."""
    if fit.shows_last is not fit.clf or not hasattr(fit.clf, "coef_") or fit.truth.offset:
        return
    hypothesis = fit.last
    kind = fit.truth.kind
    if hypothesis is None or kind == "ovr" or fit.case.weights is not None:
        return
    if not fit.truth.bias and np.any(fit.clf.intercept_):
        return
    length = root(hypothesis.squares[0])
    with np.errstate(all="ignore"):
        found, _ = fit.clf.margins(fit.case.X, np.array(fit.case.labels))
    for claim, margin in zip(found, hypothesis.margins[0], strict=True):
        true = root(margin.value**2) * (1 if margin.value > 0 else -1) / length if length else 0.0
        slack = root(margin.slack**2) / length * 4 if length else 0.0
        if not abs(claim - true) <= slack + 1e-9 * abs(true) + 1e-300:
            yield Broken("margins()", f"{claim!r}, really {true!r}")
            return


CHECKS: tuple[Check, ...] = (
    numbers,
    bracket,
    radius,
    converged,
    rest,
    errors,
    journal,
    votes,
    finite_rate,
    margins,
    guarantees.check,
    guarantees.alma,
    words.summary,
    words.warned,
    bounds,
)
