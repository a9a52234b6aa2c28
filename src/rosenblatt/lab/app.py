"""The lab's web application: a JSON interface to the library, and the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from rosenblatt.lab import page, rejections, schema
from rosenblatt.lab.guard import BusyError, Gate, Guard
from rosenblatt.version import __version__

UNBUILT = (
    "<!doctype html><title>Rosenblatt</title><p>The page is not built. Run <code>make page</code> "
    "in a checkout (Node 20 or later), or install the package from a wheel."
)
REJECTIONS: dict[int | str, dict[str, Any]] = {
    status: {"model": schema.Problem, "description": reason}
    for status, reason in {
        400: "The body is not JSON.",
        403: "The request comes from another site.",
        413: "The request is too large.",
        415: "The content type is not JSON.",
        422: "A value in the request is not valid.",
        503: "There are too many requests.",
    }.items()
}


def build(hosts: frozenset[str], opening: schema.Opening | None = None) -> Guard:
    """Return the application, for the addresses at which it may be called."""
    app = FastAPI(
        title="Rosenblatt lab", version=__version__, docs_url=None, redoc_url=None,
        openapi_url="/api/openapi.json",
    )  # fmt: skip
    gate = Gate()
    _add_error_handlers(app)
    _add_queries(app, gate, opening or schema.Opening())
    _add_actions(app, gate)
    _add_page(app)
    return Guard(app, hosts)


def _action(name: str) -> Callable[[Any], Response]:
    """Return an action that answers in JSON; `actions` is imported at the first request."""

    def call(request: Any) -> Response:
        from rosenblatt.lab import actions

        # Encoded here, in a thread: a large answer would keep the event loop from others.
        made = getattr(actions, name)(request).model_dump_json()
        return Response(made, media_type="application/json")

    return call


def _add_queries(app: FastAPI, gate: Gate, opening: schema.Opening) -> None:
    """Add the requests that read."""

    @app.get("/api/alive", responses={403: REJECTIONS[403]})
    async def alive() -> schema.Alive:
        """Report that the server is running."""
        return schema.Alive(library=__version__)

    responses: dict[int | str, Any] = {status: REJECTIONS[status] for status in (403, 503)}

    @app.get("/api/registry", response_model=schema.Registry, responses=responses)
    async def registry() -> Response:
        """List algorithms with typed parameters, readouts and generators."""
        return await gate.work(_action("list_choices"), None)

    @app.get("/api/opening", responses={403: REJECTIONS[403]})
    async def opened() -> schema.Opening:
        """Return what the lab was opened with."""
        return opening


def _add_actions(app: FastAPI, gate: Gate) -> None:
    """Add the requests that compute."""
    options: dict[str, Any] = {"responses": REJECTIONS}

    @app.post("/api/data", response_model=schema.Drawn, **options)
    async def data(request: schema.DataRequest) -> Response:
        """Draw a toy set."""
        return await gate.work(_action("draw_toy_set"), request)

    @app.post("/api/run", response_model=schema.Document, **options)
    async def run(request: schema.RunRequest) -> Response:
        """Run an algorithm on points and return a journal to replay."""
        return await gate.work(_action("learn"), request)

    @app.post("/api/continue", response_model=schema.Document, **options)
    async def continue_run(request: schema.ContinueRequest) -> Response:
        """Continue from given weights, on points that may have changed."""
        return await gate.work(_action("learn"), request)

    @app.post("/api/certify", response_model=schema.Verdict, **options)
    async def certify(request: schema.CertifyRequest) -> Response:
        """Prove that points are separable, or that they are not."""
        return await gate.work(_action("certify_points"), request)

    @app.post("/api/orders", response_model=schema.Orders, **options)
    async def orders(request: schema.OrdersRequest) -> Response:
        """Count updates over many orders of the points, and bound them."""
        return await gate.work(_action("run_orders"), request)


def _add_page(app: FastAPI) -> None:
    """Add the page, which is one file."""

    @app.get("/", include_in_schema=False)
    def index() -> Response:
        if not page.is_built():
            return HTMLResponse(UNBUILT, status_code=503)
        html = page.whole_page()
        headers = {"cache-control": "no-cache", "content-security-policy": page.policy(html)}
        return HTMLResponse(html, headers=headers)


def _add_error_handlers(app: FastAPI) -> None:
    """Answer every error with one sentence."""

    @app.exception_handler(RequestValidationError)
    async def invalid_request(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return _problem(400, rejections.NOT_JSON)
        return _problem(422, rejections.sentence(first))

    @app.exception_handler(HTTPException)
    async def not_served(request: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers or {})
        reason = rejections.not_served(error.status_code, request.method, headers.get("Allow"))
        return _problem(error.status_code, reason, headers)

    @app.exception_handler(ValueError)
    @app.exception_handler(TypeError)
    async def invalid_value(request: Request, error: Exception) -> JSONResponse:
        return _problem(422, str(error))

    # A result that is no valid answer, or none at all: numbers beyond those of a computer.
    @app.exception_handler(ValidationError)
    @app.exception_handler(ArithmeticError)
    async def overflow(request: Request, error: Exception) -> JSONResponse:
        return _problem(422, rejections.NOT_FINITE)

    @app.exception_handler(BusyError)
    async def busy(request: Request, error: BusyError) -> JSONResponse:
        message = "the lab is busy with other requests; try again in a moment."
        return _problem(503, message, {"retry-after": "1"})

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> JSONResponse:
        return _problem(500, rejections.UNKNOWN)  # the error itself goes to the log


def _problem(status: int, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"detail": detail}, status, headers)
