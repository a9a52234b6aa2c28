"""Each parameter is declared once, and all else agrees with its declaration."""

from __future__ import annotations

import inspect
from math import inf, nan

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.estimators import MEMBERS
from rosenblatt.estimators.parameters import (
    Anything,
    Choice,
    Either,
    Flag,
    Integer,
    Real,
    declared,
    param,
    values,
)

EACH = pytest.mark.parametrize("name", MEMBERS)


def test_the_list_of_names_is_complete():
    assert tuple(MEMBERS) == rb.ESTIMATORS
    assert set(rb.ESTIMATORS) < set(rb.__all__) == set(dir(rb))
    assert all(getattr(rb, name) is kind for name, kind in MEMBERS.items())


@EACH
def test_signature_and_attributes_are_the_declaration_s(name):
    parameters = declared(MEMBERS[name])
    signature = inspect.signature(MEMBERS[name]).parameters
    assert {n: p.default for n, p in parameters.items()} == {
        n: p.default for n, p in signature.items()
    }
    positional = [n for n, p in signature.items() if p.kind is not p.KEYWORD_ONLY]
    assert positional == (["rule", "readout"] if name == "PerceptronClassifier" else [])
    assert MEMBERS[name]().get_params() == {n: p.default for n, p in parameters.items()}


@EACH
def test_documentation_has_an_entry_for_each_parameter(name):
    lines = inspect.getdoc(MEMBERS[name]).splitlines()
    heads = [f"{p.name} : {p.words}" for p in declared(MEMBERS[name]).values()]
    places = [lines.index(head) for head in heads]
    first = lines.index("Parameters")
    assert first < places[0]
    assert places == sorted(places)
    assert places[-1] < lines.index("Attributes") < lines.index("Examples")
    assert max(map(len, lines)) <= 100


@EACH
def test_defaults_pass_their_own_checks(name):
    checked = vars(values(MEMBERS[name]()))
    assert checked == {n: p.default for n, p in declared(MEMBERS[name]).items()}
    assert all(p.text.endswith(".") for p in declared(MEMBERS[name]).values())


def test_a_class_inherits_redeclares_and_fixes():
    class First:
        a = param(1.0, Real(), "First.")
        b = param(2, Integer(), "Second.")
        c = param(True, Flag(), "Third.")

    class Second(First):
        d = param("x", Choice("x", "y"), "Fourth.")
        b = param(3, Integer(least=3), "Second again.")

    class Third(Second):
        a = 5.0
        e = param(None, Real(nullable=True), "Fifth.")

    assert list(declared(First)) == ["a", "b", "c"]
    assert list(declared(Second)) == ["d", "b", "a", "c"]
    assert {n: p.default for n, p in declared(Third).items()} == {
        "d": "x", "b": 3, "e": None, "c": True,
    }  # fmt: skip
    assert (Third().a, Third().b, Third.b.text) == (5.0, 3, "Second again.")


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Real(above=0), [1, 0.5, np.float32(2)], [0, -1.0, nan, inf, 10**400, "1", True, None]),
        (Real(least=0), [0, 3.0], [-1e-300, -inf]),
        (Real(above=0, below=2), [1.0], [0.0, 2.0]),
        (Real(above=0, most=1), [1], [1.5]),
        (Real(above=0, infinite=True), [inf, 1.0], [-inf, nan, 0.0]),
        (Real(nullable=True), [None, -3.0], ["none", nan]),
        (Integer(least=1), [1, np.int64(7)], [0, 1.0, True, "2", None]),
        (Integer(nullable=True), [None, -1], [0.5]),
        (Flag(), [True, np.bool_(False)], [1, 0, "yes", None]),
        (Choice("a", None), ["a", None, np.str_("a")], ["b", 1, [], np.zeros(2)]),
        (Choice(1, 2), [1, np.int64(2)], [True, "1", 3]),
        (Either(Choice("log"), Real(least=2)), ["log", 2, 3.5], ["lin", 1.0, None]),
        (Anything("any", "Any"), ["x", None, [1]], []),
    ],
)
def test_kinds_accept_and_reject(kind, good, bad):
    for value in good:
        checked = kind.check("p", value)
        assert checked == value
        assert not isinstance(checked, np.generic)
    for value in bad:
        with pytest.raises((ValueError, TypeError), match=r"^p="):
            kind.check("p", value)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (rb.Perceptron(eta0=-1), "eta0=-1 must be a finite number greater than 0."),
        (rb.Perceptron(eta0="1"), "eta0='1' must be a number."),
        (rb.Perceptron(max_iter=0), "max_iter=0 must be a whole number of at least 1."),
        (rb.Perceptron(max_iter=2.5), "max_iter=2.5 must be a whole number."),
        (rb.Perceptron(shuffle="no"), "shuffle='no' must be True or False."),
        (rb.Perceptron(scheme="x"), "scheme='x' is not known; take one of max, uniform, "
         "proportional, projection."),
        (rb.AdaTron(multiclass="native"), "multiclass='native' is not known; take "
         "multiclass='ovr'."),
        (rb.AdaTron(gap=1.0), "gap=1.0 must be a number greater than 0 and less than 1."),
        (rb.AdaTron(C=0), "C=0 must be a number greater than 0."),
        (rb.MarginPerceptron(negative_margin=-1), "negative_margin=-1 must be a finite number at "
         "least 0 or None."),
        (rb.WinnowPerceptron(p=1), "p=1 must be 'log', 'exponential' or a finite number at "
         "least 2."),
        (rb.KernelPerceptron(gamma="auto"), "gamma='auto' must be a number or None."),
    ],
)  # fmt: skip
def test_messages_name_the_parameter_and_the_range(model, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        model.fit([[0.0], [1.0]], [0, 1])
    assert str(caught.value) == message


def test_unknown_names_and_places():
    with pytest.raises(TypeError, match=r"^Perceptron has no parameter 'max_itr'; did you mean "
                       r"'max_iter'\?$"):  # fmt: skip
        rb.Perceptron(max_itr=5)
    with pytest.raises(TypeError, match="VotedPerceptron has no parameter 'zz'; it has class_w"):
        rb.VotedPerceptron(zz=5)
    with pytest.raises(TypeError, match="Perceptron takes parameters by name"):
        rb.Perceptron(0.5)
    with pytest.raises(TypeError, match="got rule twice"):
        rb.PerceptronClassifier("plain", rule="margin")


@pytest.mark.parametrize("name", ["alpha", "average", "l1_ratio", "loss", "penalty", "power_t"])
def test_a_parameter_of_scikit_learn_is_answered_with_the_equivalent(name):
    with pytest.raises(TypeError, match=f"^AROW has no parameter '{name}'; ") as raised:
        rb.AROW(**{name: 1})
    named = [word for word in MEMBERS if word in str(raised.value)]
    assert len(named) > 1, raised.value


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Real(), "1e-3", 1e-3),
        (Real(), "inf", inf),
        (Real(), "fast", "fast"),
        (Integer(nullable=True), "None", None),
        (Integer(nullable=True), "null", None),
        (Flag(), "0", False),
        (Flag(), "True", True),
        (Flag(), "false", False),
        (Choice(1, 2), "2", 2),
        (Choice("I", "II"), "I", "I"),
        (Choice(None, "x"), "None", None),
        (Either(Choice("log"), Real()), "3", 3),
        (Anything("any", "Any"), "[0, 1]", [0, 1]),
        (Anything("any", "Any"), "least", "least"),
    ],
)
def test_text_is_parsed_by_kind(kind, text, value):
    parsed = kind.parse(text)
    assert parsed == value
    assert type(parsed) is type(value)
