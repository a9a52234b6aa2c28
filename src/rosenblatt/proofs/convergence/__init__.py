"""The convergence theorem on a run: its inequalities update by update, and bounds on updates."""
