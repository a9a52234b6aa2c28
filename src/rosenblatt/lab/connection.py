"""A connection of the lab: what is no HTTP at all is answered like any other bad request."""

from __future__ import annotations

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from rosenblatt.lab.guard import problem

NOT_HTTP = "this is not a request that the lab understands; open its address in a browser."


class Connection(H11Protocol):
    """Uvicorn's connection, with an answer in JSON and without an error of the application."""

    def send_400_response(self, msg: str) -> None:
        """Reject what cannot be parsed, and close the connection."""
        if self.cycle is not None:
            # A request whose head was good has been passed on: its answer would come too late.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            headers, body = problem(NOT_HTTP)
            head = h11.Response(
                status_code=400,
                headers=[*headers, (b"connection", b"close")],
                reason=b"Bad Request",
            )
            for event in (head, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
