"""Hypothesis draws the same examples in every run: what passed once, passes on any machine."""

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")
