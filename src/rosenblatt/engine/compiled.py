"""The loops at machine speed: the only file that imports Numba.

The Python functions of rules, spaces and loops are compiled as they stand. A verb's body is chosen
while compiling, by the type of its record, so that each space has a loop of its own. Rules are
compiled one by one, and loops call them by address.
"""

from __future__ import annotations

import hashlib
import os
import types as pytypes
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import cfunc, njit, types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload

from rosenblatt import theory
from rosenblatt.theory import loops, rules, spaces, verbs
from rosenblatt.theory.rules.by_address import call_address, gain_from_look, plain_step, step_or_nan

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FAST = {"reassoc", "contract", "nsz"}  # never nnan or ninf: an overflow must stay visible
LINE = 64  # bytes of a cache line
NUMBERS = types.CPointer(types.float64)
CODE = types.void(
    NUMBERS, *[types.float64] * 4, types.int64, types.int64, types.float64, types.float64, NUMBERS
)
"""The signature of a rule's code: its parameters, the fields of `Look`, and room for (a, c)."""

INLINE = {"forceinline": True, "no_cfunc_wrapper": True}
"""What loops call is inlined, so it needs no wrapper to be called from C."""


def _register_verb(verb: Any) -> None:
    @overload(verb, strict=False, jit_options=INLINE)
    def choose(record: Any, *rest: Any) -> Any:
        kind = getattr(record, "instance_class", None)
        return verb.bodies.get(kind, verb.default)


def _register(function: Any, **options: Any) -> None:
    @overload(function, strict=False, jit_options=INLINE | options)
    def itself(*arguments: Any) -> Any:
        return function


