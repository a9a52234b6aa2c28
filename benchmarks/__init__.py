"""Measurements beside published figures and other libraries; they need data the package lacks."""
