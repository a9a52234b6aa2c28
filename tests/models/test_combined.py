"""Models made of models, and their way to a file and back."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.engine.schema import build_kinds
from rosenblatt.models import PerClass, Sum
from rosenblatt.storage.codec import Packer, Unpacker
from tests.models.cases import numbers, voted

X = numbers(np.random.default_rng(7), 8, 3)
PARTS = [voted(seed) for seed in range(3)]
NATIVE = [voted(seed, classes=3) for seed in range(3)]


@pytest.mark.parametrize("parts", [PARTS[:1], PARTS, NATIVE])
def test_scores_add_up(parts):
    assert np.array_equal(Sum(parts).scores(X), sum(part.scores(X) for part in parts))


def test_classes_score_side_by_side():
    members = [PARTS[0], Sum(PARTS[1:]), PARTS[2]]
    found = PerClass(members).scores(X)
    for column, member in enumerate(members):
        assert np.array_equal(found[:, [column]], member.scores(X))


@pytest.mark.parametrize(
    "model", [PARTS[0], NATIVE[0], Sum(PARTS), PerClass([PARTS[0], Sum(PARTS)])]
)
def test_every_model_comes_back_from_a_file(model):
    packer = Packer(build_kinds())
    packed = packer.pack(model, "model")
    again = Unpacker(packer.arrays, build_kinds()).unpack(packed, "model")
    assert type(again) is type(model)
    assert np.array_equal(again.scores(X), model.scores(X))


@pytest.mark.parametrize("model", [Sum([]), PerClass([])])
def test_a_file_with_a_model_without_parts_is_rejected(model):
    packer = Packer(build_kinds())
    packed = packer.pack(model, "model")
    with pytest.raises(ValueError, match=r"model\.(parts|members) is missing"):
        Unpacker(packer.arrays, build_kinds()).unpack(packed, "model")
