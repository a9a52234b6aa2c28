"""Builds what is shipped as machine code and as WebAssembly from the Python sources."""
