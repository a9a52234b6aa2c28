"""Workers that start at once."""

from __future__ import annotations

from collections.abc import Iterator

import dask
import pytest

from tests.support.forks import METHOD


@pytest.fixture(scope="session", autouse=True)
def forked_workers() -> Iterator[None]:
    with dask.config.set(METHOD):
        yield
