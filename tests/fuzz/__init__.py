"""Damaged files: what loads works, everything else is a ValueError.

`make fuzz` runs many cases, `test_fuzz.py` a sample of them. A case is a file of some kind (see
`files.py`), damaged in some way (see `damage.py`), read and used by a process of its own.
"""
