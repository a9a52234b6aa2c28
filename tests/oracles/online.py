"""The linear perceptron family, each member written as its paper defines it: slow, plain, obvious.

X is (n, d), with a constant column if a bias is wanted; y is +-1 for two classes, 0..K-1 for many;
`order` lists the visited rows, passes one after the other. Every algorithm returns all hypotheses:
W[0] is the start and W[t + 1] what visit t left behind. Formulas write z for y x, m for w.z and
q for |x|^2. A tie is a mistake. Rules that divide by |x| leave the hypothesis alone when x = 0.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.integer]
Maybe = Array | None
Rule = Callable[[Array, Array, int, int], Maybe]
Variant = Literal["pa", "pa1", "pa2"]
Scheme = Literal["max", "uniform", "proportional"]


def _walk(rows: Array, order: Ints, start: Maybe, rule: Rule) -> Array:
    """All hypotheses of rule(w, row, i, updates so far), which answers None for no update."""
    W, k = [np.zeros(rows.shape[1]) if start is None else np.asarray(start, dtype=float)], 0
    for i in order:
        new = rule(W[-1], rows[i], i, k)
        k += new is not None
        W.append(W[-1] if new is None else new)
    return np.array(W)


def _signed(X: Array, y: Array) -> Array:
    return y[:, None] * X


# Two classes


def plain(
    X: Array, y: Array, order: Ints, eta0: float = 1.0, start: Maybe = None, weights: Maybe = None
) -> Array:
    """w += eta0 c z if m <= 0, with c the example's weight (Rosenblatt 1958)."""
    c = np.ones(len(X)) if weights is None else weights

    def rule(w: Array, z: Array, i: int, _: int) -> Maybe:
        return w + eta0 * c[i] * z if w @ z <= 0 else None

    return _walk(_signed(X, y), order, start, rule)


def normalised(X: Array, y: Array, order: Ints, eta0: float = 1.0, start: Maybe = None) -> Array:
    """w += eta0 z / |x| if m <= 0 (Blum & Dunagan 2002)."""

    def rule(w: Array, z: Array, *_: int) -> Maybe:
        return w + eta0 * z / np.sqrt(z @ z) if w @ z <= 0 and z.any() else None

    return _walk(_signed(X, y), order, start, rule)


def margin(
    X: Array, y: Array, order: Ints, theta: float, eta0: float = 1.0, start: Maybe = None
) -> Array:
    """w += eta0 z if m <= theta (Duda & Hart 1973)."""
    return uneven(X, y, order, theta, theta, eta0, start)


def uneven(
    X: Array,
    y: Array,
    order: Ints,
    theta_plus: float,
    theta_minus: float,
    eta0: float = 1.0,
    start: Maybe = None,
) -> Array:
    """w += eta0 z if m <= theta_y, a margin for each class (PAUM, Li et al. 2002).

    The paper steps its bias by eta0 y R^2; here a bias is a column of X like any other.
    """

    def rule(w: Array, z: Array, i: int, _: int) -> Maybe:
        return w + eta0 * z if w @ z <= (theta_plus if y[i] > 0 else theta_minus) else None

    return _walk(_signed(X, y), order, start, rule)


def relaxation(
    X: Array, y: Array, order: Ints, lam: float = 1.0, theta: float = 1.0, start: Maybe = None
) -> Array:
    """w += lam (theta - m) / q z if m <= theta (Agmon 1954; Motzkin & Schoenberg 1954)."""

    def rule(w: Array, z: Array, *_: int) -> Maybe:
        m = w @ z
        return w + lam * (theta - m) / (z @ z) * z if m <= theta and z.any() else None

    return _walk(_signed(X, y), order, start, rule)


def _pa_step(loss: float, q: float, variant: Variant, C: float) -> float:
    """PA: loss / q. PA-I: at most C. PA-II: loss / (q + 1 / 2C)."""
    return {"pa": loss / q, "pa1": min(C, loss / q), "pa2": loss / (q + 1 / (2 * C))}[variant]


def pa(
    X: Array,
    y: Array,
    order: Ints,
    variant: Variant = "pa",
    C: float = 1.0,
    start: Maybe = None,
    weights: Maybe = None,
) -> Array:
    """w += c tau z if 1 - m > 0, tau as above and c the example's weight (Crammer et al. 2006)."""
    c = np.ones(len(X)) if weights is None else weights

    def rule(w: Array, z: Array, i: int, _: int) -> Maybe:
        loss, q = 1 - float(w @ z), float(z @ z)
        return w + c[i] * _pa_step(loss, q, variant, C) * z if loss > 0 and q > 0 else None

    return _walk(_signed(X, y), order, start, rule)


