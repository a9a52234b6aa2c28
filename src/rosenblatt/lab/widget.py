"""The figure of a run as a widget: a frame with the page, and its moment as traits."""

from __future__ import annotations

import html
from typing import Any

import anywidget
import traitlets

from rosenblatt.lab import STATIC, schema
from rosenblatt.lab.export import figure_page

FRAME = (
    '<iframe title="Rosenblatt: a run" sandbox="allow-scripts" srcdoc="{page}" '
    'style="width: 100%; height: 580px; border: 0"></iframe>'
)
"""The figure where there are no widgets; of an origin of its own, it cannot reach the document."""


class Figure(anywidget.AnyWidget):
    """How an estimator learned; `step` and `point` are what is looked at."""

    _esm = traitlets.Unicode().tag(sync=True)
    page = traitlets.Unicode(help="The page in the frame.").tag(sync=True)
    step = traitlets.Int(0, help="Updates made in what is shown.").tag(sync=True)
    point = traitlets.Int(
        None, allow_none=True, help="The number of the selected example, or None."
    ).tag(sync=True)

    def __init__(self, opening: schema.Opening) -> None:
        document = opening.document
        assert document is not None
        self.algorithm, self.examples = document.config.algorithm, len(document.data.points)
        runs = [document.updates, *(other.updates for other in document.others)]
        self.steps = len({t for updates in runs for t in updates.t})
        self._opening = opening
        page = figure_page(opening, 0, None)
        super().__init__(_esm=(STATIC / "widget.js").read_text(encoding="utf-8"), page=page)

    @traitlets.validate("step")
    def _whole_step(self, proposal: Any) -> int:
        return _within("step", proposal["value"], self.steps, f"{self.steps:,} updates")

    @traitlets.validate("point")
    def _known_point(self, proposal: Any) -> int | None:
        value = proposal["value"]
        if value is None:
            return None
        return _within("point", value, self.examples - 1, f"{self.examples:,} examples")

    def __repr__(self) -> str:
        return f"<Figure of {self.algorithm}: {self.step:,} of {self.steps:,} updates>"

    def _repr_html_(self) -> str:
        """Return the figure at this moment, for where there are no widgets."""
        page = figure_page(self._opening, self.step, self.point)
        return FRAME.format(page=html.escape(page))

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the widget, and the figure for where there are no widgets."""
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return data | {"text/html": self._repr_html_()}, metadata


def _within(name: str, value: int, most: int, all_of: str) -> int:
    """Return a value from 0 to `most`; else an error says what there is."""
    if not 0 <= value <= most:
        raise traitlets.TraitError(
            f"{name}={value:,} is not in this run of {all_of}; give a number from 0 to {most:,}."
        )
    return value
