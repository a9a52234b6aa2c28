"""Addresses of the page: which texts are meant as one, and what their end names."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
ENDS = ("#", "?s=", "s=")  # of an address that was copied without its beginning


def is_link(text: str) -> bool:
    """Return whether a text is meant as a link, not as a file."""
    return text.startswith(ENDS) or ADDRESS.match(text) is not None


def end_of(link: str) -> str:
    """Return what names the state in a link, without # or ?; any host may be before it."""
    if not ADDRESS.match(link):
        return link.lstrip("#?")
    try:
        parts = urlsplit(link)
    except ValueError:
        return ""
    if parts.fragment:
        return parts.fragment
    states = parse_qs(parts.query, max_num_fields=100).get("s", [])
    return f"s={states[0]}" if states else ""
