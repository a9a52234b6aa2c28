"""Gather the posts of 20 Newsgroups, a file each, into two tables: train and test."""

import sys
import tarfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet


def main(archive: str, folder: str) -> None:
    tables: dict[str, dict[str, list[str]]] = {}
    with tarfile.open(archive) as posts:
        for member in posts:
            if member.isfile():
                part, group = Path(member.name).parts[-3:-1]
                table = tables.setdefault(part.rsplit("-", 1)[-1], {"group": [], "post": []})
                file = posts.extractfile(member)
                assert file is not None
                table["group"].append(group)
                table["post"].append(file.read().decode("latin-1"))
    for part, table in tables.items():
        parquet.write_table(pa.table(table), Path(folder) / f"news-{part}.parquet")


if __name__ == "__main__":
    main(*sys.argv[1:])
