"""A model on one page: words, tables and pictures in a single HTML file that needs nothing else."""

from __future__ import annotations

import html
import io
import re
from typing import Any

STYLE = """
:root { color-scheme: light dark; --line: #8884; --accent: #0072B2; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .8rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child { text-align: left; }
pre { white-space: pre-wrap; } figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; }
figure { background: #fff; }
"""


def page(model: Any, strongest: dict[Any, dict[str, list[tuple[str, float]]]]) -> str:
    """The page of a model: what it is, how it learned, what it looks at, where it came from.

    `strongest` has the weights to show, by class, as `top_features` gives them.
    """
    estimator, origin = model.estimator, model.provenance
    name = type(estimator).__name__
    parts = [f"<h1>{_text(name)}</h1>", f"<pre>{_text(estimator.summary())}</pre>"]
    parts += [_errors(origin), _pictures(estimator, origin, strongest)]
    parts += [_weights(strongest), _history(origin)]
    facts = {"made by rosenblatt": model.version}
    facts |= {key: origin[key] for key in ("data", "target", "rows", "digest") if key in origin}
    facts |= origin.get("versions", {})
    parts.append("<h2>Where it came from</h2>" + _table(["", ""], facts.items()))
    parameters = sorted(estimator.get_params().items())
    parts.append("<h2>Parameters</h2>" + _table(["", ""], parameters))
    body = "\n".join(part for part in parts if part)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_text(name)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _text(value: Any) -> str:
    return html.escape(str(value))


def _table(head: list[str], rows: Any) -> str:
    top = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _errors(origin: dict[str, Any]) -> str:
    names = {
        "training_error": "training error",
        "learning_error": "error while learning",
        "held_out_error": "held-out error",
    }
    rows = [
        (words, f"{100 * origin[name]:.2f} %")
        for name, words in names.items()
        if origin.get(name) is not None
    ]
    return "<h2>Errors</h2>" + _table(["", ""], rows) if rows else ""


def _weights(strongest: dict[Any, dict[str, list[tuple[str, float]]]]) -> str:
    parts = []
    for label, sides in strongest.items():
        rows = [(name, f"{weight:+.4g}") for name, weight in sides["positive"] + sides["negative"]]
        parts.append(f"<h2>For {_text(label)}</h2>" + _table(["feature", "weight"], rows))
    return "\n".join(parts)


def _history(origin: dict[str, Any]) -> str:
    history = origin.get("history") or []
    rows = [
        (
            number,
            f"{tally['rows']:,}",
            f"{tally['mistakes']:,}",
            f"{100 * tally['held_errors'] / tally['held_rows']:.2f} %"
            if tally["held_rows"]
            else "",
        )
        for number, tally in enumerate(history, 1)
    ]
    head = ["pass", "rows", "mistakes while learning", "held-out error"]
    return "<h2>Passes</h2>" + _table(head, rows) if rows else ""


# --- pictures -------------------------------------------------------------------------------


def _pictures(estimator: Any, origin: dict[str, Any], strongest: dict[Any, Any]) -> str:
    """Curves of the passes and bars of the weights, as SVG inside the page."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figures = []
    history = origin.get("history") or []
    if len(history) > 1:
        figure = Figure(figsize=(7, 3), layout="constrained")
        ax = figure.subplots()
        passes = range(1, len(history) + 1)
        learned = [100 * tally["mistakes"] / max(1, tally["rows"]) for tally in history]
        ax.plot(passes, learned, color="#0072B2", marker="o", label="error while learning")
        if all(tally["held_rows"] for tally in history):
            held = [100 * tally["held_errors"] / tally["held_rows"] for tally in history]
            ax.plot(passes, held, color="#D55E00", marker="^", label="held-out error")
        ax.set(xlabel="pass", ylabel="error, %", ylim=(0, 1.15 * ax.dataLim.y1 or 1))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.legend(frameon=False)
        figures.append(_svg(figure, "Error after each pass"))
    for label, sides in list(strongest.items())[:10]:
        bars = [*sides["positive"], *sides["negative"][::-1]][::-1]
        if not bars:
            continue
        figure = Figure(figsize=(7, 0.6 + 0.28 * len(bars)), layout="constrained")
        ax = figure.subplots()
        weights = [weight for _, weight in bars]
        colours = ["#0072B2" if weight > 0 else "#D55E00" for weight in weights]
        ax.barh(range(len(bars)), weights, color=colours)
        ax.set_yticks(range(len(bars)), [_plain(name) for name, _ in bars])
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set(xlabel=f"weight for {_plain(str(label))}")
        figures.append(_svg(figure, f"Strongest features for {label}"))
    return "\n".join(figures)


def _plain(name: str) -> str:
    """A name as matplotlib shows it: a dollar sign would begin a formula."""
    return (name if len(name) <= 40 else name[:37] + "...").replace("$", r"\$")


def _svg(figure: Any, words: str) -> str:
    import matplotlib as mpl

    content = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": words, "svg.fonttype": "path"}):
        figure.savefig(content, format="svg", metadata={"Date": None})
    picture = re.sub(r"^.*?(?=<svg)", "", content.getvalue(), flags=re.DOTALL)
    # Every picture defines ids of its own; in one page they must not meet.
    salt = re.sub(r"\W", "", words)
    picture = re.sub(r'\bid="', f'id="{salt}-', picture)
    picture = re.sub(r'(href="#|url\(#)', rf"\g<1>{salt}-", picture)
    label = html.escape(words, quote=True)
    return f'<figure role="img" aria-label="{label}">{picture}</figure>'
