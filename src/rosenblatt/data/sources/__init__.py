"""From files to batches of rows, in bounded memory: CSV, Parquet, Arrow, SVMlight, IDX."""
