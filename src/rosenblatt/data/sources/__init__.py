"""Files of every format as batches of rows: CSV, TSV, Parquet, Arrow, SVMlight, IDX.

A source reads as often as needed, in bounded memory, and reports what is wrong with its line.
"""

from __future__ import annotations

from rosenblatt.extras import extra

with extra("cli", "reading files"):
    from rosenblatt.data.sources.batch import Batch, Source
    from rosenblatt.data.sources.formats import FORMATS, input_files, open_source

__all__ = ["FORMATS", "Batch", "Source", "input_files", "open_source"]
