"""A sample of `make fuzz`: files of every kind, damaged in every way."""

from __future__ import annotations

import subprocess
import sys
from random import Random

import pytest

from tests.fuzz.campaign import Campaign
from tests.fuzz.damage import WAYS, Original
from tests.fuzz.files import KINDS, Originals
from tests.fuzz.worker import SLOTS

CASES = len(SLOTS) * len(WAYS)  # each kind in each way


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("originals")
    subprocess.run([sys.executable, "-m", "tests.fuzz.worker", str(folder)], check=True)
    return Originals(folder)


def test_what_loads_works_and_everything_else_is_a_value_error(originals):
    report = Campaign(originals.folder, seed=1, cases=CASES, seconds=300.0, workers=2).run()
    assert report.failures == []
    assert report.cases == CASES
    assert {(kind, way) for kind, way, _ in report.counts} == {
        (kind, way) for kind in KINDS for way in WAYS
    }
    outcomes = {word for _, _, word in report.counts}
    assert outcomes == {"works", "rejected"}


@pytest.mark.parametrize("way", WAYS)
def test_a_way_to_damage_changes_files(way, originals):
    changed = 0
    for kind, entry in KINDS.items():
        raw = originals.path(kind, originals.names[kind][0]).read_bytes()
        original = Original(raw, entry.container)
        whole = original.rebuilt(original.content())
        found = {WAYS[way](Random(seed), original) for seed in range(5)}
        changed += bool(found - {raw, whole})
    assert changed == len(KINDS)
