"""Limits on requests: only the lab's own page, bounded in size and number."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import anyio.to_thread

from rosenblatt.lab.memory import release

BODY, BODY_SECONDS = 2_000_000, 30.0  # of a request: bytes, and seconds until they have arrived
RUNNING, WAITING = 2, 64  # requests being computed, and requests in all
RELEASE_AFTER = 1.0  # seconds from an answer until its memory is released

# Of answers; the page has a policy of its own, which names what is in it.
POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class BusyError(Exception):
    """Too many requests at once."""


class Gate:
    """A bounded queue of computations, a few at a time; more are rejected."""

    def __init__(self, running: int = RUNNING, waiting: int = WAITING) -> None:
        self.slots, self.waiting, self.queued = asyncio.Semaphore(running), waiting, 0
        self._releasing: asyncio.Task[None] | None = None

    async def work(self, function: Callable[[Any], Any], request: Any) -> Any:
        """Compute in a thread as soon as a slot is free."""
        if self.queued >= self.waiting:
            raise BusyError
        self.queued += 1
        try:
            async with self.slots:
                return await anyio.to_thread.run_sync(function, request)
        finally:
            self.queued -= 1
            if self._releasing is None:
                self._releasing = asyncio.create_task(self._release_soon())

    async def _release_soon(self) -> None:
        """Release memory when the answer has been sent; at most once in `RELEASE_AFTER`."""
        await asyncio.sleep(RELEASE_AFTER)
        self._releasing = None  # what is computed from here on is released by another
        await anyio.to_thread.run_sync(release)


class Guard:
    """Middleware against foreign pages and large bodies; adds security headers."""

    def __init__(self, app: Any, hosts: frozenset[str]) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":  # the start and the end of the server
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        # The body is collected here, so that a large one never reaches the application.
        messages, seen, more = [], 0, scope["method"] == "POST"
        deadline = asyncio.get_running_loop().time() + BODY_SECONDS
        while more:
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                await _answer(send, 408, "the request did not arrive in time; send it again.")
                return
            if message["type"] == "http.disconnect":
                return
            seen += len(message.get("body", b""))
            if seen > BODY:
                await _answer(send, 413, f"the request is larger than {BODY:,} bytes.")
                return
            messages.append(message)
            more = message.get("more_body", False)
        messages.reverse()

        async def replayed() -> Any:
            return messages.pop() if messages else await receive()

        async def marked(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                extra = [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                extra = [header for header in extra if header[0] not in own]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        await self.app(scope, replayed, marked)

    def _refusal(self, scope: Any, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "").lower()
        if host not in self.hosts:
            return 403, "this is not the address of the lab; use the one that it printed."
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{h}" for h in self.hosts}:
            return 403, "pages of other sites may not use the lab."
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            return 403, "pages of other sites may not use the lab."
        if headers.get("upgrade", "").lower() == "websocket":
            return 400, "the lab has no WebSockets; send ordinary requests."
        if scope["method"] == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                return 415, "the content type must be application/json."
            length = headers.get("content-length", "0")
            if length.isdigit() and int(length) > BODY:
                return 413, f"the request is larger than {BODY:,} bytes."
        return None


async def _answer(send: Any, status: int, detail: str) -> None:
    headers, body = problem(detail)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def problem(detail: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the headers and the body of a rejection."""
    body = json.dumps({"detail": detail}).encode()
    headers = HEADERS | {"content-type": "application/json", "content-length": str(len(body))}
    return [(name.encode(), value.encode()) for name, value in headers.items()], body
