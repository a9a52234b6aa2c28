"""The lab's guard and its queue, without a server: who may ask, and how much at a time."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref

import httpx
import pytest

from rosenblatt.lab.app import build
from rosenblatt.lab.guard import BODY, WAITING, BusyError, Gate, Guard

HOST = "127.0.0.1:8000"
JSON = {"content-type": "application/json"}


def asked(app, method="GET", path="/api/alive", **options):
    """The answer of an application in this process."""

    async def once():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            return await client.request(method, path, **options)

    return asyncio.run(once())


@pytest.fixture(scope="module")
def app():
    return build(frozenset({HOST}))


def test_what_is_too_much_at_once_is_rejected_clearly(app):
    async def crowd():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            body = {"generator": "halfplanes"}
            every = [client.post("/api/data", json=body) for _ in range(4 * WAITING)]
            return await asyncio.gather(*every)

    answers = asyncio.run(crowd())
    assert {answer.status_code for answer in answers} == {200, 503}
    rejected = [answer for answer in answers if answer.status_code == 503]
    assert len(answers) - len(rejected) >= WAITING
    for answer in rejected:
        assert "busy" in answer.json()["detail"]
        assert answer.headers["retry-after"] == "1"


def test_its_own_page_is_served(app):
    for headers in ({}, {"origin": f"http://{HOST}"}, {"sec-fetch-site": "same-origin"}):
        assert asked(app, headers=headers).status_code == 200


def test_the_name_of_its_host_may_be_written_in_capitals():
    named = build(frozenset({"localhost:8000"}))
    for headers in ({"host": "LocalHost:8000"}, {"origin": "http://LOCALHOST:8000"}):
        assert asked(named, headers={"host": "localhost:8000"} | headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": ""},
        {"host": "127.0.0.1"},
        {"origin": "http://evil.example"},
        {"origin": f"https://{HOST}"},
        {"origin": "null"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_another_site_is_refused(app, headers):
    answer = asked(app, headers=headers)
    assert answer.status_code == 403
    assert "default-src 'none'" in answer.headers["content-security-policy"]


async def echo(scope, receive, send):
    """Answer with the length of the body."""
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def streamed(size):
    """A body in parts, whose length is not announced."""

    async def parts():
        for start in range(0, size, 65536):
            yield b" " * min(65536, size - start)

    return parts()


@pytest.mark.parametrize("body", [bytes, streamed], ids=["announced", "in parts"])
def test_the_largest_body_passes_whole_and_one_byte_more_does_not(body):
    guard = Guard(echo, frozenset({HOST}))
    answer = asked(guard, "POST", content=body(BODY), headers=JSON)
    assert (answer.status_code, answer.text) == (200, str(BODY))
    assert asked(guard, "POST", content=body(BODY + 1), headers=JSON).status_code == 413


def test_only_json_is_taken():
    guard = Guard(echo, frozenset({HOST}))
    for kind, status in (("application/json; charset=utf-8", 200), ("text/plain", 415), ("", 415)):
        answer = asked(guard, "POST", content=b"{}", headers={"content-type": kind})
        assert answer.status_code == status


def test_memory_is_released_once_answers_are_sent(monkeypatch):
    monkeypatch.setattr("rosenblatt.lab.guard.RELEASE_AFTER", 0.05)

    class Large:
        """What a request leaves behind: a cycle, which only a garbage collection finds."""

        def __init__(self):
            self.itself = self

    left = []

    def work(number):
        left.append(weakref.ref(Large()))
        return number

    async def requests():
        gate = Gate()
        for number in range(3):
            await gate.work(work, number)
        assert all(one() is not None for one in left)
        await asyncio.sleep(0.5)
        assert all(one() is None for one in left)
        await gate.work(work, 3)  # and after a pause once more
        await asyncio.sleep(0.5)
        assert left[-1]() is None

    gc.collect()
    gc.disable()  # no collection by chance
    try:
        asyncio.run(requests())
    finally:
        gc.enable()


def test_a_body_that_never_arrives_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("rosenblatt.lab.guard.BODY_SECONDS", 0.1)

    async def stuck():
        yield b"{"
        await asyncio.sleep(60)

    answer = asked(Guard(echo, frozenset({HOST})), "POST", content=stuck(), headers=JSON)
    assert answer.status_code == 408
    assert answer.json()["detail"] == "the request did not arrive in time; send it again."


@pytest.mark.parametrize("given", [(2, 5), (1, 3), ()], ids=["2 of 5", "1 of 3", "the lab's own"])
def test_the_gate_bounds_who_computes_and_who_waits(given):
    (running, waiting), most = given or (2, 64), 0
    open_, lock, inside = threading.Event(), threading.Lock(), 0

    def work(number):
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        open_.wait(2)
        with lock:
            inside -= 1
        return number

    async def crowd():
        gate = Gate(*given)
        jobs = [asyncio.create_task(gate.work(work, n)) for n in range(waiting)]
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError):
            async with asyncio.timeout(1):
                await gate.work(work, -1)
        open_.set()
        assert await asyncio.gather(*jobs) == list(range(waiting))
        # All have left: there is room again for as many.
        again = [asyncio.create_task(gate.work(work, n)) for n in range(waiting)]
        assert await asyncio.gather(*again) == list(range(waiting))

    asyncio.run(crowd())
    assert most == running
