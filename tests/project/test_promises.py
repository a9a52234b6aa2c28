"""docs/promises.md says what the tests and their figures say."""

from __future__ import annotations

import json

import pytest
from benchmarks import promises
from benchmarks.tables import ROOT


def test_the_page_is_written_by_the_script():
    counts = json.loads(promises.COUNTS.read_text())
    assert promises.PAGE.read_text() == promises.page(counts)


@pytest.mark.parametrize("promise", promises.PROMISES, ids=lambda promise: promise.shown_by)
def test_every_promise_names_a_test(promise):
    assert (ROOT / promise.shown_by).exists()
    counts = json.loads(promises.COUNTS.read_text())
    assert promise.figure is not None or counts[promise.shown_by] > 0
