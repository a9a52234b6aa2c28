"""Packages that only an extra installs: imported where they are used, or named in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str, purpose: str) -> Iterator[None]:
    """Say how to install what an import in this block does not find.

    >>> with extra("cli", "the command line"):
    ...     import absent
    Traceback (most recent call last):
    ImportError: the command line needs absent; install it with: pip install "rosenblatt[cli]"
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "rosenblatt"):  # no package is missing: it is a mistake in this one
            raise
        raise ImportError(
            f'{purpose} needs {package}; install it with: pip install "rosenblatt[{name}]"',
            name=package,
        ) from None
