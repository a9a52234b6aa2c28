"""Code compiled by Numba: the only file that imports it.

The Python functions of rules, spaces and loops are compiled as they stand. A verb's body is chosen
while compiling, by the type of its record, so that each space has a loop of its own. Rules are
compiled one by one, and loops call them by address.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CFUNCTYPE, c_int64, c_void_p
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import cfunc, njit, typeof, types
from numba.core import cgutils, errors
from numba.extending import intrinsic, lower_builtin, overload, type_callable
from numba.np.arrayobj import populate_array

from rosenblatt.theory import rules, spaces, verbs
from rosenblatt.theory.arrays import flat
from rosenblatt.theory.rules.by_address import call_address

FAST = {"reassoc", "contract", "nsz"}  # never nnan or ninf: an overflow must stay visible
LINE = 64  # bytes of a cache line
NUMBERS = types.CPointer(types.float64)
RULE = types.float64(
    NUMBERS, *[types.float64] * 4, types.int64, types.int64, types.float64, types.float64, NUMBERS
)
"""The signature of a rule's code; `theory.rules.by_address` describes it."""

SLOT = ir.IntType(64)
WORD = ir.IntType(32)
DOUBLE = ir.DoubleType()

INLINE = {"forceinline": True, "no_cfunc_wrapper": True}
"""What loops call is inlined, so it needs no wrapper to be called from C."""

# Loops allocate no arrays. Without Numba's runtime references are not counted, which at every
# visit would cost as much as a short row: locked instructions, one after another.
LOOP = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


# --- functions that compiled code may call -----------------------------------------------------


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
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, WORD, WORD, WORD])
        name = "llvm.prefetch.p0"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        builder.call(function, [address, WORD(0), WORD(2), WORD(1)])
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


@type_callable(flat)
def _type_flat(context: Any) -> Any:
    return lambda array: types.Array(array.dtype, 1, "C")


