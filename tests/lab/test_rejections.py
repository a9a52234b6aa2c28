"""A bad request gets one sentence that names the field and the remedy, and leaves no trace."""

from __future__ import annotations

import contextlib
import json
import re
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from rosenblatt.data import TOYS
from tests.lab.conftest import Server

TABLE = {"points": [[0.0, 1.0], [1.0, 0.0], [2.0, 3.0]], "labels": [1, -1, 1]}
RUN = {"data": TABLE, "algorithm": "Perceptron"}


@pytest.fixture(scope="module")
def own():
    """A server whose log nobody else writes to."""
    one = Server()
    yield one
    one.stop()


def table(**changes):
    return RUN | {"data": TABLE | changes}


REJECTED = [
    ("run", {}, "data is missing; add it to the request."),
    ("run", {"data": TABLE}, "algorithm is missing; add it to the request."),
    ("run", [], "the request must be an object."),
    ("run", RUN | {"file": "x"}, "file is not a field of this request; leave it out."),
    ("run", RUN | {"a" * 99: 1}, f"{'a' * 40}... is not a field of this request; leave it out."),
    ("run", RUN | {"\x1b[31m": 1}, "\\x1b[31m is not a field of this request; leave it out."),
    ("run", RUN | {"data": 7}, "data must be an object."),
    ("run", RUN | {"algorithm": 7}, "algorithm must be a text."),
    ("run", RUN | {"algorithm": "A" * 65}, "algorithm has more than 64 characters; shorten it."),
    ("run", RUN | {"seed": -1}, "seed must be at least 0."),
    ("run", RUN | {"seed": 2**31}, "seed must be at most 2,147,483,647."),
    ("run", RUN | {"seed": 1.5}, "seed must be a whole number."),
    ("run", RUN | {"seed": 10**40}, "seed must be at most 2,147,483,647."),
    ("run", RUN | {"parameters": {"eta0": []}},
     "parameters.eta0 must be a number, a text, true, false or null."),
    ("run", RUN | {"parameters": {"e" * 65: 1}},
     f"parameters.{'e' * 40}... has more than 64 characters; shorten it."),
    ("run", RUN | {"parameters": {"max_iter": -1e300}},
     "max_iter=-1e+300 must be a whole number."),
    ("run", RUN | {"parameters": {"eta": 1}},
     "Perceptron has no parameter 'eta' in the lab; leave it out."),
    ("run", table(points=7), "data.points must be a list."),
    ("run", table(points=[[0.0, 1.0]]), "data.points has too few entries; give at least 2."),
    ("run", table(labels=[1] * 2001), "data.labels has too many entries; give at most 2,000."),
    ("run", table(points=[[0, 1], [2, "x"]]), "data.points[1][1] must be a number."),
    ("run", table(points=[[0, 1], [2, 1e7]]), "data.points[1][1] must be at most 1,000,000."),
    ("run", table(points=[[0, 1], [2]], labels=[0, 1]),
     "data: some points have more coordinates than others; give all the same number."),
    ("certify", {"data": TABLE, "fit_intercept": "maybe"}, "fit_intercept must be true or false."),
    ("certify", {"data": TABLE, "intercept_scaling": 0},
     "intercept_scaling must be at least 1e-06."),
    ("data", {"generator": "xor", "parameters": {"n": None}}, "parameters.n must be a number."),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "sentence"), REJECTED, ids=lambda one: str(one)[:60])
def test_a_bad_value_is_named_with_its_remedy(client, path, body, sentence):
    answer = client.post(f"/api/{path}", json=body)
    assert (answer.status_code, answer.json()) == (422, {"detail": sentence})


def head(line, *headers):
    return "\r\n".join([line, *headers, "", ""])


def post(body, *headers):
    given = [*headers] or ["Content-Type: application/json"]
    return head("POST /api/run HTTP/1.1", "HOST", *given, f"Content-Length: {len(body)}"), body


