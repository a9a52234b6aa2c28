"""Make a case that breaks a claim as simple as it can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.laws.claims.case import Case

TRIES = 300


def shrink(case: Case, breaks: Callable[[Case], bool]) -> Case:
    """The simplest case on the way down that still breaks the claim."""
    tries = 0
    while True:
        for simpler in _simpler(case):
            tries += 1
            if tries > TRIES:
                return case
            if breaks(simpler):
                case = simpler
                break
        else:
            return case


def _simpler(case: Case) -> Iterator[Case]:
    """Cases that are simpler by one change each, the largest changes first."""
    if case.way != "fit":
        yield replace(case, way="fit", cuts=[], announce=None)
        if len(case.cuts) > 1:
            yield replace(case, cuts=case.cuts[:1])
    for change in ({"weights": None}, {"start": None}, {"sparse": False}, {"dtype": "float64"}):
        if any(getattr(case, name) != value for name, value in change.items()):
            yield replace(case, **change)
    for name in case.options:
        if name not in ("max_iter", "random_state", "kernel", "gamma"):
            yield replace(case, options={k: v for k, v in case.options.items() if k != name})
    yield from _fewer_rows(case)
    yield from _fewer_columns(case)
    for passes in (1, 2, 3, 5, 8):
        if passes < case.options["max_iter"]:
            yield case.with_options(max_iter=passes)
    yield from _rounder(case)


def _fewer_rows(case: Case) -> Iterator[Case]:
    if len(case.labels) <= 2 or case.way != "fit":
        return
    square = case.options.get("kernel") == "precomputed"
    for i in range(len(case.labels)):
        keep = [k for k in range(len(case.labels)) if k != i]
        table = [case.table[k] for k in keep]
        if square:
            table = [[row[k] for k in keep] for row in table]
        weights = None if case.weights is None else [case.weights[k] for k in keep]
        yield replace(case, table=table, labels=[case.labels[k] for k in keep], weights=weights)


def _fewer_columns(case: Case) -> Iterator[Case]:
    width = len(case.table[0])
    if case.options.get("kernel") == "precomputed":
        return
    for j in range(width if width > 1 else 0):
        table = [row[:j] + row[j + 1 :] for row in case.table]
        start = case.start
        if start is not None:
            start = [row[:j] + row[j + 1 :] for row in start[0]], start[1]
        yield replace(case, table=table, start=start)


def _rounder(case: Case) -> Iterator[Case]:
    """Numbers with fewer digits."""
    for digits in (0, 1, 2, 4):
        table = [[float(f"{v:.{digits}e}") for v in row] for row in case.table]
        if table != case.table:
            yield replace(case, table=table)
