"""The lab: watch perceptrons learn, in the browser. The engine is this library, on this machine."""
