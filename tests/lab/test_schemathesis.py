"""The server keeps what its own description promises, whatever it is sent."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, settings


@pytest.fixture
def described(server):
    return schemathesis.openapi.from_url(f"{server.url}api/openapi.json")


schema = schemathesis.pytest.from_fixture("described")


@schema.parametrize()
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_answers_are_as_described(case):
    case.call_and_validate(headers={})
