"""All that must be trusted: problems in exact numbers, certificates, and their verification.

It imports nothing of the search.
"""
