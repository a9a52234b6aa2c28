"""The loops at machine speed: the only file that imports Numba.

The Python functions of rules, spaces and loops are compiled as they stand. A verb's body is chosen
while compiling, by the type of its record, so that each (rule, space) has a loop of its own.
"""

from __future__ import annotations

import hashlib
import sys
import types as pytypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload

from rosenblatt import (
    budgets,
    covariance,
    csr,
    gram,
    greedy,
    holdings,
    journal,
    loops,
    mirror,
    orders,
    rows,
    rules,
    spaces,
    verbs,
)

FAST = {"reassoc", "contract", "nsz"}  # never nnan or ninf: an overflow must stay visible
LINE = 64  # bytes of a cache line
SOURCES = (
    budgets, covariance, csr, gram, greedy, holdings, journal, loops, mirror, orders, rows, rules,
    spaces, verbs,
)  # fmt: skip
"""Where kernels come from; to import them is to have their verbs and functions to register."""


def _register_verb(verb: Any) -> None:
    @overload(verb, strict=False, jit_options={"forceinline": True})
    def choose(record: Any, *rest: Any) -> Any:
        kind = getattr(record, "instance_class", None)
        return verb.bodies.get(kind, verb.default)


def _register(function: Any, **options: Any) -> None:
    @overload(function, strict=False, jit_options=options)
    def itself(*arguments: Any) -> Any:
        return function


@intrinsic
def _touch(typingctx: Any, array: Any, offset: Any) -> Any:
    """Prefetch the cache line that holds the element at a flat offset."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        held = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(held.data, [arguments[1]])
        address = builder.bitcast(address, cgutils.voidptr_t)
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
        name = "llvm.prefetch.p0"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        builder.call(function, [address, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


def _register_prefetch() -> None:
    @overload(spaces.prefetch)
    def fetch(array: Any, i: Any, lines: Any) -> Any:
        step = LINE // (array.dtype.bitwidth // 8)
        many = array.ndim > 1

        # Straight-line code: a loop over a number of lines that is not known costs more than the
        # lines that it saves. Memory past the end may be asked for without harm.
        def some(array: Any, i: Any, lines: Any) -> None:
            first = i * array.shape[1] if many else i
            if lines > 0:
                _touch(array, first)
            if lines > 1:
                for line in range(1, 4):
                    _touch(array, first + line * step)
            if lines > 4:
                for line in range(4, 8):
                    _touch(array, first + line * step)

        return some


for _verb in verbs.VERBS:
    _register_verb(_verb)
for _function in verbs.REDUCTIONS:
    _register(_function, fastmath=FAST, forceinline=True)
_register_prefetch()
_known = {spaces.prefetch}


def _register_new() -> None:
    """Register the functions that kernels may call; a user's own rule comes in late."""
    for function in verbs.INNER:
        if function not in _known:
            _register(function, forceinline=True)
            _known.add(function)


@cache
def _fingerprint() -> str:
    """Hash of every source that compiled code comes from.

    Numba's cache watches only the file of the outer function; the hash in the kernel's name makes
    an edit anywhere else a new kernel.
    """
    bodies = [body for verb in verbs.VERBS for body in (verb.default, *verb.bodies.values())]
    homes = {f.__module__ for f in (*bodies, *verbs.INNER, *verbs.REDUCTIONS)}
    ours = {home for home in homes if home.startswith("rosenblatt.")}
    digest = hashlib.sha256()
    for name in sorted(ours | {module.__name__ for module in SOURCES} | {__name__}):
        digest.update(Path(str(sys.modules[name].__file__)).read_bytes())
    return digest.hexdigest()[:12]


def ready() -> None:
    """Have Numba load now what it would load for its first kernel."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def kernel(function: Callable[..., Any], keep: bool = True) -> Callable[..., Any]:
    """The compiled form of a loop; kept on disk unless it holds a rule that is not ours."""
    _register_new()
    return _dispatcher(function, keep)


@cache
def _dispatcher(function: Callable[..., Any], keep: bool) -> Callable[..., Any]:
    twin = pytypes.FunctionType(function.__code__, function.__globals__, function.__name__)
    twin.__qualname__ = f"{function.__name__}_{_fingerprint()}"
    twin.__module__ = function.__module__
    # Loops make no arrays. Without Numba's runtime nobody counts references to those that they are
    # given, which at every visit, one locked instruction after another, cost as much as short rows.
    compiled: Callable[..., Any] = njit(cache=keep, nogil=True, _nrt=False)(twin)
    return compiled
