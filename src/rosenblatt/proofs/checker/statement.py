"""What a certificate proves, in English sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rosenblatt.theory.rounding import at_least, at_most


class Wording(NamedTuple):
    """Templates of the sentences of a statement."""

    separable: str
    updates: str  # follows `separable` where the number of updates is bounded
    inseparable: str
    # Follows `inseparable`: (more than two classes, weakly separable) -> sentence.
    weakly_separable: Mapping[tuple[bool, bool], str]
    undecided: str


CURRENT = Wording(
    separable="{examples} are separable: the weights classify every example correctly. "
    "The best margin is {margin}.",
    updates=" Started at zero, the perceptron makes at most {bound:,} updates on these examples, "
    "in any order.",
    inseparable="{examples} are not strictly separable: a convex combination of {support} signed "
    "examples is exactly zero.",
    weakly_separable={
        (False, True): " They are weakly separable: some hyperplane has no example on its wrong "
        "side and does not contain all examples. The best margin is exactly 0.",
        (False, False): " They are not weakly separable either: every hyperplane that does not "
        "contain all examples has at least one on its wrong side.",
        (True, True): " They are weakly separable: some weights score no example higher in another "
        "class than in its own, and at least one example lower in some other class. The best "
        "margin is exactly 0. A single class may still be strictly separable from the rest.",
        (True, False): " They are not weakly separable either: weights that score no example "
        "higher in another class than in its own score each example the same in all classes.",
    },
    undecided="{examples} may or may not be separable: neither is proved. The best margin is at "
    "most {upper}.",
)

# Files hold the statement of the version that wrote them. It must follow from the rest of the file
# word for word, so the wordings of earlier versions stay here.
EARLIER = Wording(
    separable="{examples} are separable: the weights classify each of them correctly. "
    "The best margin is {margin}.",
    updates=" No order of the examples makes the perceptron, started at zero, err more than "
    "{bound:,} times.",
    inseparable="{examples} are not strictly separable: {support} of them, signed and weighted, "
    "add up to exactly zero.",
    weakly_separable={
        (False, True): " They are weakly separable: a hyperplane has none on its wrong side, but "
        "some on it; the best margin is exactly 0.",
        (False, False): " Not even a hyperplane through some of them has none on its wrong side.",
        (True, True): " They are weakly separable: some weights score no example higher in another "
        "class than in its own, and at least one lower; the best margin is exactly 0. A class may "
        "well be separable from the rest, but not all from each other at once.",
        (True, False): " Not even with ties allowed can weights score each of them highest in its "
        "own class, unless they score all classes alike.",
    },
    undecided="{examples} are undecided: the best margin is at most {upper}.",
)


def state(certificate: Any, wording: Wording = CURRENT) -> str:
    """Return what a certificate proves, in one to four sentences."""
    examples = f"The {certificate.examples:,} examples"
    if certificate.target is not None:
        examples += f" (class {certificate.target} against the rest)"
    lower, upper = certificate.margin_bracket
    if certificate.verdict == "separable":
        found = wording.separable.format(examples=examples, margin=margin_range(lower, upper))
        bound = certificate.mistake_bound
        return found if bound is None else found + wording.updates.format(bound=bound)
    if certificate.verdict == "inseparable":
        found = wording.inseparable.format(examples=examples, support=len(certificate.support))
        weak = certificate.weakly_separable
        many = certificate.target is None and len(certificate.classes) > 2
        return found if weak is None else found + wording.weakly_separable[many, weak]
    return wording.undecided.format(examples=examples, upper=at_most(upper, 6))


def accepted_statements(certificate: Any) -> tuple[str, ...]:
    """Return the statements that a file with this certificate may hold."""
    return tuple(state(certificate, wording) for wording in (CURRENT, EARLIER))


def margin_range(lower: float, upper: float) -> str:
    """Return both ends of a bracket in words, or one number if they are printed alike.

    >>> margin_range(0.25, 0.36), margin_range(0.12345678, 0.12345679)
    ('between 0.25 and 0.36', '0.123457, to six digits')
    """
    if f"{lower:.6g}" == f"{upper:.6g}":
        return f"{lower:.6g}, to six digits"
    return f"between {at_least(lower, 6)} and {at_most(upper, 6)}"
