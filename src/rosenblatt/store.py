"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def writing(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write to, so that a crash leaves the old one or the new one, never a part."""
    target = Path(path)
    name = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with open(name, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        name.unlink(missing_ok=True)
        raise


def write(path: str | Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with writing(path) as file:
        file.write(content)
