"""How code is executed: the shipped machine code, just in time, or plain Python.

The text of rules, spaces and loops is the same in all of them. `fast(loop)` is called like the
loop itself; `by_address(rule)` is a rule in the form that such a loop calls.
"""

from rosenblatt.engine.execution.call import fast, preload
from rosenblatt.engine.execution.rule import by_address
from rosenblatt.engine.execution.shipped import status

__all__ = ["by_address", "fast", "preload", "status"]
