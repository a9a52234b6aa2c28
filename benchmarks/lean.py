"""An environment with what a plain `pip install rosenblatt` installs, made without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.tables import ROOT

PACKAGE = ROOT / "src" / "rosenblatt"
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
SEALED = """
mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount -o remount,bind,ro / \
&& exec env -i "$@"
"""
"""Makes an environment and all that is mounted with the root read-only, and empties the variables
before a command is run."""


def needed(names: Iterable[str]) -> set[str]:
    """Return the distributions that some distributions need, themselves included."""
    found: set[str] = set()
    left = [*names]
    while left:
        name = canonicalize_name(left.pop())
        if name not in found:
            found.add(name)
            requirements = map(Requirement, metadata.requires(name) or ())
            left += [
                requirement.name
                for requirement in requirements
                if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            ]
    return found


def entries(name: str) -> set[Path]:
    """Return the files and folders of a distribution at the top of its site-packages."""
    tops = {file.parts[0] for file in metadata.files(name) or ()} - {"..", "__pycache__"}
    return {Path(str(metadata.distribution(name).locate_file(top))) for top in tops}


def make(folder: Path) -> list[str]:
    """Make the environment, and return the command that starts its Python.

    The package is a copy of the sources with the machine code that was built; other packages are
    links to those of this environment. What only extras install is not there, Numba among it.
    """
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    # Isolated from the variables and the folder of whoever measures.
    command = [str(python), "-I", "-W", "ignore"]
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([*command, "-c", where], check=True, capture_output=True, text=True)
    site = Path(done.stdout.strip())
    for name in needed(["rosenblatt"]) - {"rosenblatt"}:
        for entry in entries(name):
            (site / entry.name).symlink_to(entry)
    shutil.copytree(PACKAGE, site / "rosenblatt", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([*command, "-m", "compileall", "-q", str(site)], check=True)
    return command


def sealed(folder: Path, command: list[str]) -> list[str]:
    """Return a command that runs another without variables, a network or a place to write to."""
    spaces = ["unshare", "--map-root-user", "--mount", "--net"]
    return [*spaces, "sh", "-c", SEALED, str(folder), *command]


def can_seal() -> bool:
    """Return whether this system lets us run a sealed command."""
    if shutil.which("unshare") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        command = sealed(Path(folder), ["true"])
        return not subprocess.run(command, check=False, capture_output=True).returncode


def installed_size(base: Iterable[str]) -> tuple[float, str]:
    """Return the megabytes that the package adds to a base, and what was counted.

    The package is installed from a wheel. Where none can be built, its folder is counted.
    """
    others = needed(["rosenblatt"]) - needed(base) - {"rosenblatt"}
    more = sum(size(entry) for name in others for entry in entries(name))
    with tempfile.TemporaryDirectory() as name:
        wheels, target = Path(name) / "wheels", Path(name) / "target"
        try:
            install(wheels, target)
        except subprocess.CalledProcessError:
            return (size(PACKAGE) + more) / 1e6, "no wheel can be built: the package's folder"
        return (size(target) + more) / 1e6, "from a wheel"


def install(wheels: Path, target: Path) -> None:
    """Build a wheel of the package in one folder, and install it into another."""
    build = ["wheel", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels)]
    subprocess.run([*PIP, *build, str(ROOT)], check=True, stdout=subprocess.DEVNULL)
    (wheel,) = wheels.glob("*.whl")
    copy = ["install", "--no-index", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run([*PIP, *copy], check=True)


def size(place: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if place.is_file():
        return place.stat().st_size
    files = (Path(at) / name for at, _, names in os.walk(place) for name in names)
    return sum(file.lstat().st_size for file in files)
