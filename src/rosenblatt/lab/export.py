"""The lab's page as one file, with scripts, styles and data inlined: a run, or the whole lab."""

from __future__ import annotations

import base64
import re
from pathlib import Path

from rosenblatt.lab import schema
from rosenblatt.lab.actions import certify_points
from rosenblatt.lab.app import STATIC
from rosenblatt.lab.registry import registry

KINDS = {".woff2": "font/woff2", ".svg": "image/svg+xml"}


def offline_page(document: schema.Document) -> str:
    """Return the page of a run as HTML that loads nothing else."""
    points, targets = document.data.points, document.data.targets
    table = schema.Table(points=points, labels=targets)
    request = schema.CertifyRequest(
        data=table, fit_intercept=document.data.bias > 0,
        intercept_scaling=document.data.bias or 1.0,
    )  # fmt: skip
    opening = schema.Opening(document=document, verdict=certify_points(request)).model_dump_json()
    return _inlined(opening)


def static_page() -> str:
    """Return the whole lab as HTML that loads nothing else and needs no server."""
    return _inlined("null")


def _inlined(opening: str) -> str:
    """Return the page with all that it loads, and what it opens with as JSON."""
    index = STATIC / "index.html"
    if not index.exists():
        raise ValueError("the page is not built; run `make page` first.")
    html = index.read_text(encoding="utf-8")
    content = f'{{"opening":{opening},"registry":{registry().model_dump_json()}}}'
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
