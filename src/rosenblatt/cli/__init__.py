"""The command line: from a file to a model, thin over the library."""
