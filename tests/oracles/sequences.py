"""The structured perceptron by its definition: every labelling is tried.

After Collins 2002: plain Python, dictionaries of weights, no dynamic programme. A sentence is a
list of dicts of features; its labels are numbers.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

START = "start"


def phi(sentence, labels, order=1):
    """The vector of a labelling: features at labels, and transitions."""
    found = Counter()
    histories = [START] * order
    for token, label in zip(sentence, labels, strict=True):
        for feature, value in token.items():
            found[feature, label] += value
        for k in range(1, order + 1):
            found["transition", *histories[-k:], label] += 1
        histories = [*histories, label][-order:]
    return found


def difference(one, other):
    """One vector less another, without zeros."""
    keys = one.keys() | other.keys()
    return {key: one[key] - other[key] for key in keys if one[key] != other[key]}


def dot(w, x):
    """The inner product."""
    return sum(w.get(key, 0.0) * value for key, value in x.items())


def anything(before, label):
    """Every transition is allowed; None stands for the beginning and the end."""
    return True


def labellings(n, classes, follows=anything):
    """All labellings of n tokens that are allowed."""
    for labels in product(range(classes), repeat=n):
        ends = [None, *labels, None]
        if all(follows(a, b) for a, b in pairwise(ends)):
            yield labels


def scored(w, sentence, classes, follows=anything, order=1):
    """All labellings with their scores, the best first."""
    found = [
        (dot(w, phi(sentence, z, order)), z) for z in labellings(len(sentence), classes, follows)
    ]
    return sorted(found, key=lambda pair: (-pair[0], pair[1]))


def look(w, sentence, gold, classes, follows=anything, order=1):
    """The lead of gold over the best wrong labelling, and the labellings with that score."""
    own = dot(w, phi(sentence, gold, order))
    wrong = [(s, z) for s, z in scored(w, sentence, classes, follows, order) if z != tuple(gold)]
    if not wrong:
        return float("inf"), []
    best = wrong[0][0]
    return own - best, [z for s, z in wrong if abs(s - best) <= 1e-9]


def train(sentences, golds, classes, order_of_visits, step, rival_of=None, order=1):
    """Learn; return the last weights, the sum of the weights after each visit, and the mistakes.

    `step(margin, norm2)` is how far to go. Of rivals that tie, `rival_of(visit)` names the one that
    was taken; it must be among the best.
    """
    w, total, mistakes = {}, Counter(), 0
    for visit, i in enumerate(order_of_visits):
        margin, rivals = look(w, sentences[i], golds[i], classes, order=order)
        mistakes += margin <= 0
        if rivals:
            asked = None if rival_of is None else rival_of(visit)
            assert asked is None or asked in rivals
            rival = phi(sentences[i], asked or rivals[0], order)
            x = difference(phi(sentences[i], golds[i], order), rival)
            a = step(margin, dot(x, x))
            for key, value in x.items():
                w[key] = w.get(key, 0.0) + a * value
        total.update(w)
    return w, total, mistakes