# Not `reshape`, which would call into Numba's runtime.
@lower_builtin(flat, types.Array)
def _lower_flat(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    row = context.make_array(signature.return_type)(context, builder)
    size = array.itemsize
    populate_array(
        row, data=array.data, shape=[array.nitems], strides=[size], itemsize=size, meminfo=None
    )
    return row._getvalue()


@intrinsic
def _call(typingctx: Any, address: Any, fields: Any, s: Any) -> Any:
    """Call a rule's code by its address."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[1])(context, builder, arguments[1])
        given = [
            context.cast(builder, builder.extract_value(arguments[2], number), have, want)
            for number, (have, want) in enumerate(zip(s, RULE.args[1:-1], strict=True))
        ]
        scale = cgutils.alloca_once_value(builder, DOUBLE(np.nan))
        kinds = [context.get_value_type(kind) for kind in RULE.args]
        kind = ir.FunctionType(DOUBLE, kinds).as_pointer()
        code = builder.inttoptr(arguments[0], kind)
        step = builder.call(code, [view.data, *given, scale])
        return context.make_tuple(builder, signature.return_type, [step, builder.load(scale)])

    return types.UniTuple(types.float64, 2)(address, fields, s), codegen


def _register_call() -> None:
    @overload(call_address, strict=False, jit_options=INLINE)
    def choose(address: Any, fields: Any, s: Any) -> Any:
        def called(address: Any, fields: Any, s: Any) -> Any:
            return _call(address, fields, s)

        return called


for _verb in verbs.VERBS:
    _register_verb(_verb)
for _function in verbs.REDUCTIONS:
    _register(_function, fastmath=FAST)
_register_prefetch()
_register_call()
_known = {spaces.prefetch, flat, call_address}


def _register_new() -> None:
    """Register the functions that compiled code may call and that are new."""
    for function in verbs.INNER:
        if function not in _known:
            _register(function)
            _known.add(function)


# --- rules -------------------------------------------------------------------------------------


@intrinsic
def _record(typingctx: Any, kind: Any, fields: Any) -> Any:
    """Make a record of this kind from the numbers at a pointer."""
    made = types.NamedTuple([types.float64] * len(kind.instance_class._fields), kind.instance_class)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        places = [builder.gep(arguments[1], [WORD(number)]) for number in range(len(made))]
        return context.make_tuple(builder, made, [builder.load(place) for place in places])

    return made(kind, fields), codegen


@cache
def rule_code(kind: type, work: Callable[..., Any]) -> Any:
    """Return the code of a function of a rule."""
    _register_new()

    def act(
        fields: Any, m: float, q: float, norm2: float, b: float, t: int, k: int, step_sum: float,
        y: float, out: Any,
    ) -> float:  # fmt: skip
        a, c = work(_record(kind, fields), rules.Look(m, q, norm2, b, t, k, step_sum, y))
        out[0] = c
        return a

    return cfunc(RULE, error_model="numpy")(act)


def compile_rule(kind: type, work: Callable[..., Any]) -> int:
    """Return the address of a function of a rule."""
    try:
        return int(rule_code(kind, work).address)
    except errors.NumbaError as error:
        raise TypeError(
            f"the rule {kind.__name__} cannot be compiled. Let it use arithmetic, comparisons and "
            "functions of math only; what must be kept goes into a space."
        ) from error


# --- loops -------------------------------------------------------------------------------------


def _type_of(value: Any) -> Any:
    """Return the type of an argument; `record.describe` tells the same kinds apart."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return types.Array(typeof(value).dtype, value.ndim, layout)
    if isinstance(value, tuple):
        parts = [_type_of(part) for part in value]
        named = hasattr(value, "_fields")
        return types.NamedTuple(parts, type(value)) if named else types.Tuple(parts)
    if isinstance(value, (bool, np.bool_)):
        return types.boolean
    return types.float64 if isinstance(value, (float, np.floating)) else types.int64


class _Slots:
    """The slots of a record, one after another, while code is generated."""

    def __init__(self, context: Any, builder: Any, address: Any) -> None:
        self.context, self.builder = context, builder
        self._first, self._next = builder.bitcast(address, SLOT.as_pointer()), 0

    def _place(self) -> Any:
        self._next += 1
        return self.builder.gep(self._first, [SLOT(self._next - 1)])

    def _load(self) -> Any:
        return self.builder.load(self._place())

    def read(self, kind: Any) -> Any:
        """Generate the code that reads an argument."""
        if isinstance(kind, types.Array):
            return self._read_array(kind)
        if isinstance(kind, types.BaseTuple):
            parts = [self.read(part) for part in kind.types]
            return self.context.make_tuple(self.builder, kind, parts)
        value = self._load()
        if kind == types.float64:
            return self.builder.bitcast(value, DOUBLE)
        return self.builder.icmp_signed("!=", value, SLOT(0)) if kind == types.boolean else value

    def _read_array(self, kind: Any) -> Any:
        builder, element = self.builder, self.context.get_data_type(kind.dtype)
        size = SLOT(self.context.get_abi_sizeof(element))
        data = builder.inttoptr(self._load(), element.as_pointer())
        shape = [self._load() for _ in range(kind.ndim)]
        if kind.layout == "A":
            strides = [self._load() for _ in range(kind.ndim)]
        else:
            strides, stride = [], size
            for length in shape if kind.layout == "F" else reversed(shape):
                strides.append(stride)
                stride = builder.mul(stride, length)
            strides = strides if kind.layout == "F" else strides[::-1]
        made = self.context.make_array(kind)(self.context, builder)
        populate_array(made, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
        return made._getvalue()

    def write(self, kind: Any, value: Any) -> None:
        """Generate the code that writes a result."""
        builder, cast = self.builder, self.context.cast
        if isinstance(kind, types.BaseTuple):
            for number, part in enumerate(kind.types):
                self.write(part, builder.extract_value(value, number))
        elif isinstance(kind, types.Float):
            builder.store(
                builder.bitcast(cast(builder, value, kind, types.float64), SLOT), self._place()
            )
        elif kind != types.none:
            builder.store(cast(builder, value, kind, types.int64), self._place())


def _letters(kind: Any) -> str:
    """Return what a loop returns, as `record.unpacker` reads it."""
    if kind == types.none:
        return ""
    if isinstance(kind, types.BaseTuple):
        return f"({''.join(_letters(part) for part in kind.types)})"
    return "d" if isinstance(kind, types.Float) else "?" if kind == types.boolean else "q"


def loop_code(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, str]:
    """Return the code of a loop for arguments like these, and what it returns.

    The code takes the address of a record and returns 0, or something else if the loop failed.
    """
    _register_new()
    kinds = tuple(_type_of(argument) for argument in arguments)
    loop = njit(**LOOP)(function)
    loop.compile(kinds)
    compiled = loop.overloads[kinds]
    returned = compiled.fndesc.restype

    @intrinsic
    def call(typingctx: Any, record: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            slots = _Slots(context, builder, given[0])
            values = [slots.read(kind) for kind in kinds]
            callee = context.declare_function(builder.module, compiled.fndesc)
            context.active_code_library.add_linking_library(compiled.library)
            status, result = context.call_conv.call_function(
                builder, callee, returned, kinds, values
            )
            with builder.if_then(status.is_ok):
                _Slots(context, builder, given[0]).write(returned, result)
            return builder.zext(status.is_error, SLOT)

        return types.int64(record), codegen

    @cfunc(types.int64(types.voidptr), _nrt=False)
    def entry(record: Any) -> Any:
        return call(record)

    return entry, _letters(returned)


def compile_loop(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[Callable[[Any], int], str]:
    """Return the code of a loop as a function of a record, and what it returns."""
    code, returns = loop_code(function, arguments)
    callable_code = CFUNCTYPE(c_int64, c_void_p)(code.address)
    callable_code.owner = code  # type: ignore[attr-defined] # the address is good while it lives
    return callable_code, returns
