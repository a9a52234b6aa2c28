"""Pages that need no server: of a run, of the whole lab, or a figure for another document."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

from rosenblatt.lab import schema
from rosenblatt.lab.actions import certify_points
from rosenblatt.lab.page import whole_page
from rosenblatt.lab.registry import registry

UNPACKING = """<!doctype html><meta charset="utf-8"><title>Rosenblatt</title><script type="module">
const packed = Uint8Array.from(atob("PACKED"), (c) => c.charCodeAt(0));
const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
const page = await new Response(plain).text();
document.open();
document.write(page);
document.close();
</script>
"""


def offline_page(document: schema.Document) -> str:
    """Return the page of a run as HTML that loads nothing else."""
    return _with_data(run_opening(document), frozen=True)


def run_opening(document: schema.Document) -> schema.Opening:
    """Return a run with what is proved of its points."""
    points, targets = document.data.points, document.data.targets
    table = schema.Table(points=points, labels=targets)
    request = schema.CertifyRequest(
        data=table, fit_intercept=document.data.bias > 0,
        intercept_scaling=document.data.bias or 1.0,
    )  # fmt: skip
    return schema.Opening(document=document, verdict=certify_points(request))


def figure_page(opening: schema.Opening, step: int, point: int | None) -> str:
    """Return a figure of a run for a frame in another document: a page that unpacks itself.

    It is a third of the size of the page that is in it, since every notebook that shows it has a
    copy.
    """
    page = _with_data(opening, frozen=True, figure={"step": step, "point": point})
    packed = base64.b64encode(gzip.compress(page.encode(), 6, mtime=0)).decode()
    return UNPACKING.replace("PACKED", packed)


def static_page(opening: schema.Opening | None = None, link: str | None = None) -> str:
    """Return the whole lab as HTML that loads nothing else, with what it opens."""
    return _with_data(opening or schema.Opening(), link=link)


def _with_data(
    opening: schema.Opening,
    *,
    frozen: bool = False,
    link: str | None = None,
    figure: dict[str, Any] | None = None,
) -> str:
    """Return the page with what it opens, as JSON.

    A run is only shown if `frozen`. `figure` is the moment at which it opens as a figure.
    """
    content = {
        "opening": opening.model_dump(mode="json"), "frozen": frozen, "hash": link,
        "registry": registry().model_dump(mode="json"), "figure": figure,
    }  # fmt: skip
    # A tag inside the data must not close the script element.
    safe = json.dumps(content).replace("<", "\\u003c")
    return whole_page(f'<script type="application/json" id="rosenblatt-offline">{safe}</script>')
