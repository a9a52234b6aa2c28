"""Who may talk to the lab, and how much at a time: only its own page, in bounded requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import anyio.to_thread

BODY = 2_000_000  # bytes of a request
RUNNING, WAITING = 2, 64  # requests that compute, and that wait for their turn

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class BusyError(Exception):
    """Too much is being asked at once."""


class Gate:
    """A few computations at a time, a bounded number in line, the rest turned away."""

    def __init__(self, running: int = RUNNING, waiting: int = WAITING) -> None:
        self.room, self.waiting, self.line = asyncio.Semaphore(running), waiting, 0

    async def work(self, function: Callable[[Any], Any], asked: Any) -> Any:
        """Compute in a thread, when it is our turn."""
        if self.line >= self.waiting:
            raise BusyError
        self.line += 1
        try:
            async with self.room:
                return await anyio.to_thread.run_sync(function, asked)
        finally:
            self.line -= 1


class Guard:
    """Refuse other hosts and other sites' pages; bound the body; add the security headers."""

    def __init__(self, app: Any, hosts: frozenset[str]) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        # The body is gathered here, so that one that is too large meets nobody else.
        messages, seen, more = [], 0, scope["method"] == "POST"
        while more:
            message = await receive()
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
                extra = [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        await self.app(scope, replayed, marked)

    def _refusal(self, scope: Any, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "").lower()
        if host not in self.hosts:
            return 403, "this is not the address that the lab listens at."
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{h}" for h in self.hosts}:
            return 403, "another site's page may not use the lab."
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            return 403, "another site's page may not use the lab."
        if scope["method"] == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                return 415, "send application/json."
            length = headers.get("content-length", "0")
            if length.isdigit() and int(length) > BODY:
                return 413, f"the request is larger than {BODY:,} bytes."
        return None


async def _answer(send: Any, status: int, detail: str) -> None:
    body = json.dumps({"detail": detail}).encode()
    headers = HEADERS | {"content-type": "application/json", "content-length": str(len(body))}
    pairs = [(k.encode(), v.encode()) for k, v in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
