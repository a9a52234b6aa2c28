"""Runs the theory: compiled loops, spaces made from tables, runs that can stop and go on.

The only room that knows how code is compiled or loaded.
"""
