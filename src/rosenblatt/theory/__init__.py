"""The algorithms: rules, spaces, loops, orders, readouts, budgets, the journal.

Pure functions of numbers and arrays, written once in plain Python; `rosenblatt.engine` compiles and
runs them. Nothing is imported here, so that a certificate can be checked without the loops.
"""

__all__ = [
    "budgets",
    "journal",
    "loops",
    "orders",
    "readouts",
    "rounding",
    "rules",
    "similarity",
    "spaces",
    "verbs",
]
