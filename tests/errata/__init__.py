"""Mistakes often met in texts and code about perceptrons, and that this library makes none of them.

Each test names the false claim and shows what is true instead.
"""