JSON = "Content-Type: application/json"
CHUNKS = "Transfer-Encoding: chunked"
NOT_JSON = "the request cannot be read as JSON; send one plain JSON object in UTF-8."
NOT_HTTP = "this is not a request that the lab understands; open its address in a browser."
UPGRADE = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")  # fmt: skip
RAW = {
    "WebSocket": (400, "the lab has no WebSockets; send ordinary requests.",
                  head("GET / HTTP/1.1", "HOST", *UPGRADE)),
    "HTTP/2": (200, "", head("GET /api/alive HTTP/1.1", "HOST", "Connection: Upgrade",
                             "Upgrade: h2c")),
    "TLS": (400, NOT_HTTP, (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),)),
    "no HTTP": (400, NOT_HTTP, head("hello")),
    "huge header": (400, NOT_HTTP, head("GET / HTTP/1.1", "HOST", f"X: {'a' * 400_000}")),
    "many headers": (400, NOT_HTTP, head("GET / HTTP/1.1", "HOST",
                                         *(f"X-{n}: a" for n in range(60_000)))),
    "long address": (400, NOT_HTTP, head(f"GET /{'a' * 400_000} HTTP/1.1", "HOST")),
    "no host": (400, NOT_HTTP, head("GET / HTTP/1.1")),
    "two lengths": (400, NOT_HTTP, head("POST /api/run HTTP/1.1", "HOST", JSON,
                                        "Content-Length: 2", "Content-Length: 3")),
    "bad chunk": (400, NOT_HTTP, (head("POST /api/run HTTP/1.1", "HOST", JSON, CHUNKS), b"Z\r\n")),
    "bad chunk of a bad request": (
        400, NOT_HTTP, (head("POST /api/run HTTP/1.1", "HOST", CHUNKS), b"1\r\na\r\nZ\r\n")),
    "wrong method": (405, "PUT is not possible at this address; use POST.",
                     head("PUT /api/run HTTP/1.1", "HOST", "Content-Length: 0")),
    "wrong address": (404, "there is nothing at this address; the page of the lab is at /.",
                      head("GET /nothing HTTP/1.1", "HOST")),
    "wrong content type": (415, "the content type must be application/json.",
                           post(b"{}", "Content-Type: text/xml")),
    "empty": (422, "the request has no body; send one JSON object.", post(b"")),
    "no JSON": (400, NOT_JSON, post(b"{nope")),
    "no UTF-8": (400, NOT_JSON, post(b'{"a": "\xff"}')),
    "deep": (400, NOT_JSON, post(b"[" * 100_000 + b"]" * 100_000)),
    "huge integer": (400, NOT_JSON, post(b'{"seed": ' + b"9" * 100_000 + b"}")),
}  # fmt: skip


def exchanged(server, *parts):
    """Send bytes; return the status and the body of the first answer, or nothing."""
    host = f"Host: 127.0.0.1:{server.port}"
    sent = b"".join(
        part if isinstance(part, bytes) else part.replace("HOST", host).encode() for part in parts
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as one:
        with contextlib.suppress(ConnectionError):  # an answer may come before all is sent
            one.sendall(sent)
        with one.makefile("rb") as answer:
            status = int(answer.readline().split()[1])
            headers = dict(re.findall(rb"(?m)^([\w-]+): (.*)\r$", _head(answer)))
            return status, headers, json.loads(answer.read(int(headers[b"content-length"])))


def _head(answer):
    lines = []
    while (line := answer.readline()).strip():
        lines.append(line)
    return b"".join(lines)


@pytest.mark.parametrize("case", RAW)
def test_what_is_malformed_is_answered_without_a_line_in_the_log(own, case):
    status, sentence, parts = RAW[case]
    found, headers, body = exchanged(own, *([parts] if isinstance(parts, str) else parts))
    assert found == status
    if sentence:
        assert body == {"detail": sentence}
        assert headers[b"content-type"] == b"application/json"
        assert b"default-src 'none'" in headers[b"content-security-policy"]
    assert exchanged(own, head("GET /api/alive HTTP/1.1", "HOST"))[0] == 200
    assert own.log.read_text() == ""


def test_a_client_that_leaves_while_it_sends_is_forgotten(own):
    with socket.create_connection(("127.0.0.1", own.port), timeout=10) as one:
        start = head("POST /api/run HTTP/1.1", f"Host: 127.0.0.1:{own.port}", JSON,
                     "Content-Length: 9")  # fmt: skip
        one.sendall(start.encode() + b"{")
    assert exchanged(own, head("GET /api/alive HTTP/1.1", "HOST"))[0] == 200
    assert own.log.read_text() == ""


def test_runs_side_by_side_log_nothing(own):
    toy = TOYS["xor"].make(n=200)
    body = {"data": {"points": toy.X.tolist(), "labels": toy.y.tolist()},
            "algorithm": "AveragedPerceptron", "parameters": {"max_iter": 20}}  # fmt: skip

    def run(seed):
        return httpx.post(f"{own.url}api/run", json=body | {"seed": seed}, timeout=60).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(run, range(24))) == {200}
    assert own.log.read_text() == ""  # that they stopped at max_iter is in their documents
