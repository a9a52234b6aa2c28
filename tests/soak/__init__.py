"""Long runs that look for what grows or breaks with time: `make soak`."""
