"""HTML of results, for notebooks and reports: text of data escaped, no script, no request.

What is shown stands in a page of somebody else, light or dark: it takes the colour of its text, and
its own colours are legible on either background.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of characters that control a terminal, change the order of text or break lines."""
_JOINERS = "\u200c\u200d"
"""Characters of one of these categories that words and emoji need."""

FOR, AGAINST = "#2f86c4", "#d55e00"
COLOURS = (FOR, AGAINST)
WIDTH, HEIGHT = 320, 72  # of curves, in units of their drawing
LONGEST = 120  # characters of a name of data
STYLE = f"""<style>
.rosenblatt {{ color: inherit; font-size: 0.9em; line-height: 1.45;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word; }}
.rosenblatt .title {{ font-weight: 600; font-size: 1.1em; }}
.rosenblatt p, .rosenblatt .title, .rosenblatt figure {{ margin: 0.3em 0; max-width: 46em; }}
.rosenblatt table {{ border-collapse: collapse; margin: 0.4em 0; }}
.rosenblatt caption {{ text-align: left; opacity: 0.75; white-space: nowrap; }}
.rosenblatt table tr:nth-child(n) {{ background: none; }} /* notebooks have styles of their own */
.rosenblatt table th, .rosenblatt table td {{ text-align: left; padding: 0.1em 1em 0.1em 0;
  border: 0; border-bottom: 1px solid #8885; vertical-align: top; }}
.rosenblatt svg {{ width: 100%; max-width: 26em; height: auto; overflow: visible; }}
.rosenblatt polyline {{ fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; }}
.rosenblatt .ground {{ stroke: #8885; vector-effect: non-scaling-stroke; }}
.rosenblatt .bar {{ display: inline-block; height: 0.7em; min-width: 1px; }}
.rosenblatt .for {{ background: {FOR}; }} .rosenblatt .against {{ background: {AGAINST}; }}
</style>"""


def is_printable(character: str) -> bool:
    """Return whether a character may be printed as it is."""
    if " " <= character <= "~" or character in _JOINERS:
        return True
    return unicodedata.category(character) not in _UNSAFE


def printable(text: object) -> str:
    """Return text of data on one line, with what controls a terminal escaped.

    Example
    -------
    >>> print(printable("age\\x1b[2J"))
    age\\x1b[2J
    """
    given = str(text)
    if given.isascii() and given.isprintable():
        return given
    return "".join(c if is_printable(c) else c.encode("unicode_escape").decode() for c in given)


def escaped(value: object) -> str:
    """Return text of data for a page, where it is neither markup nor changes the order.

    >>> escaped("<b>\\u202e")
    '&lt;b&gt;\\\\u202e'
    """
    return html.escape(printable(value))


def short(value: object) -> str:
    """Return a name of data in no more characters than a line has room for."""
    given = str(value)
    return given if len(given) <= LONGEST else given[: LONGEST - 3] + "..."


def paragraphs(text: str) -> str:
    """Return the lines of a text as paragraphs; a line that begins with a space goes on."""
    lines = text.replace("\n  ", " ").split("\n")
    return "".join(f"<p>{escaped(line)}</p>" for line in lines if line)


def table(head: Sequence[object], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return a table; without a head its rows are names and values."""
    top = "".join(f"<th>{escaped(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    begin = f"<caption>{escaped(caption)}</caption>" if caption else ""
    begin += f"<thead><tr>{top}</tr></thead>" if head else ""
    return f"<table>{begin}<tbody>{body}</tbody></table>"


def curves(label: str, lines: Mapping[str, Iterable[float]]) -> str:
    """Return lines over the passes as one drawing, from zero up; "" for a single pass."""
    known = {name: [float(v) for v in values] for name, values in lines.items()}
    if any(len(values) < 2 for values in known.values()):
        return ""
    most = max(v for values in known.values() for v in values) or 1.0
    drawn, named = [], []
    for (name, values), colour in zip(known.items(), COLOURS, strict=False):
        across = WIDTH / (len(values) - 1)
        places = [f"{n * across:.1f},{HEIGHT * (1 - v / most):.1f}" for n, v in enumerate(values)]
        drawn.append(f'<polyline points="{" ".join(places)}" stroke="{colour}"/>')
        ends = f"{escaped(name)}: {values[0]:.4g} to {values[-1]:.4g}"
        named.append(f'<span style="color: {colour}">■</span> {ends}')
    ground = f'<line class="ground" x1="0" x2="{WIDTH}" y1="{HEIGHT}" y2="{HEIGHT}"/>'
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escaped(label)}">'
        f"{ground}{''.join(drawn)}</svg><figcaption>{escaped(label)} · {', '.join(named)}"
        "</figcaption></figure>"
    )


def bars(caption: str, weights: Sequence[tuple[str, float]]) -> str:
    """Return a table of weights with a bar for each; "" for none."""
    if not weights:
        return ""
    most = max(abs(weight) for _, weight in weights) or 1.0
    rows = "".join(
        f"<tr><td>{escaped(short(name))}</td><td>{weight:+.3g}</td>"
        f'<td><span class="bar {"for" if weight > 0 else "against"}" '
        f'style="width: {10 * abs(weight) / most:.2f}em"></span></td></tr>'
        for name, weight in weights
    )
    return f"<table><caption>{escaped(caption)}</caption><tbody>{rows}</tbody></table>"


def card(title: str, *parts: str) -> str:
    """Return parts under a title, as an element that stands in any page."""
    heading = f'<div class="title">{escaped(title)}</div>'
    return f'<div class="rosenblatt">{STYLE}{heading}{"".join(parts)}</div>'


class Lines(str):
    """Text that a notebook shows as paragraphs; it prints as it is."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        first, _, rest = self.partition("\n")
        return card(first, paragraphs(rest))


def facts(values: Mapping[str, Any]) -> str:
    """Return names and values as a table; those that are None are left out."""
    return table([], [(name, value) for name, value in values.items() if value is not None])
