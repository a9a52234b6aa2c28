"""The lab's interface: a few questions to the library, and the page that asks them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles

from rosenblatt.lab import schema
from rosenblatt.lab.guard import BusyError, Gate, Guard
from rosenblatt.version import __version__

STATIC = Path(__file__).with_name("static")
UNBUILT = (
    "<!doctype html><title>Rosenblatt</title><p>The page is not built. Run <code>make page</code> "
    "in a checkout (Node 20 or later), or install the package from a wheel."
)
REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": schema.Problem, "description": what}
    for status, what in {
        400: "The body is no JSON.",
        403: "Another site asks.",
        413: "Too large.",
        415: "Not JSON.",
        422: "Something in the request cannot be.",
        503: "Too much is being asked at once.",
    }.items()
}


def _work(name: str) -> Callable[[Any], Any]:
    """One of the functions of `work`, loaded when first asked: the page need not wait for it."""

    def call(asked: Any) -> Any:
        from rosenblatt.lab import work

        return getattr(work, name)(asked)

    return call


def build(hosts: frozenset[str], opening: schema.Opening | None = None) -> Guard:
    """The application, for the addresses it may be called by."""
    app = FastAPI(
        title="Rosenblatt lab", version=__version__, docs_url=None, redoc_url=None,
        openapi_url="/api/openapi.json",
    )  # fmt: skip
    gate = Gate()
    _answers(app)
    options: dict[str, Any] = {"responses": REFUSED}

    @app.get("/api/alive", responses={403: REFUSED[403]})
    async def alive() -> schema.Alive:
        """The server is there."""
        return schema.Alive(library=__version__)

    @app.get("/api/registry", responses={403: REFUSED[403], 503: REFUSED[503]})
    async def registry() -> schema.Registry:
        """All algorithms with typed parameters, readouts and generators."""
        return await gate.work(_work("choices"), None)

    @app.get("/api/opening", responses={403: REFUSED[403]})
    async def opened() -> schema.Opening:
        """What the lab was opened with."""
        return opening or schema.Opening()

    @app.post("/api/data", **options)
    async def data(asked: schema.DataRequest) -> schema.Drawn:
        """Draw a toy set."""
        return await gate.work(_work("draw"), asked)

    @app.post("/api/run", **options)
    async def run(asked: schema.RunRequest) -> schema.Document:
        """Run an algorithm on points: a journal to replay."""
        return await gate.work(_work("learn"), asked)

    @app.post("/api/continue", **options)
    async def go_on(asked: schema.ContinueRequest) -> schema.Document:
        """Go on from some weights, on points that may have changed: a branch."""
        return await gate.work(_work("learn"), asked)

    @app.post("/api/certify", **options)
    async def certify(asked: schema.CertifyRequest) -> schema.Verdict:
        """Prove that points can be separated, or that they cannot."""
        return await gate.work(_work("decide"), asked)

    @app.post("/api/orders", **options)
    async def orders(asked: schema.OrdersRequest) -> schema.Orders:
        """Updates over many orders of the points, and their bound."""
        return await gate.work(_work("many_orders"), asked)

    @app.post("/api/holdout", **options)
    async def held_out(asked: schema.HoldoutRequest) -> schema.Curves:
        """Training error and error on other points, pass by pass."""
        return await gate.work(_work("measure"), asked)

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        index = STATIC / "index.html"
        if not index.exists():
            return HTMLResponse(UNBUILT, status_code=503)
        return FileResponse(index, headers={"cache-control": "no-cache"})

    if STATIC.exists():
        app.mount("/assets", StaticFiles(directory=STATIC / "assets"), name="assets")
    return Guard(app, hosts)


def _answers(app: FastAPI) -> None:
    """Every refusal is one sentence."""

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        words = first["msg"].removeprefix("Value error, ")
        return JSONResponse({"detail": f"{where}: {words}" if where else words}, 422)

    @app.exception_handler(ValueError)
    async def impossible(request: Request, error: ValueError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 422)

    @app.exception_handler(TypeError)
    async def unfit(request: Request, error: TypeError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 422)

    @app.exception_handler(ArithmeticError)
    async def beyond(request: Request, error: ArithmeticError) -> JSONResponse:
        words = "the numbers are too large or too small to compute with; scale them to about 1."
        return JSONResponse({"detail": words}, 422)

    @app.exception_handler(BusyError)
    async def busy(request: Request, error: BusyError) -> JSONResponse:
        words = "the lab is busy with other requests; try again in a moment."
        return JSONResponse({"detail": words}, 503, {"retry-after": "1"})
