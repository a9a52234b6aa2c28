"""Predictions written as CSV or Parquet, or collected for JSON."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from rosenblatt.storage.atomic import writing
from rosenblatt.theory.spaces import Array


class PredictionWriter(Protocol):
    """A destination of predictions, which come some rows at a time."""

    def write(self, columns: dict[str, Array]) -> None:
        """Append rows, given as columns."""
        ...


@contextmanager
def open_writer(out: Path | None) -> Iterator[PredictionWriter]:
    """Write to a file, which appears whole or not at all, or to standard output."""
    if out is None:
        if sys.stdout is None:
            raise ValueError("standard output is closed; name a file with --out.")
        yield _CsvWriter(sys.stdout.buffer)
        return
    if out.suffix not in (".csv", ".parquet"):
        raise ValueError(f"--out {out} must end in .csv or .parquet.")
    with writing(out) as file:
        if out.suffix == ".csv":
            yield _CsvWriter(file)
            return
        writer = _ParquetWriter(file)
        yield writer
        writer.close()


class Collector:
    """Predictions kept in memory, as lists."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {}

    def write(self, columns: dict[str, Array]) -> None:
        """Append rows, given as columns."""
        for name, values in columns.items():
            self.columns.setdefault(name, []).extend(values.tolist())


def _arrow_table(columns: dict[str, Array]) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(values) for name, values in columns.items()})


class _CsvWriter:
    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.has_header = file, False

    def write(self, columns: dict[str, Array]) -> None:
        import pyarrow.csv as arrow_csv

        if not self.has_header:
            header = io.StringIO()
            csv.writer(header, lineterminator="\n").writerow(columns)
            self.file.write(header.getvalue().encode())
            self.has_header = True
        content = io.BytesIO()
        table = _arrow_table(columns)
        labels = map(str, table["prediction"].unique().to_pylist())
        # pyarrow quotes all strings or none.
        quoted = any(set(label) & set('",\r\n') for label in labels)
        style = "needed" if quoted else "none"
        options = arrow_csv.WriteOptions(include_header=False, quoting_style=style)
        arrow_csv.write_csv(table, content, options)
        self.file.write(content.getvalue())


class _ParquetWriter:
    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.writer: Any = None

    def write(self, columns: dict[str, Array]) -> None:
        import pyarrow.parquet as parquet

        table = _arrow_table(columns)
        if self.writer is None:
            self.writer = parquet.ParquetWriter(self.file, table.schema)
        self.writer.write_table(table)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
