"""Atomic writes: a file is replaced completely or not at all, and never an input."""

from __future__ import annotations

import errno
import io
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from weakref import WeakKeyDictionary

STANDARD_OUTPUT = frozenset({"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
"""Names of standard output, which is written to directly."""

_origins: WeakKeyDictionary[Any, set[Path]] = WeakKeyDictionary()


# --- writing --------------------------------------------------------------------------------


@contextmanager
def writing(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing; a crash leaves the old file or the new one.

    The content goes to a hidden file in the same folder, which then replaces the old file and
    keeps its permissions. A symbolic link is kept: the file that it points to is replaced.
    Devices, pipes and standard output are written to directly. An error names `path`, never the
    hidden file.
    """
    check(path)
    if str(path) in STANDARD_OUTPUT:
        sys.stdout.flush()
        with _open(os.dup(1), "wb", path) as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    old = _status(path)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with _open(path, "wb", path) as file:
            yield file
        return
    part = target.with_name(f".{secrets.token_hex(8)}.part")  # short for any target name
    try:
        with _open(part, "xb", path) as file:
            with _named(path):
                if old is not None:
                    os.chmod(part, stat.S_IMODE(old.st_mode))  # before any content is written
            yield file
            file.flush()
            with _named(path):
                os.fsync(file.fileno())
        with _named(path):
            os.replace(part, target)
            _sync_folder(target.parent)
    except BaseException:
        with suppress(OSError):  # the folder may be gone
            part.unlink(missing_ok=True)
        raise


class _Output(io.FileIO):
    """A file whose errors name the output that it is written for."""

    def __init__(self, place: str | Path | int, mode: str, output: str | Path) -> None:
        self._output = output
        super().__init__(place, mode)

    def write(self, content: Any) -> int:
        with _named(self._output):
            return super().write(content)


def _open(place: str | Path | int, mode: str, output: str | Path) -> IO[bytes]:
    """Open a place, such as a hidden file, at which the content of an output is written."""
    with _named(output):
        return io.BufferedWriter(_Output(place, mode, output))


@contextmanager
def _named(output: str | Path) -> Iterator[None]:
    """Let errors of the system name an output; a closed pipe is reported as such."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        words = f"it cannot be written ({reason}); make room, or name another place"
        raise OSError(error.errno, words, str(output)) from None


def _sync_folder(folder: Path) -> None:
    """Make a replaced file last, where folders can be synchronised."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def write(path: str | Path, content: bytes) -> None:
    """Write a file atomically."""
    with writing(path) as file:
        file.write(content)


# --- checks before any work -----------------------------------------------------------------


def protect(
    outputs: Iterable[tuple[str, str | Path]], inputs: Iterable[str | Path | int] = ()
) -> None:
    """Reject outputs that cannot be written or would replace an input or each other.

    Call it before any work is done. Files are compared by device and inode, so that links and
    other spellings of a name count as the same file.

    Parameters
    ----------
    outputs : iterable of pairs
        Each output, after the option or parameter that names it: ("--out", path).
    inputs : iterable of paths and file descriptors
        All inputs; a missing one is reported later, by its reader.
    """
    read = {key: name for name in inputs if (key := _key(name)) is not None}
    written: dict[Any, str] = {}
    for label, path in outputs:
        key = _key(path)
        if key is not None and key in read:
            raise ValueError(_overwritten(path, read[key], label))
        check(path, label)
        if key is None and not _replaceable(path):
            continue  # several outputs may share a device or a pipe
        place = key or os.path.realpath(path)
        if place in written:
            raise ValueError(
                f"{path} is named for both {written[place]} and {label}; name two different files."
            )
        written[place] = label


def check(path: str | Path, label: str = "the output") -> None:
    """Reject an output that is a folder, or whose folder is missing or not writable."""
    try:
        old = _status(path)
    except OSError as error:
        raise _cannot(path, label, error) from None
    if old is not None and stat.S_ISDIR(old.st_mode):
        words = f"this is a folder; name a file for {label}"
        raise IsADirectoryError(errno.EISDIR, words, str(path))
    if not _replaceable(path):
        return
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        shown = folder if os.path.islink(path) else Path(path).parent
        words = f"there is no folder {shown}; make it, or name another place for {label}"
        raise FileNotFoundError(errno.ENOENT, words, str(path))
    if old is not None and not os.access(path, os.W_OK):
        words = f"the file is write-protected; name another file for {label}"
        raise PermissionError(errno.EACCES, words, str(path))
    _try_folder(folder, path, label)


def inside(path: str | Path, names: Iterable[str], label: str) -> list[tuple[str, Path]]:
    """Check a folder for outputs and return the outputs in it, for `protect`.

    If the folder does not exist but can be created, there is nothing to protect in it.
    """
    folder = Path(os.path.realpath(path))
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        words = f"{folder} is a file; name a folder for {label}"
        raise NotADirectoryError(errno.ENOTDIR, words, str(path))
    _try_folder(folder, path, label)
    return [(label, Path(path) / name) for name in names] if Path(path).is_dir() else []


def _try_folder(folder: Path, path: str | Path, label: str) -> None:
    """Create an unnamed file, because permissions alone do not show what is allowed."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _cannot(path, label, error) from None


def _cannot(path: str | Path, label: str, error: OSError) -> OSError:
    words = f"it cannot be written ({error.strerror}); name another place for {label}"
    return OSError(error.errno, words, str(path))


def _overwritten(path: str | Path, source: str | Path | int, label: str) -> str:
    if isinstance(source, int):
        same = "is the file that standard input reads"
    elif str(source) == str(path):
        same = "is an input"
    else:
        same = f"is the same file as the input {source}"
    return f"{path} {same} and would be overwritten; name another file for {label}."


def _status(path: str | Path) -> os.stat_result | None:
    """Return the status of a path, following links; None if it does not exist."""
    try:
        return os.stat(Path(path))
    except (FileNotFoundError, NotADirectoryError):
        return None


def _key(path: str | Path | int) -> tuple[int, int] | None:
    """Return device and inode of an existing regular file; None for anything else."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _replaceable(path: str | Path) -> bool:
    """Return whether a path is replaced, rather than written to as a stream."""
    if str(path) in STANDARD_OUTPUT:
        return False
    old = _status(path)
    return old is None or stat.S_ISREG(old.st_mode)


# --- objects that come from files -----------------------------------------------------------


def remember(thing: Any, files: Iterable[str | Path | int]) -> None:
    """Record the files that an object was made from; descriptors are skipped."""
    named = {Path(os.path.abspath(file)) for file in files if not isinstance(file, int)}
    _origins[thing] = _origins.get(thing, set()) | named


def origins(*things: Any) -> list[Path]:
    """Return the files that these objects were made from, as far as recorded."""
    return [file for thing in things if thing in _origins for file in sorted(_origins[thing])]
