"""The built page as one file, with scripts, styles, fonts and the icon in it."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from rosenblatt.lab import STATIC

KINDS = {".woff2": "font/woff2", ".svg": "image/svg+xml"}
HASHED = re.compile(r'<(?:script type="module"|style)>(.*?)</(?:script|style)>', re.DOTALL)


def is_built() -> bool:
    """Return whether there is a page."""
    return (STATIC / "index.html").exists()


def whole_page(data: str = "") -> str:
    """Return the page as HTML that loads nothing else; `data` goes before its script."""
    if not is_built():
        raise ValueError("the page is not built; run `make page` first.")
    html = (STATIC / "index.html").read_text(encoding="utf-8")
    html = re.sub(r'(<link rel="icon" href=")([^"]*)', _icon, html)
    html = re.sub(r'<link rel="stylesheet"[^>]*href="([^"]*)"[^>]*>', _style, html)
    scripts = re.findall(r'<script type="module"[^>]*src="([^"]*)"[^>]*></script>', html)
    html = re.sub(r'<script type="module"[^>]*src="[^"]*"[^>]*></script>', "", html)
    code = "".join(_file(source).read_text(encoding="utf-8") for source in scripts)
    code = code.replace("</script", "<\\/script")
    return html.replace("</body>", f'{data}<script type="module">{code}</script></body>')


def policy(html: str) -> str:
    """Return the content security policy that lets a page run its own scripts and styles only."""
    own = [hashlib.sha256(part.encode()).digest() for part in HASHED.findall(html)]
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in own)
    return (
        f"default-src 'none'; script-src {hashes} 'wasm-unsafe-eval'; worker-src blob:; "
        f"style-src {hashes}; font-src data:; img-src data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


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
