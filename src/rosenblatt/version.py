"""The version, where every file can read it without importing the package's names."""

__version__ = "0.1.0"
