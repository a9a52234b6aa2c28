"""Kernel perceptrons on a budget, each written naively from its paper.

Hypotheses are lists of (example, coefficient), oldest first; every score is summed afresh. An
example that is held already gets its step without a new place. `words` are the random numbers, one
for each visit. All return the list and the number of mistakes.
"""

from __future__ import annotations

from math import sqrt

import numpy as np


def _score(held, K, i):
    return sum(coef * K[j, i] for j, coef in held)


def _place(held, i):
    found = [p for p, (j, _) in enumerate(held) if j == i]
    return found[0] if found else None


def _raise(held, place, by):
    held[place] = (held[place][0], held[place][1] + by)


def perceptron(K, y, order, budget, words, how):
    """The perceptron that stops, forgets the oldest, or a random one when it is full."""
    held, mistakes = [], 0
    for t, i in enumerate(order):
        if y[i] * _score(held, K, i) > 0:
            continue
        mistakes += 1
        place = _place(held, i)
        if place is not None:
            _raise(held, place, y[i])
            continue
        if len(held) == budget:
            if how == "stop":
                continue
            held.pop(0 if how == "oldest" else int(words[t] * budget))
        held.append((i, y[i]))
    return held, mistakes


def forgetron(K, y, order, budget, words):
    """Dekel, Shalev-Shwartz & Singer 2008, the self-tuned form; the factor found by bisection."""
    held, mistakes, damage, history = [], 0, 0.0, []
    for i in order:
        if y[i] * _score(held, K, i) > 0:
            continue
        mistakes += 1
        place = _place(held, i)
        if place is not None:
            _raise(held, place, y[i])
            continue
        held.append((i, float(y[i])))
        if len(held) <= budget:
            continue
        r, coef = held[0]
        sigma, mu = abs(coef), y[r] * _score(held, K, r)

        def psi(f, sigma=sigma, mu=mu, q=K[r, r]):
            return (sigma * f) ** 2 * q + 2 * sigma * f * (1 - f * mu)

        # The largest factor up to 1 that is allowed: look downwards for the first, then bisect.
        allowed = 15 / 32 * mistakes
        if damage + psi(1.0) <= allowed:
            f = 1.0
        else:
            grid = np.linspace(1.0, 0.0, 2001)
            first = next(g for g in grid if damage + psi(g) <= allowed)
            low, high = first, first + 1 / 2000
            for _ in range(80):
                middle = (low + high) / 2
                low, high = (middle, high) if damage + psi(middle) <= allowed else (low, middle)
            f = low
        damage += psi(f)
        held = [(j, c * f) for j, c in held[1:]]
        history.append((damage, allowed, f))
    return held, mistakes, history


def projectron(K, y, order, budget, eta, plus=False):
    """Orabona, Keshet & Caputo 2009; the projection by solving the linear system each time."""
    held, mistakes = [], 0
    for i in order:
        m = y[i] * _score(held, K, i)
        if m >= 1 or (m > 0 and not plus):
            continue
        mistakes += m <= 0
        numbers = [j for j, _ in held]
        k = K[numbers, i]
        if i in numbers:
            d = np.array([float(j == i) for j in numbers])
            delta2 = 0.0
        else:
            d = np.linalg.solve(K[np.ix_(numbers, numbers)], k) if numbers else np.zeros(0)
            delta2 = max(0.0, K[i, i] - k @ d)
        delta = sqrt(delta2)
        if m <= 0:
            if delta > eta and delta2 > 1e-10 * K[i, i] and len(held) < budget:
                held.append((i, float(y[i])))
            else:
                held = [(j, c + y[i] * x) for (j, c), x in zip(held, d, strict=True)]
        else:
            loss, square = 1 - m, K[i, i] - delta2
            if loss > delta / eta:
                tau = min(loss / square, 2 * (loss - delta / eta) / square, 1.0)
                held = [(j, c + tau * y[i] * x) for (j, c), x in zip(held, d, strict=True)]
    return held, mistakes


def bpa_s(K, y, order, budget, C):
    """Wang & Vucetic 2010: for every example that might go, the objective of the paper."""
    held, mistakes = [], 0
    for i in order:
        f = _score(held, K, i)
        loss = max(0.0, 1 - y[i] * f)
        mistakes += y[i] * f <= 0
        if loss == 0:
            continue
        tau = min(C, loss / K[i, i])
        place = _place(held, i)
        if place is not None:
            _raise(held, place, tau * y[i])
            continue
        if len(held) < budget:
            held.append((i, tau * y[i]))
            continue
        best = None
        for p, (r, alpha) in enumerate(held):
            beta = alpha * K[r, i] / K[i, i] + tau * y[i]
            moved = alpha**2 * K[r, r] + beta**2 * K[i, i] - 2 * alpha * beta * K[r, i]
            left = max(0.0, 1 - y[i] * (f - alpha * K[r, i] + beta * K[i, i]))
            objective = 0.5 * moved + C * left
            if best is None or objective < best[0] - 1e-12:
                best = (objective, p, beta)
        held.pop(best[1])
        held.append((i, best[2]))
    return held, mistakes


def bogd(K, y, order, budget, words, eta0, lam):
    """Zhao et al. 2012, uniform sampling."""
    held, mistakes = [], 0
    for t, i in enumerate(order):
        m = y[i] * _score(held, K, i)
        mistakes += m <= 0
        held = [(j, c * (1 - eta0 * lam)) for j, c in held]
        if m >= 1:
            continue
        place = _place(held, i)
        if place is not None:
            _raise(held, place, eta0 * y[i])
            continue
        if len(held) == budget:
            held.pop(int(words[t] * budget))
        held.append((i, eta0 * y[i]))
    return held, mistakes
