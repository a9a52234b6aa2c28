"""Saved runs that are damaged: a ValueError names the field, and compiled code never sees them."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.engine.state import RunState, State, split_in_two
from rosenblatt.storage.codec import read_npz
from rosenblatt.theory import rules
from rosenblatt.theory.readouts import Averaged, Fewest, Pocket, Readout, Voted
from tests.fuzz.containers import STATE
from tests.fuzz.files import RUNS

RUN = ("state", "fields", "runs", 0, "fields")
COUNTERS = (*RUN, "counters", "fields")
POSITION = (*RUN, "position", "fields")
NUMBERS = (*POSITION, "generator", "dict")


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def put(path, value):
    def change(content):
        at(content.tree, path[:-1])[path[-1]] = value

    return change


def dropped(path):
    return lambda content: at(content.tree, path[:-1]).pop(path[-1])


def array(name, change):
    def changed(content):
        content.arrays[f"state.runs.0.{name}"] = change(content.arrays[f"state.runs.0.{name}"])

    return changed


def element(name, place, value):
    def change(found):
        found.reshape(-1)[place] = value
        return found

    return array(name, change)


def saved(name, path):
    run = RUNS[name]()
    run.go(2)
    run.advance(visits=7)
    run.save(path)
    return path


def damage(path, change):
    content = STATE.parse(path.read_bytes())
    change(content)
    path.write_bytes(STATE.build(STATE.text(content), content))


def again(content):
    kept = at(content.tree, (*POSITION, "kept", 0, "fields"))
    kept["parts"] *= 2
    kept["size"] *= 2


KEPT = "position.kept.0.parts.0"
DAMAGE = {
    "a dual that is too short": ("dual", array("position.dual", lambda a: a[:1]), "position.dual"),
    "a visit that the pass does not have": (
        "last", put((*POSITION, "visit"), 10**6), "position.visit",
    ),
    "a visit outside a pass": ("last", put((*POSITION, "in_pass"), False), "visit is 0"),
    "weights in single precision": (
        "last", array("hypothesis", lambda a: a.astype(np.float32)), "hypothesis",
    ),
    "weights that are not numbers": ("last", element("hypothesis", 0, np.nan), "hypothesis"),
    "weights whose squares overflow": ("last", element("hypothesis", 0, 1e155), "hypothesis"),
    "no weights": ("last", array("hypothesis", lambda a: a[:, :0]), "hypothesis"),
    "weights of other features": (
        "last", array("hypothesis", lambda a: a[:, :2]), "the shape",
    ),
    "too few counters": ("last", dropped((*COUNTERS, "k")), "counters.k"),
    "counters that are strings": ("last", put((*COUNTERS, "t"), "7"), "counters.t"),
    "negative counters": ("last", put((*COUNTERS, "mistakes"), -1), "counters.mistakes"),
    "counters beyond 64 bits": ("last", put((*COUNTERS, "t"), 1 << 64), "counters.t"),
    "more updates than visits": ("last", put((*COUNTERS, "k"), 10**6), "updates are made at"),
    "more mistakes than visits": ("last", put((*COUNTERS, "mistakes"), 10**6), "mistakes are"),
    "a length that is not finite": (
        "last", put((*COUNTERS, "norm2"), {"float": "inf"}), "counters.norm2",
    ),
    "no counters": ("last", dropped((*RUN, "counters")), "counters"),
    "no position of the loop": ("last", dropped((*POSITION, "dual")), "position.dual"),
    "kept updates beyond the data": ("last", element(f"{KEPT}.i", 0, 30), "position.kept.0"),
    "kept rivals beyond the classes": ("classes", element(f"{KEPT}.r", 0, 3), "position.kept.0"),
    "negative examples": ("last", element(f"{KEPT}.i", 0, -1), "kept.0.parts.0"),
    "updates in another order": ("last", array(f"{KEPT}.t", lambda a: a[::-1].copy()), "t never"),
    "updates of different lengths": ("last", array(f"{KEPT}.a", lambda a: a[:-1]), "same length"),
    "a part of the journal twice": ("last", again, "t never falls"),
    "a stretch of another size": (
        "last", put((*POSITION, "kept", 0, "fields", "size"), 10**9), "size counts",
    ),
    "a hypothesis before the journal of another shape": (
        "last", array("position.kept.0.before", lambda a: a[:2]), "kept.0.before",
    ),
    "a pass that begins later": (
        "last", put((*POSITION, "opened", "fields", "t"), 10**6), "at or after all that is kept",
    ),
    "a journal that begins later": (
        "last", put((*POSITION, "kept", 0, "fields", "opened", "fields", "t"), 80), "that is kept",
    ),
    "an update before all visits": ("last", element(f"{KEPT}.t", -1, -(1 << 63)), "t never falls"),
    "an update that is to come": ("last", element(f"{KEPT}.t", -1, 10**6), "all that is kept"),
    "a vote that is to come": ("voted", element("readout.t", -1, 10**6), "all that is kept"),
    "votes that began at no visit": (
        "voted", element("readout.span", 0, -1), "all that is kept",
    ),
    "votes beyond the data": ("voted", element("readout.i", 0, 30), "readout"),
    "votes of other lengths": ("voted", array("readout.t", lambda a: a[:-1]), "readout"),
    "a span of votes that is not whole": (
        "voted", array("readout.span", lambda a: a.astype(float)), "readout.span",
    ),
    "a negative number of averaged visits": (
        "averaged", element("readout.span", 0, -3), "readout.span",
    ),
    "an average of another shape": (
        "averaged", array("readout.total", lambda a: a[:, :2]), "the same shape",
    ),
    "a pocket with too few numbers": (
        "pocket", array("readout.numbers", lambda a: a[:4]), "readout.numbers",
    ),
    "margins of too few examples": (
        "greedy", array("position.margins", lambda a: a[:1]), "size for each margin",
    ),
    "margins and sizes of too few examples": (
        "greedy",
        lambda content: [
            array(f"position.{name}", lambda a: a[:1])(content) for name in ("margins", "sizes")
        ],
        "position.margins",
    ),
    "a generator of another kind": (
        "last", put((*NUMBERS, "bit_generator"), "MT19937"), "position.generator",
    ),
    "a generator without a state": ("last", dropped((*NUMBERS, "state")), "position.generator"),
    "a generator with huge numbers": (
        "last", put((*NUMBERS, "uinteger"), 1 << 40), "position.generator",
    ),
    "a shortest step of no length": ("last", put((*POSITION, "least"), 0.0), "least is 0"),
    "a support set of real numbers": (
        "budget", array("memory.support", lambda a: a.astype(float)), "memory",
    ),
    "a support set beyond the data": ("budget", element("memory.support", 0, 30), "memory"),
    "labels of too few examples": ("budget", array("memory.labels", lambda a: a[:1]), "memory"),
    "labels that are no signs": ("budget", element("memory.labels", 0, 0.5), "memory"),
    "no damage": ("budget", dropped((*RUN, "memory", "dict", "damage")), "memory"),
    "a pocket with parts of visits": (
        "pocket", element("readout.numbers", 0, 5e-324), "readout.numbers",
    ),
    "damage of another length": ("budget", array("memory.damage", lambda a: a[:1]), "memory"),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_run_is_rejected_by_the_name_of_the_field(case, tmp_path):
    name, change, words = DAMAGE[case]
    path = saved(name, tmp_path / "run.npz")
    RUNS[name]().restore(path)
    damage(path, change)
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        RUNS[name]().restore(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_an_integer_in_place_of_a_float_is_one(tmp_path):
    """Compiled code is chosen by types: none is shipped for an integer there."""
    path = saved("last", tmp_path / "run.npz")
    damage(path, put((*COUNTERS, "step_sum"), 3))
    run = RUNS["last"]()
    run.restore(path)
    assert type(run.n.step_sum) is float
    run.go(4)


def test_a_step_on_a_budget_may_have_no_length(tmp_path):
    """A support whose coefficient has become zero is dropped by such a step."""
    path = saved("budget", tmp_path / "run.npz")
    damage(path, put((*POSITION, "least"), 0.0))
    RUNS["budget"]().restore(path)


def test_a_run_that_is_not_damaged_goes_on_to_the_same_bits(tmp_path):
    for name in RUNS:
        path, whole = saved(name, tmp_path / f"{name}.npz"), RUNS[name]()
        whole.go(4)
        run = RUNS[name]()
        run.restore(path)
        run.go(4)
        if name not in ("kernel", "budget"):  # stopped within a block, they are equal but rounding
            assert np.array_equal(run.h, whole.h), name
        assert run.n.t == whole.n.t


@pytest.mark.parametrize("kind", [Averaged, Voted, Pocket, Fewest])
def test_a_readout_that_has_seen_nothing_comes_back(kind):
    """Its arrays are empty, and its numbers those of the beginning."""
    space = inputs.binary_space(np.eye(3), bias=1.0)
    run = Run(rules.Plain(), space, np.array([1, -1, 1], np.int8), readout=kind())
    state = State(np.arange(2), [run.export_state()])
    back = State.from_arrays(state.to_arrays()).runs[0].readout
    assert isinstance(back, Readout)
    for name, value in run.readout.state().items():
        assert np.array_equal(back.state()[name], value)


def test_weights_of_two_classes_have_one_row():
    """Where a third class comes, they are divided between the two."""
    (whole,) = split_in_two(RunState(np.array([[2.0, -4.0]])), native=True, space=None)
    assert np.array_equal(whole.hypothesis, [[-1.0, 2.0], [1.0, -2.0]])
    with pytest.raises(ValueError, match="3 rows of weights, not one; fit anew"):
        split_in_two(RunState(np.ones((3, 4))), native=True, space=None)


def test_a_header_that_is_nested_too_deeply_or_has_a_name_twice_is_rejected(tmp_path):
    path = saved("last", tmp_path / "run.npz")
    content = STATE.parse(path.read_bytes())
    text, depth = STATE.text(content), sys.getrecursionlimit() // 4
    deep = text.replace('"settings": ', f'"settings": {"[" * depth}{"]" * depth}, "later": ')
    twice = text.replace('"settings": ', '"settings": {"dict": {}}, "settings": ')
    for changed, words in ((deep, "nested too deeply"), (twice, "appears twice")):
        path.write_bytes(STATE.build(changed, content))
        with pytest.raises(ValueError, match=words):
            State.from_arrays(read_npz(path))
