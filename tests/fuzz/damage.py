"""Ways to damage a file, each drawn from random numbers."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.containers import Container, Content

HUGE = (
    1 << 31, (1 << 31) - 1, 1 << 32, 1 << 40, 1 << 53, (1 << 62) - 1, 1 << 62, (1 << 63) - 1,
    1 << 63, (1 << 64) - 1, 1 << 64, 10**30, 10**6,
)  # fmt: skip
REALS = (float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 1e160, 5e-324, -0.0, 1e-200)
DTYPES = ("f4", "f2", "f8", "i1", "u1", "i4", "u4", "i8", "u8", "b1", ">f8", ">i8")
DEPTHS = (50, 400, 3_000, 100_000)
MEMBERS = (
    "Perceptron", "AveragedPerceptron", "VotedPerceptron", "PocketPerceptron", "KernelPerceptron",
    "AROW", "SecondOrderPerceptron", "Winnow", "Forgetron", "MIRA", "PassiveAggressive", "ALMA",
    "PerceptronClassifier", "BatchPerceptron", "Minover", "Last", "Averaged", "Voted", "Pocket",
    "Fewest", "Linear", "Expansion", "VotedRuns", "History", "Sum", "PerClass", "RunState", "State",
    "Tally", "Pass", "Plain", "Precomputed", "Similarity", "Journal", "Updates", "Counters",
)  # fmt: skip
FORMATS = (
    "rosenblatt-model/1", "rosenblatt-model/3", "rosenblatt-model/2x", "rosenblatt-state/0",
    "rosenblatt-state/2", "rosenblatt-journal/2", "rosenblatt-certificate/9", "", 7, None, [],
)  # fmt: skip
ODD = (
    None, True, False, 0, 1, -1, 2, 3.5, -2.0, 1e300, "", "a", "nan", "-1", [], {}, [[]], [1, 2],
    ["a"], {"a": 1}, {"float": "nan"}, {"float": "inf"}, {"float": "-inf"}, {"tuple": []},
    {"tuple": [1.0, 2.0]}, {"dict": {}}, {"map": []}, {"objects": []}, {"objects": ["a", 1]},
    {"strings": ["a", "b"], "width": 1}, {"record": "Last", "fields": {}},
    {"rows": "Pass", "values": []}, {"random": {"dict": {}}},
)  # fmt: skip

Path = tuple[Any, ...]


@dataclass
class Original:
    """A file before it is damaged."""

    raw: bytes
    container: Container

    def content(self) -> Content:
        """What it contains, as a copy."""
        return self.container.parse(self.raw)

    def rebuilt(self, content: Content) -> bytes:
        """A valid container of other content."""
        return self.container.build(self.container.text(content), content)


Way = Callable[[Random, Original], bytes]


# --- places in a tree ---------------------------------------------------------------------------


def places(tree: Any, path: Path = ()) -> Iterator[Path]:
    """Every place in a tree but its root."""
    items = (
        tree.items() if isinstance(tree, dict) else enumerate(tree if type(tree) is list else ())
    )
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def at(tree: Any, path: Path) -> Any:
    """What is at a place."""
    for key in path:
        tree = tree[key]
    return tree


def put(tree: Any, path: Path, value: Any) -> None:
    """Replace what is at a place."""
    at(tree, path[:-1])[path[-1]] = value


def some(draw: Random, tree: Any, test: Callable[[Any], bool] = lambda value: True) -> Path | None:
    """A random place whose value passes a test; shallow places as often as all deep ones."""
    found = [path for path in places(tree) if test(at(tree, path))]
    if not found:
        return None
    deepest = draw.choice((3, 6, 9, 99))
    return draw.choice([path for path in found if len(path) <= deepest] or found)


def in_tree(change: Callable[[Random, Any], None]) -> Way:
    """A way that changes the tree."""

    def way(draw: Random, original: Original) -> bytes:
        content = original.content()
        change(draw, content.tree)
        return original.rebuilt(content)

    return way


def in_array(change: Callable[[Random, np.ndarray], np.ndarray]) -> Way:
    """A way that changes one array; files without arrays lose a field."""

    def way(draw: Random, original: Original) -> bytes:
        content = original.content()
        if not content.arrays:
            return missing(draw, original)
        name = draw.choice(sorted(content.arrays))
        content.arrays[name] = change(draw, content.arrays[name])
        return original.rebuilt(content)

    return way


# --- bytes --------------------------------------------------------------------------------------


def bits(draw: Random, original: Original) -> bytes:
    """Flip some bits."""
    raw = bytearray(original.raw)
    for _ in range(draw.choice((1, 1, 2, 8))):
        raw[draw.randrange(len(raw))] ^= 1 << draw.randrange(8)
    return bytes(raw)


def truncated(draw: Random, original: Original) -> bytes:
    """Leave out the end, the beginning or a part in between."""
    raw, first = original.raw, draw.randrange(len(original.raw))
    last = first + draw.choice((1, 8, 64, len(raw)))
    return draw.choice((raw[:first], raw[first:], raw[:first] + raw[last:]))


def inserted(draw: Random, original: Original) -> bytes:
    """Insert bytes, or write over some."""
    raw, place = original.raw, draw.randrange(len(original.raw))
    more = draw.randbytes(draw.choice((1, 4, 16)))
    return raw[:place] + more + raw[place + draw.choice((0, len(more))) :]


def header(draw: Random, original: Original) -> bytes:
    """Change characters of the text in a valid container."""
    content = original.content()
    text = original.container.text(content)
    for _ in range(draw.choice((1, 1, 3))):
        place = draw.randrange(len(text))
        new = draw.choice('0123456789.-e"{}[],: nulltruefalse\\\x00é')
        text = text[:place] + new + text[place + draw.choice((0, 1)) :]
    return original.container.build(text, content)


def duplicated(draw: Random, original: Original) -> bytes:
    """Give an object the same key twice, with another value."""
    content = original.content()
    text = original.container.text(content)
    opened = [place for place, sign in enumerate(text) if sign == "{"]
    place = draw.choice(opened) + 1
    key = json.dumps(text[place:].split('"', 2)[1]) if text[place:].startswith('"') else '"a"'
    double = f"{key}: {json.dumps(draw.choice(ODD))}, "
    return original.container.build(text[:place] + double + text[place:], content)


def nested(draw: Random, original: Original) -> bytes:
    """Nest a value deeply."""
    content, mark = original.content(), "@nested@"
    put(content.tree, some(draw, content.tree) or ("deep",), mark)
    depth = draw.choice(DEPTHS)
    first, last = draw.choice((("[", "]"), ('{"a": ', "}"), ('{"tuple": [', "]}")))
    deep = first * depth + draw.choice(("1", "")) + last * depth
    text = original.container.text(content).replace(json.dumps(mark), deep)
    return original.container.build(text, content)


# --- fields -------------------------------------------------------------------------------------


@in_tree
def missing(draw: Random, tree: Any) -> None:
    """Leave out a field or an element."""
    path = some(draw, tree)
    if path is not None:
        at(tree, path[:-1]).pop(path[-1])


@in_tree
def odd(draw: Random, tree: Any) -> None:
    """Put an odd value in some places."""
    for _ in range(draw.choice((1, 1, 2))):
        path = some(draw, tree)
        if path is not None:
            put(tree, path, copy.deepcopy(draw.choice(ODD)))


@in_tree
def moved(draw: Random, tree: Any) -> None:
    """Put a part of the tree in place of another, or exchange two."""
    one, other = some(draw, tree), some(draw, tree)
    if one is None or other is None:
        return
    first, second = copy.deepcopy(at(tree, one)), copy.deepcopy(at(tree, other))
    put(tree, one, second)
    if draw.random() < 0.5 and one != other[: len(one)]:
        put(tree, other, first)


def _whole(value: Any) -> bool:
    return type(value) is int


@in_tree
def huge(draw: Random, tree: Any) -> None:
    """Make an integer huge."""
    path = some(draw, tree, lambda value: type(value) in (int, float)) or some(draw, tree)
    if path is not None:
        put(tree, path, draw.choice((1, -1)) * draw.choice(HUGE))


@in_tree
def negative(draw: Random, tree: Any) -> None:
    """Make a counter negative."""
    path = some(draw, tree, _whole) or some(draw, tree)
    if path is not None:
        value = at(tree, path)
        put(tree, path, -draw.choice((1, 2, 1000)) if not value or not _whole(value) else -value)


@in_tree
def shifted(draw: Random, tree: Any) -> None:
    """Change a number a little, or by a large factor."""
    path = some(draw, tree, lambda value: type(value) in (int, float))
    if path is not None:
        value = at(tree, path)
        put(tree, path, draw.choice((value + 1, value - 1, 2 * value, 1000 * value, -value, 0)))


@in_tree
def wrong_member(draw: Random, tree: Any) -> None:
    """Put another name in place of that of an estimator, a record or a setting."""
    names = [p for p in places(tree) if p[-1] in ("estimator", "record", "rows", "rule", "verdict")]
    path = draw.choice(names) if names and draw.random() < 0.8 else None
    path = path or some(draw, tree, lambda value: isinstance(value, str))
    if path is not None:
        put(tree, path, draw.choice(MEMBERS))


@in_tree
def wrong_version(draw: Random, tree: Any) -> None:
    """Change a format or a version."""
    names = [path for path in places(tree) if path[-1] in ("format", "version", "library")]
    if names:
        put(tree, draw.choice(names), draw.choice(FORMATS))


@in_tree
def renamed(draw: Random, tree: Any) -> None:
    """Change the name of a field, or let an array stand for another."""
    path = some(draw, tree, lambda value: isinstance(value, dict) and bool(value))
    if path is not None:
        found = at(tree, path)
        key = draw.choice(list(found))
        found[draw.choice((key + "x", key.upper(), "array", "dict", ""))] = found.pop(key)


# --- arrays -------------------------------------------------------------------------------------


def swapped(draw: Random, original: Original) -> bytes:
    """Exchange two arrays, or use one in both places."""
    content = original.content()
    names = sorted(content.arrays)
    if len(names) < 2:
        return moved(draw, original)
    one, other = draw.sample(names, 2)
    first, second = content.arrays[one], content.arrays[other]
    content.arrays[one] = second
    if draw.random() < 0.5:
        content.arrays[other] = first
    return original.rebuilt(content)


@in_array
def shape(draw: Random, array: np.ndarray) -> np.ndarray:
    """Give an array another shape."""
    flat = array.reshape(-1)
    changes: list[Callable[[], np.ndarray]] = [
        lambda: array[:1], lambda: array[1:], lambda: array[:-1], lambda: array[:0],
        lambda: array.T, lambda: flat, lambda: array[None], lambda: array[..., None],
        lambda: np.concatenate([array, array]), lambda: array[..., :1],
        lambda: np.concatenate([array, array], axis=-1), lambda: flat.max(initial=0),
        lambda: np.tile(flat, 100), lambda: array[..., 1:], lambda: array[..., :0],
    ]  # fmt: skip
    if not array.ndim:
        return array[None]
    return np.array(draw.choice(changes)(), order="C")


@in_array
def dtype(draw: Random, array: np.ndarray) -> np.ndarray:
    """Store an array in another type, its values or its bits."""
    kind = np.dtype(draw.choice(DTYPES))
    if draw.random() < 0.3 and array.size and array.nbytes % kind.itemsize == 0:
        return np.frombuffer(array.tobytes(), kind).copy()
    with np.errstate(all="ignore"):
        return array.astype(kind)


def _changed(draw: Random, array: np.ndarray, value: Callable[[Any], Any]) -> np.ndarray:
    """An array with some of its elements changed."""
    array = array.copy()
    flat = array.reshape(-1)
    for _ in range(draw.choice((1, 1, 3)) if len(flat) else 0):
        place = draw.choice((0, len(flat) - 1, draw.randrange(len(flat))))
        with np.errstate(all="ignore"):
            flat[place] = np.array(value(flat[place])).astype(array.dtype)
    return array


@in_array
def not_finite(draw: Random, array: np.ndarray) -> np.ndarray:
    """Put NaN, an infinity or another extreme number in an array."""
    if array.dtype.kind != "f" and draw.random() < 0.5:
        array = array.astype(float)
    if draw.random() < 0.1:
        return np.full(array.shape, draw.choice(REALS)).astype(array.dtype, casting="unsafe")
    with np.errstate(all="ignore"):
        return _changed(draw, array, lambda _: draw.choice(REALS))


@in_array
def beyond(draw: Random, array: np.ndarray) -> np.ndarray:
    """Let numbers of examples, classes and visits point beyond what there is."""
    if array.dtype.kind not in "iu":
        return _changed(draw, array, lambda value: value * 1e6 + 1)
    low, high = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
    near = int(array.max(initial=0)) + 1
    return _changed(draw, array, lambda _: draw.choice((near, -1, 10**6, high, low, 10**4)))


@in_array
def shuffled(draw: Random, array: np.ndarray) -> np.ndarray:
    """Change the order, or the signs, of what an array holds."""
    if draw.random() < 0.3:
        return np.zeros_like(array)
    return array[::-1].copy() if array.ndim else -array


def without(draw: Random, original: Original) -> bytes:
    """Leave out an array, or add one that nothing needs."""
    content = original.content()
    if content.arrays and draw.random() < 0.8:
        content.arrays.pop(draw.choice(sorted(content.arrays)))
    else:
        content.arrays["other"] = np.zeros(draw.choice((0, 1, 10**5)))
    return original.rebuilt(content)


def twice(draw: Random, original: Original) -> bytes:
    """Damage the content in two ways, one after the other."""
    one, other = draw.sample((missing, odd, moved, huge, negative, shape, beyond, shifted), 2)
    return other(draw, Original(one(draw, original), original.container))


WAYS: dict[str, Way] = {
    "bit flips": bits,
    "truncation": truncated,
    "inserted bytes": inserted,
    "header edits": header,
    "duplicate keys": duplicated,
    "deep nesting": nested,
    "missing fields": missing,
    "odd values": odd,
    "moved fields": moved,
    "huge integers": huge,
    "negative counters": negative,
    "shifted numbers": shifted,
    "wrong member": wrong_member,
    "wrong version": wrong_version,
    "renamed fields": renamed,
    "swapped arrays": swapped,
    "wrong shapes": shape,
    "wrong types": dtype,
    "not finite": not_finite,
    "beyond the data": beyond,
    "wrong order": shuffled,
    "missing arrays": without,
    "two at once": twice,
}
"""Ways to damage a file, by name."""
