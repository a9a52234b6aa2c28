"""A certificate's file is read strictly: whatever is not as it was written is a ValueError."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import Certificate, certify, verify
from rosenblatt.proofs.checker import schema
from tests.proofs.statements import NAMES, THREE, TIE, TIED
from tests.proofs.truth import AND, SQUARE, XOR

SEPARABLE, INSEPARABLE = certify(SQUARE, AND), certify(SQUARE, XOR)
# Rational weights and coefficients: floats cannot hold the margins of these.
FRACTIONS = [[Fraction(1, 3), 1], [Fraction(1, 3) + Fraction(1, 10**40), 1]]
RATIONAL = certify(FRACTIONS, ["low", "high"])


ABSENT = object()

TOUCHING = [[0.0], [1.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b", "c"]
EARLIER_DATA = {
    "separable": (SQUARE, AND),
    "bracket": (SQUARE, AND),
    "inseparable": (SQUARE, XOR),
    "weakness_unknown": (SQUARE, XOR),
    "weakly_separable": (TIED, TIE),
    "free_intercept": ([[10.0], [12.0]], [0, 1]),
    "undecided": (SQUARE, XOR),
    "many_classes": (THREE, NAMES),
    "many_classes_weakly_separable": TOUCHING,
    "many_classes_inseparable": ([[0.0], [1.0], [2.0]] * 3, list("aaabbbccc")),
    "one_against_the_rest": TOUCHING,
    "fractions": (FRACTIONS, ["low", "high"]),
}


def refused(path, content, reason=None):
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(content)
    began = time.perf_counter()
    with pytest.raises(ValueError, match=reason) as caught:
        Certificate.load(path)
    assert time.perf_counter() - began < 3
    message = str(caught.value)
    assert message.startswith(f"{path} is not a certificate of format rosenblatt-certificate/1: ")
    assert "\n" not in message
    assert len(message) < 300 + len(str(path))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "certificate.json"


@pytest.mark.parametrize("certificate", [SEPARABLE, INSEPARABLE, RATIONAL])
def test_what_is_saved_is_loaded(path, certificate):
    certificate.save(path)
    loaded = Certificate.load(path)
    assert loaded.to_dict() == certificate.to_dict()
    assert loaded.weights is None or loaded.weights.dtype == certificate.weights.dtype


def changed(certificate, place, value):
    """The file with one field changed, or removed."""
    content = certificate.to_dict()
    *way, last = place
    part = content
    for step in way:
        part = part[step]
    if value is ABSENT:
        del part[last]
    else:
        part[last] = value
    return json.dumps(content)


LIES = [
    # what follows from the rest
    (SEPARABLE, ["statement"], "The 4 examples are separable by a mile."),
    (INSEPARABLE, ["statement"], SEPARABLE.statement()),
    (SEPARABLE, ["mistake_bound"], SEPARABLE.mistake_bound - 1),
    (SEPARABLE, ["mistake_bound"], None),
    (SEPARABLE, ["mistake_bound"], float(SEPARABLE.mistake_bound)),
    (INSEPARABLE, ["mistake_bound"], 7),
    # other types
    (INSEPARABLE, ["support"], [0, 1, 2, 3.0]),
    (INSEPARABLE, ["support"], [0, 1, 2, 3.9]),
    (INSEPARABLE, ["support"], [False, True, 2, 3]),
    (INSEPARABLE, ["support"], ["0", "1", "2", "3"]),
    (INSEPARABLE, ["support"], [0, 1, 2, 2**63]),
    (INSEPARABLE, ["support"], [0, 1, 2, -1]),
    (INSEPARABLE, ["support"], {"0": 1}),
    (INSEPARABLE, ["support"], "0123"),
    (INSEPARABLE, ["rivals"], None),
    (INSEPARABLE, ["coefficients"], [0.25] * 4),
    (INSEPARABLE, ["coefficients"], ["1/4", "1/4", "1/4", "2/8"]),
    (INSEPARABLE, ["coefficients"], ["1/4", "1/4", "1/4", "0.25"]),
    (INSEPARABLE, ["coefficients"], ["1/4", "1/4", "1/4", "١/٤"]),
    (INSEPARABLE, ["coefficients"], ["1/4", "1/4", "1/4", " 1/4"]),
    (INSEPARABLE, ["coefficients"], ["1/4", "1/4", "1/4", "1_0/4_0"]),
    (INSEPARABLE, ["coefficients"], ["1/4", "1/4", "1/4", "0x1/0x4"]),
    (INSEPARABLE, ["coefficients"], ["1/4", "1/4", "1/4", "1/0"]),
    (INSEPARABLE, ["coefficients"], ["1/4", "1/4", "1/4", "0x1/0x0"]),
    (INSEPARABLE, ["coefficients"], ["1/4", "1/4", "1/4", "+1/4"]),
    (INSEPARABLE, ["coefficients"], ["1/4", "1/4", "1/4", "1/4/1"]),
    (INSEPARABLE, ["coefficients"], ["1/4", "1/4", "1/4", "1/4\n"]),
    (INSEPARABLE, ["data", "examples"], 4.0),
    (INSEPARABLE, ["data", "examples"], "4"),
    (INSEPARABLE, ["data", "features"], True),
    (INSEPARABLE, ["data", "classes"], [0, [1]]),
    (INSEPARABLE, ["data", "classes"], "01"),
    (INSEPARABLE, ["data", "target"], [1]),
    (INSEPARABLE, ["data", "digest"], 5),
    (INSEPARABLE, ["data"], []),
    (SEPARABLE, ["radius"], "2.0"),
    (SEPARABLE, ["radius"], 2),
    (SEPARABLE, ["radius"], None),
    (SEPARABLE, ["intercept_scaling"], 1),
    (SEPARABLE, ["intercept_scaling"], "inf"),
    (SEPARABLE, ["intercept_scaling"], True),
    (SEPARABLE, ["weakly_separable"], 0),
    (SEPARABLE, ["verdict"], "Separable"),
    (SEPARABLE, ["verdict"], ["separable"]),
    (SEPARABLE, ["margin_bracket"], [0.2, 0.3]),
    (SEPARABLE, ["margin_bracket"], ["0.2"]),
    (SEPARABLE, ["margin_bracket"], ["0.2", "0.30"]),
    (SEPARABLE, ["margin_bracket"], ["٠.2", "0.3"]),
    (SEPARABLE, ["margin_bracket"], ["0.2", "nan"]),
    (SEPARABLE, ["margin_bracket"], ["0.0", "0.3"]),
    (SEPARABLE, ["margin_bracket"], ["inf", "inf"]),
    (SEPARABLE, ["margin_bracket"], ["0.2", "1" * 10**6]),
    (SEPARABLE, ["weights"], [[2, 2]]),
    (SEPARABLE, ["weights"], [["2", "2"]]),
    (SEPARABLE, ["weights"], [[2.0], [2.0, 3.0]]),
    (SEPARABLE, ["weights"], [2.0, 2.0]),
    (SEPARABLE, ["weights"], []),
    (SEPARABLE, ["weights"], [["1/2", 0.5]]),
    (SEPARABLE, ["weights"], [[0.5, "1/2"]]),
    (SEPARABLE, ["intercept"], -3.0),
    (SEPARABLE, ["note"], None),
    (SEPARABLE, ["format"], "rosenblatt-certificate/9"),
    # other fields
    (SEPARABLE, ["proof"], "trust me"),
    (SEPARABLE, ["data", "columns"], 2),
    (SEPARABLE, ["scope"], "all columns"),
    (SEPARABLE, ["recipe"], {}),
    *((SEPARABLE, [name], ABSENT) for name in SEPARABLE.to_dict()),
    *((SEPARABLE, ["data", name], ABSENT) for name in SEPARABLE.to_dict()["data"]),
]


@pytest.mark.parametrize(
    ("certificate", "place", "value"),
    LIES,
    ids=[f"{'.'.join(place)}-{i}" for i, (_, place, _) in enumerate(LIES)],
)
def test_every_lie_is_refused(path, certificate, place, value):
    refused(path, changed(certificate, place, value))


def test_a_name_that_comes_twice_is_refused(path):
    content = json.dumps(SEPARABLE.to_dict())
    refused(path, content[:-1] + ', "verdict": "separable"}', "twice")
    refused(path, content.replace('"examples": 4', '"examples": 4, "examples": 4'), "twice")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "UTF-8"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"null", "not a JSON object"),
        (b"[1, 2]", "not a JSON object"),
        (b"{}", "format"),
        (b'{"format": "rosenblatt-certificate/1"}', "missing"),
        (b'{"format": "rosenblatt-certificate/1", "radius": NaN}', "NaN"),
        (b'{"format": "rosenblatt-certificate/1", "radius": -Infinity}', "Infinity"),
        (b"[" * 10**6, "too deep"),
        (b'{"a":' * 10**6, "too deep"),
        (b'{"format": ' + b"1" * 10**6 + b"}", "digits"),
        (b'{"format": "rosenblatt-certificate/1", "radius": 1' + b"\n" * 10**6, "not JSON"),
    ],
)
def test_what_is_no_certificate_is_refused(path, content, reason):
    refused(path, content, reason)


def test_long_fractions_are_refused_at_once(path):
    for digits in ("0x" + "7" * 2_500_000, "9" * 2_500_000):
        content = changed(INSEPARABLE, ["coefficients"], [f"{digits}/{digits[:-1]}1"])
        refused(path, content, "too long")
    many = [f"0x{'7' * 40_000}/0x{'8' * 40_000}"] * 200
    refused(path, changed(INSEPARABLE, ["coefficients"], many), "too long|lowest")


def test_long_fractions_that_are_needed_are_read(path):
    number = Fraction(3**20_000, 2**31_000)
    assert schema.FractionReader()(schema.format_fraction(number), "weights") == number


def test_a_large_file_is_refused_unread(path):
    with open(path, "wb") as file:
        file.truncate(schema.MAX_BYTES + 1)
    with pytest.raises(ValueError, match="more than 256 MB"):
        Certificate.load(path)


def test_no_damage_goes_unseen(path):
    """Change any one character of a file: it is refused, or states nothing stronger."""
    INSEPARABLE.save(path)
    content, proved = path.read_bytes(), INSEPARABLE.to_dict()
    rng = np.random.default_rng(0)
    for at in rng.choice(len(content), 300, replace=False):
        other = bytearray(content)
        other[at] = rng.choice(list(b'0123456789"[]{},. x/-'))
        path.write_bytes(other)
        try:
            verify(Certificate.load(path), SQUARE, XOR)
        except ValueError:
            continue
        found = Certificate.load(path)
        (low, high), (lower, upper) = found.margin_bracket, INSEPARABLE.margin_bracket
        assert low <= lower <= upper <= high
        assert replace(found, note="", margin_bracket=(lower, upper)).to_dict() == proved


# Written by an earlier version, whose statements have other words.
EARLIER = Path(__file__).parent / "files"


@pytest.mark.parametrize("name", sorted(EARLIER_DATA))
def test_files_of_an_earlier_version_still_verify(path, name):
    X, y = EARLIER_DATA[name]
    content = (EARLIER / f"{name}.json").read_text(encoding="utf-8")
    found = verify(Certificate.load(EARLIER / f"{name}.json"), X, y)
    assert found.statement() != json.loads(content)["statement"]
    refused(path, content.replace(" examples ", " examples, and many more, ", 1), "'statement'")