def mira(X: Array, y: Array, order: Ints, beta: float = 0.0, start: Maybe = None) -> Array:
    """w += tau z, tau = (beta - m) / q clipped to [0, 1] (Crammer & Singer 2003).

    At w = 0 and beta = 0 this never leaves tau = 0, so there a tie takes tau = 1.
    """

    def rule(w: Array, z: Array, *_: int) -> Maybe:
        if not z.any():
            return None
        stuck = beta == 0 and not w.any()
        tau = 1.0 if stuck else min(1.0, (beta - float(w @ z)) / float(z @ z))
        return w + tau * z if tau > 0 else None

    return _walk(_signed(X, y), order, start, rule)


def romma(X: Array, y: Array, order: Ints, aggressive: bool = False) -> Array:
    """The shortest w' with w'·z >= 1 and w'·w >= |w|^2, if m <= 0 or, aggressive, m < 1.

    It is z / q if that meets the second condition, else ((q|w|^2 - m) w + |w|^2 (1 - m) z) /
    (q|w|^2 - m^2) (Li & Long 2002). With x parallel to w that is 0 / 0: the PA step then.
    """

    def rule(w: Array, z: Array, *_: int) -> Maybe:
        m, q, ww = float(w @ z), float(z @ z), float(w @ w)
        if q == 0 or not (m < 1 if aggressive else m <= 0):
            return None
        if m >= q * ww:
            return z / q
        if q * ww - m**2 <= 1e-12 * q * ww:
            return w + (1 - m) / q * z
        return ((q * ww - m) * w + ww * (1 - m) * z) / (q * ww - m**2)

    return _walk(_signed(X, y), order, None, rule)


def _norm(v: Array, p: float) -> float:
    return float((np.abs(v) ** p).sum() ** (1 / p))


def _link(v: Array, p: float) -> Array:
    """Gradient of |v|_p^2 / 2: sign(v_j) |v_j|^(p-1) / |v|_p^(p-2); the dual norm's inverts it."""
    return np.sign(v) * np.abs(v) ** (p - 1) / _norm(v, p) ** (p - 2) if v.any() else v


def alma(
    X: Array,
    y: Array,
    order: Ints,
    alpha: float,
    p: float = 2.0,
    B: float | None = None,
    C: float = 2**0.5,
) -> Array:
    """k-th update if m/|x|_p <= (1 - alpha) B sqrt((p-1) / k), B = 1 / alpha (Gentile 2001):

    w' = f^-1(f(w) + C / sqrt((p-1) k) z / |x|_p), w = w' / max(1, |w'|_q), f the dual q's link.
    """
    slack, q = (1 - alpha) * (1 / alpha if B is None else B), p / (p - 1)

    def rule(w: Array, z: Array, _: int, updates: int) -> Maybe:
        if not z.any():
            return None
        unit, k = z / _norm(z, p), updates + 1
        if w @ unit > slack * np.sqrt((p - 1) / k):
            return None
        new = _link(_link(w, q) + C / np.sqrt((p - 1) * k) * unit, p)
        return new / max(1.0, _norm(new, q))

    return _walk(_signed(X, y), order, None, rule)


def ballseptron(X: Array, y: Array, order: Ints, r: float, start: Maybe = None) -> Array:
    """w += z if m <= 0, w += z - r w / |w| if 0 < m / |w| <= r (Shalev-Shwartz & Singer 2005)."""

    def rule(w: Array, z: Array, *_: int) -> Maybe:
        m, length = w @ z, float(np.sqrt(w @ w))
        if m <= 0:
            return w + z
        return w + z - r * w / length if m / length <= r else None

    return _walk(_signed(X, y), order, start, rule)


def pdm(X: Array, y: Array, order: Ints, eps: float) -> Array:
    """w += z if m <= (1 - eps) |w|^2 / k after k updates (Panagiotakopoulos & Tsampouka 2011).

    A pass without update proves a margin above (1 - eps) times the best.
    """

    def rule(w: Array, z: Array, _: int, k: int) -> Maybe:
        return w + z if w @ z <= (1 - eps) * (w @ w) / max(k, 1) else None

    return _walk(_signed(X, y), order, None, rule)


# Many classes: W is (visits + 1, K, d) and every update is w_r += tau_r x with sum(tau) = 0


def _top_rival(scores: Array, label: int) -> int:
    """First of the best-scored classes other than the label."""
    return int(np.argmax(np.where(np.arange(len(scores)) == label, -np.inf, scores)))


def multiclass_plain(
    X: Array, y: Ints, order: Ints, K: int, eta0: float = 1.0, scheme: Scheme = "max"
) -> Array:
    """tau_y = eta0, -eta0 shared over E = {r != y: w_r.x >= w_y.x} (Crammer & Singer 2003).

    All to the top score; evenly; or in proportion to w_r.x - w_y.x, evenly if these are all 0.
    """

    def rule(W: Array, x: Array, i: int, _: int) -> Maybe:
        scores, label = W @ x, y[i]
        errors = (scores >= scores[label]) & (np.arange(K) != label)
        if not errors.any():
            return None
        excess = np.where(errors, scores - scores[label], 0.0)
        if scheme == "max":
            share = np.eye(K)[_top_rival(scores, label)]
        elif scheme == "proportional" and excess.any():
            share = excess / excess.sum()
        else:
            share = errors / errors.sum()
        return W + eta0 * np.outer(np.eye(K)[label] - share, x)

    return _walk(X, order, np.zeros((K, X.shape[1])), rule)


