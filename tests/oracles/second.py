"""The second-order family, each member as its paper writes it: dense matrices, slow and plain.

X is (n, d), with a constant column if a bias is wanted; y is +-1; `order` lists the visited rows.
Every algorithm returns the means and the covariances: the start, then what each visit left behind.
With `full` False the covariance is kept diagonal by dropping the rest of its inverse, as Dredze,
Crammer & Pereira 2008 do. Formulas write S for the covariance, v for x'Sx and m for y mu.x.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Course = tuple[Array, Array]
Rule = Callable[[float, float], tuple[float, float] | None]


def _walk(X: Array, y: Array, order: Array, rule: Rule, full: bool, variance: float) -> Course:
    """All (mu, S) of rule(m, v), which gives alpha and beta, or None for no update.

    mu += alpha y S x; S -= beta S x x' S.
    """
    d = X.shape[1]
    means, spreads = [np.zeros(d)], [variance * np.eye(d)]
    for i in order:
        mu, S, x = means[-1], spreads[-1], X[i]
        v = float(x @ S @ x)
        made = rule(float(y[i] * (mu @ x)), v) if v > 0 else None
        if made is not None:
            alpha, beta = made
            mu = mu + alpha * y[i] * (S @ x)
            S = S - beta * np.outer(S @ x, S @ x)
            if not full:
                # The inverse grows by beta, by Woodbury's formula.
                old = spreads[-1]
                S = np.diag(1 / (1 / np.diag(old) + beta / (1 - beta * v) * x**2))
        means.append(mu)
        spreads.append(S)
    return np.array(means), np.array(spreads)


def second_order(X: Array, y: Array, order: Array, a: float = 1.0) -> Course:
    """Cesa-Bianchi et al. 2005, figure 3: predict with u'(a I + XX' + xx')^-1 x.

    On a mistake u += y x and x joins X. Shown as mu = S u, S = (a I + XX')^-1.
    """
    d = X.shape[1]
    A, u = a * np.eye(d), np.zeros(d)
    means, spreads = [np.zeros(d)], [np.linalg.inv(A)]
    for i in order:
        x = X[i]
        if y[i] * (u @ np.linalg.inv(A + np.outer(x, x)) @ x) <= 0 and x.any():
            u = u + y[i] * x
            A = A + np.outer(x, x)
        means.append(np.linalg.inv(A) @ u)
        spreads.append(np.linalg.inv(A))
    return np.array(means), np.array(spreads)


def second_order_diagonal(X: Array, y: Array, order: Array, a: float = 1.0) -> Course:
    """The same with the diagonal of XX' alone: mu = u / (a + sum of x² over the mistakes)."""
    d = X.shape[1]
    A, u = np.full(d, a), np.zeros(d)
    means, spreads = [np.zeros(d)], [np.diag(1 / A)]
    for i in order:
        x = X[i]
        if y[i] * ((u / A) @ x) <= 0 and x.any():
            u, A = u + y[i] * x, A + x**2
        means.append(u / A)
        spreads.append(np.diag(1 / A))
    return np.array(means), np.array(spreads)


def _beta(alpha: float, v: float, phi: float) -> float:
    """CW's beta = alpha phi / (sqrt(u) + v alpha phi), u the variance after the step."""
    u = 0.25 * (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) ** 2
    return float(alpha * phi / (np.sqrt(u) + v * alpha * phi))


def _cw_alpha(m: float, v: float, phi: float) -> float:
    psi, zeta = 1 + phi**2 / 2, 1 + phi**2
    root = np.sqrt(m**2 * phi**4 / 4 + v * phi**2 * zeta)
    return float(max(0.0, (-m * psi + root) / (v * zeta)))


def cw(X: Array, y: Array, order: Array, phi: float, full: bool) -> Course:
    """Crammer, Dredze & Kulesza 2008: the standard deviation's form."""

    def rule(m: float, v: float) -> tuple[float, float] | None:
        alpha = _cw_alpha(m, v, phi)
        return (alpha, _beta(alpha, v, phi)) if phi * np.sqrt(v) > m else None

    return _walk(X, y, order, rule, full, 1.0)


def cw_variance(X: Array, y: Array, order: Array, phi: float, full: bool) -> Course:
    """Dredze, Crammer & Pereira 2008: S^-1 += 2 alpha phi x x'."""

    def rule(m: float, v: float) -> tuple[float, float] | None:
        b = 1 + 2 * phi * m
        alpha = (-b + np.sqrt(b**2 - 8 * phi * (m - phi * v))) / (4 * phi * v)
        grown = 2 * alpha * phi
        return (float(alpha), grown / (1 + grown * v)) if alpha > 0 else None

    return _walk(X, y, order, rule, full, 1.0)


def arow(X: Array, y: Array, order: Array, r: float, full: bool) -> Course:
    """Crammer, Kulesza & Dredze 2009, figure 1: beta = 1/(v + r), alpha = max(0, 1 - m) beta."""

    def rule(m: float, v: float) -> tuple[float, float] | None:
        return ((1 - m) / (v + r), 1 / (v + r)) if m < 1 else None

    return _walk(X, y, order, rule, full, 1.0)


def scw1(X: Array, y: Array, order: Array, C: float, phi: float, full: bool) -> Course:
    """Wang, Zhao & Hoi 2012, proposition 1: CW's alpha, at most C."""

    def rule(m: float, v: float) -> tuple[float, float] | None:
        alpha = min(C, _cw_alpha(m, v, phi))
        return (alpha, _beta(alpha, v, phi)) if phi * np.sqrt(v) > m else None

    return _walk(X, y, order, rule, full, 1.0)


def scw2(X: Array, y: Array, order: Array, C: float, phi: float, full: bool) -> Course:
    """Wang, Zhao & Hoi 2012, proposition 2, n = v + 1/(2C)."""

    def rule(m: float, v: float) -> tuple[float, float] | None:
        n = v + 1 / (2 * C)
        gamma = phi * np.sqrt(phi**2 * m**2 * v**2 + 4 * n * v * (n + v * phi**2))
        alpha = max(0.0, (-(2 * m * n + phi**2 * m * v) + gamma) / (2 * (n**2 + n * v * phi**2)))
        return (float(alpha), _beta(alpha, v, phi)) if phi * np.sqrt(v) > m else None

    return _walk(X, y, order, rule, full, 1.0)


def nherd(X: Array, y: Array, order: Array, C: float, full: bool) -> Course:
    """Crammer & Lee 2010: alpha = max(0, 1 - m)/(v + 1/C), beta = (C^2 v + 2 C)/(1 + C v)^2."""

    def rule(m: float, v: float) -> tuple[float, float] | None:
        beta = (C**2 * v + 2 * C) / (1 + C * v) ** 2
        return ((1 - m) / (v + 1 / C), beta) if m < 1 else None

    return _walk(X, y, order, rule, full, 1.0)
