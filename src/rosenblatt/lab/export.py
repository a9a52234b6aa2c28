"""The lab's page as one file, with scripts, styles and data inlined: a run, or the whole lab."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

from rosenblatt.lab import STATIC, schema
from rosenblatt.lab.actions import certify_points
from rosenblatt.lab.registry import registry

KINDS = {".woff2": "font/woff2", ".svg": "image/svg+xml"}
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
    return _inlined(run_opening(document).model_dump_json())


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
    page = _inlined(opening.model_dump_json(), json.dumps({"step": step, "point": point}))
    packed = base64.b64encode(gzip.compress(page.encode(), 6, mtime=0)).decode()
    return UNPACKING.replace("PACKED", packed)


def static_page() -> str:
    """Return the whole lab as HTML that loads nothing else and needs no server."""
    return _inlined("null")


def _inlined(opening: str, figure: str = "null") -> str:
    """Return the page with all that it loads, and what it opens with as JSON.

    `figure` is the moment at which it opens as a figure, in JSON; null for a page of its own.
    """
    index = STATIC / "index.html"
    if not index.exists():
        raise ValueError("the page is not built; run `make page` first.")
    html = index.read_text(encoding="utf-8")
    known = registry().model_dump_json()
    content = f'{{"opening":{opening},"registry":{known},"figure":{figure}}}'
    # A tag inside the data must not close the script element.
    safe = content.replace("<", "\\u003c")
    data = f'<script type="application/json" id="rosenblatt-offline">{safe}</script>'
    html = re.sub(r'(<link rel="icon" href=")([^"]*)', _icon, html)
    html = re.sub(r'<link rel="stylesheet"[^>]*href="([^"]*)"[^>]*>', _style, html)
    scripts = re.findall(r'<script type="module"[^>]*src="([^"]*)"[^>]*></script>', html)
    html = re.sub(r'<script type="module"[^>]*src="[^"]*"[^>]*></script>', "", html)
    code = "".join(_file(source).read_text(encoding="utf-8") for source in scripts)
    code = code.replace("</script", "<\\/script")
    return html.replace("</body>", f'{data}<script type="module">{code}</script></body>')


def _icon(found: re.Match[str]) -> str:
    return f"{found[1]}{_inline(STATIC, found[2])}"


def _style(found: re.Match[str]) -> str:
    path = _file(found[1])
    css = re.sub(
        r"url\(([^)]+)\)",
        lambda m: f"url({_inline(path.parent, m[1])})",
        path.read_text(encoding="utf-8"),
    )
    return f"<style>{css}</style>"


def _inline(folder: Path, source: str) -> str:
    name = source.strip("'\"")
    if name.startswith("data:"):
        return source
    path = folder / name
    kind = KINDS[path.suffix]
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def _file(source: str) -> Path:
    return STATIC / source.removeprefix("./").removeprefix("/")
