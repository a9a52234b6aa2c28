"""AdaTron, descent on the perceptron criterion and learning through a link, as papers define them.

As in `oracles`: X is (n, d) with a constant column if a bias is wanted, y is +-1 or 0..K-1.
"""

import numpy as np

from tests.oracles.online import Array, Ints, Maybe, _link, _signed, _walk


def adatron(X: Array, y: Array, order: Ints, eta0: float = 1.0, C: float = np.inf) -> Array:
    """alpha_i <- clip(alpha_i + eta0 (1 - sum_j alpha_j z_j.z_i) / |z_i|^2, 0, C), w = sum alpha z.

    Anlauf & Biehl 1989, by the Gram matrix; the cap is that of the soft margin.
    """
    Z = _signed(X, y)
    G, alpha, W = Z @ Z.T, np.zeros(len(Z)), [np.zeros(X.shape[1])]
    for i in order:
        if G[i, i] > 0:
            alpha[i] = np.clip(alpha[i] + eta0 * (1 - G[i] @ alpha) / G[i, i], 0.0, C)
        W.append(alpha @ Z)
    return np.array(W)


def descent(X: Array, y: Array, order: Ints, eta0: float = 1.0, power: float = 0.0) -> Array:
    """w += eta0 / k^power z at the k-th mistake (Duda & Hart 1973, single-sample procedure)."""

    def rule(w: Array, z: Array, _: int, k: int) -> Maybe:
        return w + eta0 / (k + 1) ** power * z if w @ z <= 0 else None

    return _walk(_signed(X, y), order, None, rule)


def criterion(X: Array, y: Array, w: Array, weights: Array) -> float:
    """-(sum of the weighted margins that are not positive)."""
    return -sum(c * (w @ z) for z, c in zip(_signed(X, y), weights, strict=True) if w @ z <= 0)


def batch(
    X: Array, y: Array, passes: int, eta0: float = 1.0, power: float = 0.0, weights: Maybe = None
) -> Array:
    """w += eta0 / k^power (sum of c z over the mistakes), one step a pass (Duda & Hart 1973)."""
    Z, c = _signed(X, y), np.ones(len(X)) if weights is None else weights
    W = [np.zeros(X.shape[1])]
    for k in range(passes):
        gradient = np.zeros(X.shape[1])
        for z, share in zip(Z, c, strict=True):
            if W[-1] @ z <= 0:
                gradient -= share * z
        W.append(W[-1] - eta0 / (k + 1) ** power * gradient)
    return np.array(W)


def multiclass_batch(X: Array, y: Ints, passes: int, K: int) -> Array:
    """w_y += x, w_r -= x for all mistakes at once, r the first of the best wrong classes."""
    W = [np.zeros((K, X.shape[1]))]
    for _ in range(passes):
        new = W[-1].copy()
        for x, label in zip(X, y, strict=True):
            scores = W[-1] @ x
            rival = max((r for r in range(K) if r != label), key=lambda r: scores[r])
            if scores[label] <= scores[rival]:
                new[label] += x
                new[rival] -= x
        W.append(new)
    return np.array(W)


def p_norm(X: Array, y: Array, order: Ints, p: float, eta0: float = 1.0) -> Array:
    """w = f(theta), f the gradient of |theta|_p^2 / 2; theta += eta0 z if w.z <= 0.

    Grove, Littlestone & Schuurmans 2001.
    """
    theta, W = np.zeros(X.shape[1]), [np.zeros(X.shape[1])]
    Z = _signed(X, y)
    for i in order:
        if W[-1] @ Z[i] <= 0:
            theta = theta + eta0 * Z[i]
        W.append(_link(theta, p))
    return np.array(W)


def balanced_winnow(X: Array, y: Array, order: Ints, eta0: float) -> Array:
    """u *= exp(eta0 z), v *= exp(-eta0 z) if (u - v).z <= 0; W holds u - v (Littlestone 1989)."""
    u, v, Z = np.ones(X.shape[1]), np.ones(X.shape[1]), _signed(X, y)
    W = [u - v]
    for i in order:
        if (u - v) @ Z[i] <= 0:
            u, v = u * np.exp(eta0 * Z[i]), v * np.exp(-eta0 * Z[i])
        W.append(u - v)
    return np.array(W)
