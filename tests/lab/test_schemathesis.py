"""The server keeps what its own description promises, whatever it is sent."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance

from rosenblatt.data.toys import TOYS
from rosenblatt.estimators import MEMBERS

OPERATIONS = [
    ("/api/alive", "GET"), ("/api/registry", "GET"), ("/api/opening", "GET"),
    ("/api/data", "POST"), ("/api/run", "POST"), ("/api/continue", "POST"),
    ("/api/certify", "POST"), ("/api/orders", "POST"),
]  # fmt: skip


@pytest.fixture(scope="module")
def described(server):
    return schemathesis.openapi.from_url(f"{server.url}api/openapi.json")


def test_every_question_is_tried(described):
    known = {(path, method.upper()) for path, item in described.items() for method in item}
    assert known == set(OPERATIONS)


def mended(case, algorithm, generator):
    """The same request, but not for long, about something that exists, on points of two classes."""
    body = case.body
    if not isinstance(body, dict):
        return case
    if "algorithm" in body:
        body["algorithm"] = algorithm
    if isinstance(body.get("orders"), int):
        body["orders"] = min(body["orders"], 20)
    if "generator" in body:
        body["generator"] = generator
    for name in ("data", "test"):
        table = body.get(name)
        if isinstance(table, dict) and isinstance(table.get("points"), list):
            points = [p[:1] for p in table["points"] if isinstance(p, list)]
            table["points"], table["labels"] = points, [n % 2 for n in range(len(points))]
    return case


@pytest.mark.parametrize("mend", [False, True])
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_answers_are_as_described(described, path, method, mend):
    operation = described[path][method]
    # Many orders of awkward points take seconds.
    examples = 6 if path == "/api/orders" else 20

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(), st.sampled_from(list(MEMBERS)), st.sampled_from(list(TOYS)))
    def answers(case, algorithm, generator):
        case = mended(case, algorithm, generator) if mend else case
        # That labels are as many as points, or of two classes, no JSON schema can express.
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    answers()
