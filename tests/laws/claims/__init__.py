"""The law of claims: all that a fit reports about itself is true of the data it was given.

`draw` makes cases, `case` runs them, `truth` has the exact answers, `checks` compares.
"""
