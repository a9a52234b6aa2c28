"""Certificates in a notebook."""

from __future__ import annotations

from typing import Any

from rosenblatt.markup import card, facts, paragraphs, short, table
from rosenblatt.proofs.checker.statement import margin_range
from rosenblatt.theory.rounding import at_most

SHOWN = 10  # classes, and examples of a combination


def html(certificate: Any) -> str:
    """Return what a certificate says, and the combination that proves it."""
    c = certificate
    low, high = c.margin_bracket
    margin = margin_range(low, high) if c.verdict == "separable" else f"at most {at_most(high, 6)}"
    more = len(c.classes) - SHOWN
    known = {
        "best margin": None if c.verdict == "inseparable" else margin,
        "examples": f"{c.examples:,}",
        "features": f"{c.features:,}",
        "classes": ", ".join(short(label) for label in c.classes[:SHOWN])
        + (f" and {more:,} more" if more > 0 else ""),
        "class against the rest": None if c.target is None else short(c.target),
        "data": c.digest,
    }
    statement = getattr(c, "statement", None)
    said = statement() if statement else repr(c)
    return card(c.verdict.capitalize(), paragraphs(said), facts(known), _combination(c))


def _combination(c: Any) -> str:
    """Return the largest coefficients of the combination, "" if there is none."""
    shares = list(zip(c.coefficients, c.support.tolist(), strict=True))
    if not shares:
        return ""
    shares.sort(key=lambda pair: (-pair[0], pair[1]))
    rows = [(f"{example:,}", f"{float(share):.4g}") for share, example in shares[:SHOWN]]
    rest = f", the largest {SHOWN}" if len(shares) > SHOWN else ""
    caption = f"the combination of {len(shares):,} signed examples{rest}"
    return table(["example", "share"], rows, caption)