@intrinsic
def _touch(typingctx: Any, array: Any, offset: Any) -> Any:
    """Prefetch the cache line of an element into the second-level cache.

    The first-level cache holds only a few rows besides the hypothesis, and serves few misses at a
    time.
    """

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(view.data, [arguments[1]])
        address = builder.bitcast(address, cgutils.voidptr_t)
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
        name = "llvm.prefetch.p0"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        builder.call(function, [address, word(0), word(2), word(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


def _register_prefetch() -> None:
    @overload(spaces.prefetch, jit_options=INLINE)
    def fetch(array: Any, i: Any, lines: Any) -> Any:
        step = LINE // (array.dtype.bitwidth // 8)
        many = array.ndim > 1

        # Straight-line code: a loop over the number of lines costs more than the lines that it
        # saves. To prefetch past the end does no harm.
        def some(array: Any, i: Any, lines: Any) -> None:
            first = i * array.shape[1] if many else i
            if lines > 0:
                _touch(array, first)
            if lines > 1:
                for line in range(1, 4):
                    _touch(array, first + line * step)
            for four in range(4, lines, 4):
                for line in range(four, four + 4):
                    _touch(array, first + line * step)

        return some


@intrinsic
def _call(typingctx: Any, address: Any, fields: Any, s: Any) -> Any:
    """Call the code at an address as `CODE` declares; nan where it gives nothing."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        double = ir.DoubleType()
        view = context.make_array(signature.args[1])(context, builder, arguments[1])
        given = [
            context.cast(builder, builder.extract_value(arguments[2], number), have, want)
            for number, (have, want) in enumerate(zip(s, CODE.args[1:-1], strict=True))
        ]
        out = cgutils.alloca_once(builder, double, size=2)
        places = [builder.gep(out, [ir.IntType(32)(number)]) for number in range(2)]
        for place in places:
            builder.store(double(np.nan), place)
        kinds = [context.get_value_type(kind) for kind in CODE.args]
        kind = ir.FunctionType(ir.VoidType(), kinds).as_pointer()
        builder.call(builder.inttoptr(arguments[0], kind), [view.data, *given, out])
        made = [builder.load(place) for place in places]
        return context.make_tuple(builder, signature.return_type, made)

    return types.UniTuple(types.float64, 2)(address, fields, s), codegen


@intrinsic
def _record(typingctx: Any, kind: Any, fields: Any) -> Any:
    """Make a record of this kind from the numbers at a pointer."""
    made = types.NamedTuple([types.float64] * len(kind.instance_class._fields), kind.instance_class)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        places = [
            builder.gep(arguments[1], [ir.IntType(32)(number)]) for number in range(len(made))
        ]
        return context.make_tuple(builder, made, [builder.load(place) for place in places])

    return made(kind, fields), codegen


def _register_call() -> None:
    @overload(call_address, strict=False, jit_options=INLINE)
    def choose(address: Any, fields: Any, s: Any) -> Any:
        def called(address: Any, fields: Any, s: Any) -> Any:
            a, c = _call(address, fields, s)
            return a, c

        return called


for _verb in verbs.VERBS:
    _register_verb(_verb)
for _function in verbs.REDUCTIONS:
    _register(_function, fastmath=FAST)
_register_prefetch()
_register_call()
_known = {spaces.prefetch, call_address}


def _register_new() -> None:
    """Register the functions that compiled code may call and that are new."""
    for function in verbs.INNER:
        if function not in _known:
            _register(function)
            _known.add(function)


@cache
def _fingerprint() -> str:
    """Return a hash of every source that compiled code comes from: all of the theory.

    Numba's cache watches only the file of the outer function; the hash in the name of a compiled
    loop makes an edit anywhere else a new loop.
    """
    folder = Path(str(theory.__file__)).parent
    digest = hashlib.sha256()
    for file in (*sorted(folder.rglob("*.py")), Path(__file__)):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


@cache
def _latch() -> int:
    """Return an open file whose bytes are locked; to close it would unlock them all."""
    folder = compile_loop(loops.online).stats.cache_path
    return os.open(Path(folder) / "compiled.lock", os.O_RDWR | os.O_CREAT, 0o666)


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Make other processes that compile the same code wait; they then find it on disk."""
    byte, locked = zlib.crc32(name.encode()), False
    try:
        if fcntl is not None:
            fcntl.lockf(_latch(), fcntl.LOCK_EX, 1, byte)
            locked = True
    except OSError:
        pass  # where nothing can be locked, some things are compiled twice
    try:
        yield
    finally:
        if locked:
            fcntl.lockf(_latch(), fcntl.LOCK_UN, 1, byte)


def preload() -> None:
    """Have Numba load now what it would load when it first compiles."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def by_address(rule: Any) -> rules.RuleByAddress:
    """Return a rule in the form that compiled loops call."""
    _register_new()
    try:
        fields = np.array([float(number) for number in rule])
    except (TypeError, ValueError):
        raise TypeError(
            f"the parameters of the rule {type(rule).__name__} must be numbers; keep anything else "
            "in a space."
        ) from None
    kind: Any = type(rule)
    has_variances = rules.prior_variance(rule) > 0
    return rules.RuleByAddress(
        step=_compiled_function(kind, plain_step if _ours(kind) else step_or_nan).address,
        confidence_gain=_compiled_function(kind, gain_from_look).address if has_variances else 0,
        fields=fields,
        ball_radius2=float(rules.ball_radius2(rule)),
        margin_limit=float(rules.margin_limit(rule)),
        reads_norm2=bool(rules.reads_norm2(rule)),
        compares_unit_margins=bool(rules.compares_unit_margins(rule)),
        mean_shrinks=bool(rules.mean_shrinks(rule)),
    )


@cache
def _compiled_function(kind: type, work: Callable[..., Any]) -> Any:
    """Return the code of a function of a rule; that of our rules is cached."""

    def act(
        fields: Any, m: float, q: float, norm2: float, b: float, t: int, k: int, step_sum: float,
        y: float, out: Any,
    ) -> None:  # fmt: skip
        out[0], out[1] = work(_record(kind, fields), rules.Look(m, q, norm2, b, t, k, step_sum, y))

    act.__qualname__ = f"{kind.__name__}_{work.__name__}_{_fingerprint()}"
    with _alone(act.__qualname__):
        return cfunc(CODE, cache=_ours(kind), error_model="numpy")(act)


def _ours(kind: type) -> bool:
    return kind.__module__.startswith("rosenblatt.")


@cache
def compile_loop(function: Callable[..., Any]) -> Any:
    """Return the compiled form of a loop, which is kept on disk."""
    _register_new()
    twin = pytypes.FunctionType(function.__code__, function.__globals__, function.__name__)
    twin.__qualname__ = f"{function.__name__}_{_fingerprint()}"
    twin.__module__ = function.__module__
    # Loops allocate no arrays. Without Numba's runtime references are not counted, which at every
    # visit would cost as much as a short row: locked instructions, one after another.
    compiled: Any = njit(cache=True, nogil=True, _nrt=False)(twin)
    compile_or_load = compiled.compile

    def compile_once(signature: Any) -> Any:
        with _alone(f"{twin.__qualname__}{signature}"):
            return compile_or_load(signature)

    compiled.compile = compile_once
    return compiled
