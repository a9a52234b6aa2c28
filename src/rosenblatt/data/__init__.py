"""Examples to learn from."""
