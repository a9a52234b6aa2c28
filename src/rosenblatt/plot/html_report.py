"""A report about a model: text, tables and plots in one self-contained HTML file."""

from __future__ import annotations

import io
import re
from typing import Any

from rosenblatt.data.extras import extra
from rosenblatt.markup import escaped, printable, table
from rosenblatt.plot.canvas import NEGATIVE, POSITIVE

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


Weights = dict[Any, dict[str, list[tuple[str, float]]]]
"""The weights to show, by class, as `top_features` returns them."""

SHOWN_CLASSES = 10
"""Classes whose weights are plotted."""


def html_report(model: Any, strongest: Weights) -> str:
    """Return the report: the summary, errors, plots, weights, passes and origin."""
    estimator, origin = model.estimator, model.provenance
    name = type(estimator).__name__
    parts = [f"<h1>{escaped(name)}</h1>", _summary(model)]
    history = origin.get("history") or []
    parts += [_errors(origin), *_plots(history, strongest)]
    parts += [_weights(strongest), _passes(history)]
    facts = {"made by rosenblatt": model.version}
    facts |= {key: origin[key] for key in ("data", "target", "rows", "digest") if key in origin}
    facts |= origin.get("versions", {})
    parts.append("<h2>Origin</h2>" + table([], facts.items()))
    parameters = sorted(estimator.get_params().items())
    parts.append("<h2>Parameters</h2>" + table([], parameters))
    body = "\n".join(part for part in parts if part)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escaped(name)}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _summary(model: Any) -> str:
    text = model.estimator.summary(getattr(model, "feature_names", None))
    return "<pre>" + "\n".join(map(escaped, text.split("\n"))) + "</pre>"


def _errors(origin: dict[str, Any]) -> str:
    names = {
        "training_error": "training error",
        "learning_error": "error while learning",
        "held_out_error": "held-out error",
    }
    rows = [
        (title, f"{100 * origin[name]:.2f} %")
        for name, title in names.items()
        if origin.get(name) is not None
    ]
    return "<h2>Errors</h2>" + table([], rows) if rows else ""


def _weights(strongest: Weights) -> str:
    parts = []
    for label, sides in strongest.items():
        rows = [(name, f"{weight:+.4g}") for name, weight in sides["positive"] + sides["negative"]]
        parts.append(f"<h2>For {escaped(label)}</h2>" + table(["feature", "weight"], rows))
    return "\n".join(parts)


def _passes(history: list[dict[str, Any]]) -> str:
    rows = [
        (
            number,
            f"{tally['rows']:,}",
            f"{tally['mistakes']:,}",
            f"{100 * tally['held_out_errors'] / tally['held_out_rows']:.2f} %"
            if tally["held_out_rows"]
            else "",
        )
        for number, tally in enumerate(history, 1)
    ]
    head = ["pass", "rows", "mistakes while learning", "held-out error"]
    return "<h2>Passes</h2>" + table(head, rows) if rows else ""


# --- plots ----------------------------------------------------------------------------------


def _plots(history: list[dict[str, Any]], strongest: Weights) -> list[str]:
    """Return the curves of the passes and the bars of the weights, as SVG."""
    plots = [_error_curves(history)] if len(history) > 1 else []
    for label, sides in list(strongest.items())[:SHOWN_CLASSES]:
        bars = [*sides["positive"], *sides["negative"][::-1]][::-1]
        if bars:
            plots.append(_weight_bars(str(label), bars))
    return plots


def _error_curves(history: list[dict[str, Any]]) -> str:
    figure = _figure(3)
    ax = figure.subplots()
    passes = range(1, len(history) + 1)
    learned = [100 * tally["mistakes"] / max(1, tally["rows"]) for tally in history]
    ax.plot(passes, learned, color=POSITIVE, marker="o", label="error while learning")
    if all(tally["held_out_rows"] for tally in history):
        held = [100 * tally["held_out_errors"] / tally["held_out_rows"] for tally in history]
        ax.plot(passes, held, color=NEGATIVE, marker="^", label="held-out error")
    ax.set(xlabel="pass", ylabel="error, %", ylim=(0, 1.15 * ax.dataLim.y1 or 1))
    ax.locator_params(axis="x", integer=True)
    ax.legend(frameon=False)
    return _svg(figure, "Error after each pass")


def _weight_bars(label: str, bars: list[tuple[str, float]]) -> str:
    figure = _figure(0.6 + 0.28 * len(bars))
    ax = figure.subplots()
    weights = [weight for _, weight in bars]
    colours = [POSITIVE if weight > 0 else NEGATIVE for weight in weights]
    ax.barh(range(len(bars)), weights, color=colours)
    ax.set_yticks(range(len(bars)), [_plain(name) for name, _ in bars])
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set(xlabel=f"weight for {_plain(label)}")
    return _svg(figure, f"Strongest features for {label}")


def _figure(height: float) -> Any:
    with extra("plot", "a report with plots"):
        from matplotlib.figure import Figure
    return Figure(figsize=(7, height), layout="constrained")


def _plain(name: str) -> str:
    """Return a short name with dollar signs escaped, which would begin a formula."""
    name = printable(name)
    return (name if len(name) <= 40 else name[:37] + "...").replace("$", r"\$")


def _svg(figure: Any, title: str) -> str:
    """Return a figure as an SVG element, the same bytes each time."""
    import matplotlib as mpl

    content = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": title, "svg.fonttype": "path"}):
        figure.savefig(content, format="svg", metadata={"Date": None})
    svg = re.sub(r"^.*?(?=<svg)", "", content.getvalue(), flags=re.DOTALL)
    # Plots may use the same ids, which must be unique in the page.
    salt = re.sub(r"\W", "", title)
    svg = re.sub(r'\bid="', f'id="{salt}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{salt}-", svg)
    label = escaped(title)
    return f'<figure role="img" aria-label="{label}">{svg}</figure>'
