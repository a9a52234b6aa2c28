"""The law of claims: whatever a fit says of itself is true of the data it was given.

`draw` makes cases, `case` runs them, `truth` has the exact answers, `checks` compares.
"""
