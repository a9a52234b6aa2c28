"""Rules as a user may write them; few, since each is compiled once in every process."""

from __future__ import annotations

from rosenblatt import Look


def adaline(look: Look) -> tuple[float, float]:
    """Widrow and Hoff's rule, whose steps are negative where the margin is above 1."""
    return 0.01 * (1.0 - look.m), 1.0


def hinge(look: Look) -> tuple[float, float]:
    """A constant step below margin 1."""
    return (0.5 if look.m < 1.0 else 0.0), 1.0


def decaying(look: Look) -> tuple[float, float]:
    """The plain rule with weights that fade at each update."""
    return (1.0 if look.m <= 0.0 else 0.0), (0.9 if look.m <= 0.0 else 1.0)


def backwards(look: Look) -> tuple[float, float]:
    """A rule that unlearns what is too right."""
    if look.m <= 0.0:
        return 1.0, 1.0
    return (-0.25 if look.m > 4.0 else 0.0), 1.0


OWN = {rule.__name__: rule for rule in (adaline, hinge, decaying, backwards)}
