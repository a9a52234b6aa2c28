"""From columns to numbers: recipes learned once and applied alike, streams of matrices."""
