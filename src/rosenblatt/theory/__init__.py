"""What the algorithms are: rules, spaces, loops, orders, readouts, budgets, and the journal.

Pure functions of numbers and arrays, written once in plain Python. How they are compiled and run is
the business of `rosenblatt.engine`. Each module is imported by itself: a certificate is checked
without the loops.
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
