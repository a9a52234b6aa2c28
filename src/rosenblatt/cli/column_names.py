"""Which files are column files, by their names."""

from __future__ import annotations

from pathlib import Path

SUFFIXES = (".conll", ".conllu", ".iob", ".iob2", ".bio")
"""Suffixes of column files, before that of a compression."""
COMPRESSED = (".gz", ".zst")


def is_column_file(data: str) -> bool:
    """Return whether a file is a column file by its name."""
    path = Path(data)
    stem = path.with_suffix("") if path.suffix.lower() in COMPRESSED else path
    return stem.suffix.lower() in SUFFIXES