def multiclass_pa(
    X: Array, y: Ints, order: Ints, K: int, variant: Variant = "pa", C: float = 1.0
) -> Array:
    """w_y += tau x, w_s -= tau x, s the top rival, if 1 - (w_y - w_s).x > 0 (Crammer et al. 2006).

    tau is the two-class step with 2q in place of q.
    """

    def rule(W: Array, x: Array, i: int, _: int) -> Maybe:
        scores, label = W @ x, y[i]
        rival = _top_rival(scores, label)
        loss = 1 - (scores[label] - scores[rival])
        if loss <= 0 or not x.any():
            return None
        tau = _pa_step(loss, 2 * float(x @ x), variant, C)
        return W + tau * np.outer(np.eye(K)[label] - np.eye(K)[rival], x)

    return _walk(X, order, np.zeros((K, X.shape[1])), rule)


def _onto_simplex(v: Array) -> Array:
    """Nearest point max(0, v - phi) of the simplex, phi = max_j (sum of the j top v's - 1) / j."""
    phi = np.max((np.cumsum(np.sort(v)[::-1]) - 1) / np.arange(1, len(v) + 1))
    return np.maximum(0.0, v - phi)


def multiclass_mira(X: Array, y: Ints, order: Ints, K: int, beta: float = 0.0) -> Array:
    """min q/2 |tau|^2 + tau.s with tau <= e_y, sum(tau) = 0 (Crammer & Singer 2003).

    s_r = w_r.x + beta [r != y]; so e_y - tau is the simplex's nearest point to s / q + e_y.
    W = 0 and beta = 0 would stay at tau = 0: there tau_y = 1, taken evenly from all rivals.
    """

    def rule(W: Array, x: Array, i: int, _: int) -> Maybe:
        label, own = y[i], np.eye(K)[y[i]]
        scores = W @ x + beta * (1 - own)
        if not x.any():
            return None
        if beta == 0 and not W.any():
            return W + np.outer(own - (1 - own) / (K - 1), x)
        if scores[label] >= scores[_top_rival(scores, label)]:
            return None
        return W + np.outer(own - _onto_simplex(scores / (x @ x) + own), x)

    return _walk(X, order, np.zeros((K, X.shape[1])), rule)


# Readouts


def averaged(W: Array) -> Array:
    """Mean of W[1..T], the w after each visit: sum c_k v_k / T (Freund & Schapire 1999)."""
    return np.asarray(W[1:].mean(axis=0))


def voted_scores(W: Array, X_new: Array) -> Array:
    """sum of sign(W[t].x) over t = 1..T with sign(0) = -1; two classes (Freund & Schapire 1999)."""
    return np.asarray(np.where(X_new @ W[1:].T > 0, 1.0, -1.0).sum(axis=1))


def longest_run(order: Ints, X: Array, y: Array, W: Array) -> int:
    """The t at which the first of the longest-lived hypotheses W[t] began (Gallant 1990).

    A life is a run of visits classified correctly; a mistake or a change of w ends it, and counts
    neither for the old w nor for the new one. Without any, it is the last.
    """
    best, longest, born, run = len(order), 0, 0, 0
    for t, i in enumerate(order):
        if y[i] * (W[t] @ X[i]) <= 0 or (W[t + 1] != W[t]).any():
            born, run = t + 1, 0
            continue
        run += 1
        if run > longest:
            best, longest = born, run
    return best


# Bounds on the mistakes of the plain perceptron from zero; the rows are visits: X[order], y[order]


def _radius(X: Array) -> float:
    return float(np.sqrt((X**2).sum(axis=1).max()))


def novikoff(X: Array, y: Array, u: Array) -> float:
    """(R |u| / min z.u)^2 if u separates, else no bound (Novikoff 1962)."""
    gamma = (_signed(X, y) @ u).min() / np.sqrt(u @ u)
    return float((_radius(X) / gamma) ** 2) if gamma > 0 else np.inf


def fs_bound(X: Array, y: Array, u: Array, gamma: float) -> float:
    """((R + D) / gamma)^2, D^2 = sum max(0, gamma - z.u / |u|)^2 (Freund & Schapire 1999)."""
    short = np.maximum(0.0, gamma - _signed(X, y) @ u / np.sqrt(u @ u))
    return float(((_radius(X) + np.sqrt(short @ short)) / gamma) ** 2)


def hinge_bound(X: Array, y: Array, u: Array) -> float:
    """Largest k with k <= L + R |u| sqrt(k), L = sum max(0, 1 - z.u) (Gentile 2003)."""
    L, a = np.maximum(0.0, 1 - _signed(X, y) @ u).sum(), _radius(X) * np.sqrt(u @ u)
    return float(((a + np.sqrt(a**2 + 4 * L)) / 2) ** 2)
