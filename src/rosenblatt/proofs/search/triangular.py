"""Loops over a triangular factor and the shares of a convex combination."""

from __future__ import annotations

from math import nan, sqrt

from rosenblatt.proofs.checker.problem import Array


def forward(L: Array, right: Array) -> None:
    """Replace the right-hand side by L⁻¹ times it; L is lower triangular."""
    k = len(right)
    for j in range(k):
        if L[j, j] == 0:  # underflow: there is no solution
            right[:] = nan
            return
        right[j] /= L[j, j]
        for i in range(j + 1, k):
            right[i] -= L[i, j] * right[j]


def backward(L: Array, right: Array) -> None:
    """Replace the right-hand side by the inverse of the transpose of L times it."""
    k = len(right)
    for j in range(k - 1, -1, -1):
        rest = right[j]
        for i in range(j + 1, k):
            rest -= L[i, j] * right[i]
        right[j] = rest / L[j, j] if L[j, j] else nan


def move_towards(shares: Array, goal: Array) -> bool:
    """Move the shares to the goal, or until one is zero; return whether there."""
    theta, first = 1.0, -1
    for j in range(len(goal)):
        if goal[j] <= 0:
            step = shares[j] / max(shares[j] - goal[j], 5e-324)  # 0/0 counts as 0
            if first < 0 or step < theta:
                theta, first = min(step, 1.0), j
    if first < 0:
        for j in range(len(goal)):
            shares[j] = goal[j]
        return True
    for j in range(len(goal)):
        shares[j] = (1 - theta) * shares[j] + theta * goal[j]
    shares[first] = 0.0
    return False


def downdate(L: Array, j: int, k: int, lost: Array) -> None:
    """Remove row and column j of a matrix from its Cholesky factor of order k.

    `lost` holds column j below the diagonal, and is overwritten.
    """
    for column in range(k - 1):
        for row in range(max(j, column), k - 1):
            L[row, column] = L[row + 1, column if column < j else column + 1]
    # The rows below j lose a column; add what it contributed to the other columns.
    for m in range(j, k - 1):
        part = lost[m - j]
        hypotenuse = sqrt(L[m, m] * L[m, m] + part * part)
        cosine, sine = hypotenuse / L[m, m], part / L[m, m]
        L[m, m] = hypotenuse
        for row in range(m + 1, k - 1):
            L[row, m] = (L[row, m] + sine * lost[row - j]) / cosine
            lost[row - j] = cosine * lost[row - j] - sine * L[row, m]
