"""The one codec of states and models: values as JSON and arrays, and back.

A table of kinds lists the classes whose objects may be stored, with a test for each field. What is
read is tested field by field before it is used, so that a malicious file can only be rejected.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite, isnan, prod
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.storage.json_values import DEEPEST

Array = npt.NDArray[Any]
Test = Callable[[Any], bool]

CSR_ARRAYS = ("data", "indices", "indptr")
LARGEST = 1 << 53  # no count reaches it: floats are exact below, and sums fit into 64 bits
MOST_CHARACTERS = 1 << 26  # of an array of strings, in which all take as much as the longest
MASKED_SIZE = 4096  # numbers in an array from which on leaving out its zeros saves space


# --- tests of fields ------------------------------------------------------------------------


def array(kinds: str, *dimensions: int, size: int | None = None, bits: int | None = None) -> Test:
    """Return a test for arrays of these kinds and dimensions.

    Reals are finite doubles. `size` is the number of elements, `bits` the width of each.
    """

    def test(value: Any) -> bool:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds:
            return False
        if not value.dtype.isnative:  # as compiled code reads it
            return False
        if value.dtype.kind == "f" and (value.dtype.itemsize != 8 or not _finite(value)):
            return False
        if value.ndim not in dimensions or (size is not None and value.size != size):
            return False
        return bits is None or 8 * value.dtype.itemsize == bits

    return test


def is_a(*kinds: type) -> Test:
    """Return a test for instances of these classes."""
    return lambda value: isinstance(value, kinds)


def many(test: Test) -> Test:
    """Return a test for lists whose elements all pass."""
    return lambda value: isinstance(value, list) and all(map(test, value))


def some(test: Test) -> Test:
    """Return a test for lists of one element or more, all of which pass."""
    return lambda value: many(test)(value) and bool(value)


def either(*tests: Test) -> Test:
    """Return a test that passes if one of these does."""
    return lambda value: any(test(value) for test in tests)


def nothing(value: Any) -> bool:
    """Test for None."""
    return value is None


@dataclass(frozen=True)
class Integer:
    """A test for integers of at least `least` and below `LARGEST`."""

    least: int = -(LARGEST - 1)

    def __call__(self, value: Any) -> bool:
        """Test one value."""
        return type(value) is int and self.least <= value < LARGEST

    def all(self, values: Array) -> bool:
        """Test all values of an array."""
        return not len(values) or bool(values.min() >= self.least and values.max() < LARGEST)


whole, natural = Integer(), Integer(0)


@dataclass(frozen=True)
class Float:
    """A test for numbers that become floats, as compiled code needs them."""

    finite: bool = False

    def __call__(self, value: Any) -> bool:
        """Test one value."""
        return finite(value) if self.finite else number(value)


def number(value: Any) -> bool:
    """Test for a number, which may be infinite or nan."""
    return type(value) is float or whole(value)


def real(value: Any) -> bool:
    """Test for a number, which may be infinite."""
    return number(value) and not isnan(value)


def finite(value: Any) -> bool:
    """Test for a finite number."""
    return number(value) and isfinite(value)


def length(value: Any) -> bool:
    """Test for a finite number of at least 0."""
    return finite(value) and bool(value >= 0)


def flag(value: Any) -> bool:
    """Test for True or False."""
    return isinstance(value, bool)


def text(value: Any) -> bool:
    """Test for a string."""
    return isinstance(value, str)


def table(value: Any) -> bool:
    """Test for a dense or sparse matrix of examples, in single or double precision."""
    numbers = value.data if sp.issparse(value) else value
    if not isinstance(numbers, np.ndarray) or numbers.dtype not in (np.float32, np.float64):
        return False
    return value.ndim == 2 and _finite(numbers)


def named_arrays(value: Any) -> bool:
    """Test for a dictionary of arrays of numbers."""
    return isinstance(value, dict) and all(array("fiub", 0, 1, 2, 3)(one) for one in value.values())


def _finite(value: Array) -> bool:
    return bool(np.isfinite(value).all())


vector, matrix = array("f", 1), array("f", 2)
counts = array("iu", 1)
indices = array("i", 1, bits=64)


def within(numbers: Array, limit: int) -> bool:
    """Return whether all are indices of a sequence of length `limit`."""
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < limit)


@dataclass(frozen=True)
class Kind:
    """A class whose objects may be stored, with tests of its fields.

    `laws` are what must hold between the fields: the words complete "it does not hold that".
    """

    type: type
    fields: Mapping[str, Test]
    laws: Mapping[str, Test] = field(default_factory=dict)
    absent: dict[str, Any] = field(default_factory=dict)  # defaults of fields that may be missing
    custom: Callable[[Any], dict[str, Any]] | None = None  # the fields, if not plain attributes
    build: Callable[[dict[str, Any]], Any] | None = None  # an object from such fields

    def export(self, value: Any) -> dict[str, Any]:
        """Return the fields of an object."""
        if self.custom is not None:
            return self.custom(value)
        return {name: getattr(value, name) for name in self.fields}

    def make(self, values: dict[str, Any], name: str) -> Any:
        """Return the object of some fields; a ValueError names what is wrong in it."""
        kind, made = self.type.__name__, dict(values)
        for field_name, test in self.fields.items():
            if field_name not in made or not test(made[field_name]):
                raise ValueError(
                    f"{name}.{field_name} is missing, or not of the type and range that {kind} has "
                    "there"
                )
            if isinstance(test, Float):
                made[field_name] = float(made[field_name])
        try:
            record = self.build(made) if self.build else self.type(**made)
            law = self.broken_law(record)
        except (LookupError, TypeError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"the fields of {name} are not those of {kind}") from error
        if law is not None:
            raise ValueError(
                f"the parts of {name} ({kind}) do not fit together: it does not hold that {law}"
            )
        return record

    def broken_law(self, value: Any) -> str | None:
        """Return the first law that does not hold, in words; None if all do."""
        return next((law for law, holds in self.laws.items() if not holds(value)), None)

    @property
    def integers(self) -> bool:
        """Whether all fields are integers, so that many objects can be stored as one array."""
        return bool(self.fields) and all(isinstance(t, Integer) for t in self.fields.values())


Kinds = dict[str, Kind]


# --- writing --------------------------------------------------------------------------------


class Packer:
    """Converts values to JSON; arrays are collected in `arrays`, by name."""

    def __init__(self, kinds: Kinds) -> None:
        self.kinds = kinds
        self.arrays: dict[str, Array] = {}
        # By id; the array is kept as well, so that no other gets its id.
        self._packed: dict[int, tuple[Array, dict[str, Any]]] = {}

    def pack(self, value: Any, name: str) -> Any:
        """Return a value as JSON; `name` is its path, for its arrays and for messages."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return value if isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.ndarray):
            return self._array(value, name)
        if sp.issparse(value):
            return self._sparse(value, name)
        if isinstance(value, np.random.RandomState):
            return {"random": self.pack(value.get_state(legacy=False), name)}
        kind = self._kind(value)
        if kind is not None:
            fields = {f: self.pack(v, f"{name}.{f}") for f, v in kind.export(value).items()}
            return {"record": type(value).__name__, "fields": fields}
        if isinstance(value, dict):
            return self._dict(value, name)
        if type(value) in (list, tuple):
            return self._sequence(value, name)
        what = "a function" if callable(value) else f"of type {type(value).__name__}"
        raise TypeError(
            f"{name} is {what}, but a model file holds data only; replace it by a name or a number."
        )

    def _kind(self, value: Any) -> Kind | None:
        kind = self.kinds.get(type(value).__name__)
        return kind if kind is not None and type(value) is kind.type else None

    def _sequence(self, values: Any, name: str) -> Any:
        if isinstance(values, tuple):
            return {"tuple": self._items(values, name)}
        kind = self._kind(values[0]) if values else None
        if kind is None or not kind.integers or {type(v) for v in values} != {kind.type}:
            return self._items(values, name)
        # There may be very many, such as a record per pass: store them as one array.
        table = np.array([list(kind.export(v).values()) for v in values], np.int64)
        return {"rows": kind.type.__name__, "values": self.pack(table, name)}

    def _items(self, values: Any, name: str) -> list[Any]:
        return [self.pack(v, f"{name}.{number}") for number, v in enumerate(values)]

    def _dict(self, value: dict[Any, Any], name: str) -> Any:
        if all(isinstance(key, str) for key in value):
            return {"dict": {key: self.pack(v, f"{name}.{key}") for key, v in value.items()}}
        pairs = enumerate(value.items())
        return {"map": [[self.pack(k, name), self.pack(v, f"{name}.{n}")] for n, (k, v) in pairs]}

    def _array(self, value: Array, name: str) -> dict[str, Any]:
        if value.dtype.kind == "U" and value.ndim == 1:
            return {"strings": value.tolist(), "width": value.dtype.itemsize // 4}
        if value.dtype.kind == "O":
            plain = value.tolist()
            if value.ndim != 1 or not all(isinstance(v, (str, bool, int, float)) for v in plain):
                raise TypeError(f"{name} holds objects that are neither strings nor numbers.")
            return {"objects": [self.pack(v, name) for v in plain]}
        if value.dtype.kind not in "biuf" or value.dtype.itemsize > 8:
            raise TypeError(
                f"{name} is an array of {value.dtype} with {value.ndim} dimensions; a model file "
                "holds arrays of numbers and lists of strings."
            )
        # The layout is kept, because it decides the order in which sums are taken.
        transposed = value.flags.f_contiguous and not value.flags.c_contiguous
        if id(value) not in self._packed:
            native = value.astype(value.dtype.newbyteorder("="), copy=False)
            flat = np.asarray(native.T if transposed else native, order="C")
            self._packed[id(value)] = value, self._stored(flat, name)
        packed = self._packed[id(value)][1]
        return packed | {"transposed": True} if transposed else packed

    def _stored(self, array: Array, name: str) -> dict[str, Any]:
        """Store an array; if most of it is zero, store the rest and a mask of it.

        Weights of hashed words are such an array: a class has met few of the words.
        """
        if array.dtype == np.float64 and array.size >= MASKED_SIZE:
            mask = array.reshape(-1).view(np.int64) != 0  # of the bits: minus zero is kept
            if 2 * np.count_nonzero(mask) < array.size:
                self.arrays[name] = array.reshape(-1)[mask]
                self.arrays[f"{name}.mask"] = np.packbits(mask)
                return {"array": name, "mask": f"{name}.mask", "shape": list(array.shape)}
        self.arrays[name] = array
        return {"array": name}

    def _sparse(self, value: Any, name: str) -> dict[str, Any]:
        value = value.tocsr()
        parts = {p: self._array(getattr(value, p), f"{name}.{p}") for p in CSR_ARRAYS}
        return {"csr": parts, "shape": list(value.shape), "matrix": sp.isspmatrix(value)}


# --- reading --------------------------------------------------------------------------------


class Unpacker:
    """The inverse of `Packer`; everything wrong in a file raises a ValueError."""

    def __init__(self, arrays: dict[str, Array], kinds: Kinds) -> None:
        self.arrays, self.kinds = arrays, kinds
        self._made: dict[tuple[Any, ...], Any] = {}  # an array in two places stays one
        self._depth = 0

    def unpack(self, packed: Any, name: str) -> Any:
        """Return a value; a ValueError names what is wrong in the file."""
        if self._depth == DEEPEST:
            raise ValueError(f"{name[:40]}... is nested too deeply")
        self._depth += 1
        try:
            return self._unpack(packed, name)
        finally:
            self._depth -= 1

    def _unpack(self, packed: Any, name: str) -> Any:
        if packed is None or isinstance(packed, (bool, int, float, str)):
            return packed
        if isinstance(packed, list):
            return self._list(packed, name)
        readers: dict[str, Callable[[dict[str, Any], str], Any]] = {
            "float": self._float,
            "array": self._array,
            "strings": self._strings,
            "objects": self._objects,
            "csr": self._sparse,
            "random": self._random,
            "record": self._record,
            "rows": self._rows,
            "tuple": self._tuple,
            "dict": self._dict,
            "map": self._map,
        }
        tag = next((tag for tag in readers if isinstance(packed, dict) and tag in packed), None)
        if tag is None:
            raise ValueError(f"{name} is of no kind that a model file holds")
        return readers[tag](packed, name)

    def _list(self, packed: Any, name: str) -> list[Any]:
        if not isinstance(packed, list):
            raise ValueError(f"{name} is not a list")
        return [self.unpack(v, f"{name}.{number}") for number, v in enumerate(packed)]

    def _tuple(self, packed: dict[str, Any], name: str) -> tuple[Any, ...]:
        return tuple(self._list(packed["tuple"], name))

    def _float(self, packed: dict[str, Any], name: str) -> float:
        if packed["float"] not in ("inf", "-inf", "nan"):
            raise ValueError(f"{name} is not a number")
        return float(packed["float"])

    # --- arrays -----------------------------------------------------------------------------

    def _array(self, packed: dict[str, Any], name: str) -> Array:
        found = self._named(packed["array"], name)
        if "mask" in packed:
            found = self._unmasked(packed, name)
        if packed.get("transposed") is True:
            found = self._made.setdefault(("transposed", id(found)), found.T)
        return found

    def _named(self, key: Any, name: str) -> Array:
        if not isinstance(key, str) or key not in self.arrays:
            raise ValueError(f"the array of {name} is missing")
        return self.arrays[key]

    def _unmasked(self, packed: dict[str, Any], name: str) -> Array:
        """Return an array whose zeros were left out."""
        key, mask_key, shape = packed["array"], packed["mask"], packed.get("shape")
        if not isinstance(shape, list) or not all(whole(n) and 0 <= n < 1 << 48 for n in shape):
            raise ValueError(f"{name} has an impossible shape")
        values, bits, size = self._named(key, name), self._named(mask_key, name), prod(shape)
        made = (key, mask_key, *shape)
        if made not in self._made:
            if values.ndim != 1 or values.dtype != np.float64:
                raise ValueError(f"{name} is not an array of doubles")
            if bits.ndim != 1 or bits.dtype != np.uint8 or len(bits) != (size + 7) // 8:
                raise ValueError(f"the mask of {name} does not have its shape")
            mask = np.unpackbits(bits, count=size).view(np.bool_)
            if np.count_nonzero(mask) != len(values):
                raise ValueError(f"the mask of {name} does not have as many places as numbers")
            found = np.zeros(size)
            found[mask] = values
            self._made[made] = found.reshape(shape)
        return self._made[made]

    def _strings(self, packed: dict[str, Any], name: str) -> Array:
        strings, width = packed["strings"], packed.get("width", -1)
        if not isinstance(strings, list) or not all(isinstance(s, str) for s in strings):
            raise ValueError(f"{name} is not a list of strings")
        longest = max(map(len, strings), default=0)
        if not whole(width) or not longest <= width <= max(longest, 1) + 1024:
            raise ValueError(f"{name} has strings of another length than it states")
        if width * len(strings) > MOST_CHARACTERS:
            raise ValueError(f"{name} has strings that would take more memory than labels need")
        return np.array(strings, dtype=f"<U{width}")

    def _objects(self, packed: dict[str, Any], name: str) -> Array:
        values = self._list(packed["objects"], name)
        if not all(isinstance(v, (str, bool, int, float)) for v in values):
            raise ValueError(f"{name} holds more than strings and numbers")
        out = np.empty(len(values), object)
        out[:] = values
        return out

    def _sparse(self, packed: dict[str, Any], name: str) -> Any:
        parts, shape = packed["csr"], packed.get("shape")
        if not isinstance(parts, dict) or not isinstance(shape, list) or len(shape) != 2:
            raise ValueError(f"{name} is not a sparse matrix")
        if not all(whole(n) and 0 <= n < 1 << 48 for n in shape):
            raise ValueError(f"{name} is a sparse matrix of an impossible shape")
        data, indices, indptr = (self.unpack(parts.get(p), f"{name}.{p}") for p in CSR_ARRAYS)
        if not isinstance(data, np.ndarray) or data.ndim != 1 or data.dtype.kind not in "fiub":
            raise ValueError(f"{name} is not a sparse matrix of numbers")
        if not (array("i", 1)(indices) and array("i", 1)(indptr) and len(indptr) == shape[0] + 1):
            raise ValueError(f"{name} is not a sparse matrix")
        build = sp.csr_matrix if packed.get("matrix") is True else sp.csr_array
        made = (build, id(data), id(indices), id(indptr), *shape)
        if made not in self._made:
            found = build((data, indices, indptr), shape=tuple(shape), copy=False)
            found.check_format(full_check=True)
            self._made[made] = found
        return self._made[made]

    # --- records ----------------------------------------------------------------------------

    def _random(self, packed: dict[str, Any], name: str) -> np.random.RandomState:
        generator, state = np.random.RandomState(), self.unpack(packed["random"], name)
        try:
            generator.set_state(state)
        except (TypeError, KeyError, OverflowError) as error:
            raise ValueError(f"{name} is not the state of a random generator") from error
        return generator

    def _record(self, packed: dict[str, Any], name: str) -> Any:
        kind, fields = packed["record"], packed.get("fields")
        if not isinstance(kind, str) or kind not in self.kinds or not isinstance(fields, dict):
            raise ValueError(f"{name} is a record of an unknown kind, {str(kind)[:40]!r}")
        known = self.kinds[kind]
        values = {f: self.unpack(v, f"{name}.{f}") for f, v in fields.items()}
        if known.build is None:  # a later version may have more fields
            values = known.absent | {f: v for f, v in values.items() if f in known.fields}
        return known.make(values, name)

    def _rows(self, packed: dict[str, Any], name: str) -> list[Any]:
        kind, rows = self.kinds.get(str(packed["rows"])), self.unpack(packed.get("values"), name)
        if kind is None or not kind.integers or not array("i", 2)(rows):
            raise ValueError(f"{name} is not a list of {str(packed['rows'])[:40]}")
        if rows.shape[1] != len(kind.fields):
            raise ValueError(f"{name} is not a list of {kind.type.__name__}")
        for column, (field_name, test) in zip(rows.T, kind.fields.items(), strict=True):
            if not isinstance(test, Integer) or not test.all(column):
                raise ValueError(f"{name} has a {field_name} that {kind.type.__name__} cannot have")
        return [kind.type(*row) for row in rows.tolist()]

    def _dict(self, packed: dict[str, Any], name: str) -> dict[str, Any]:
        if not isinstance(packed["dict"], dict):
            raise ValueError(f"{name} is not a dictionary")
        return {key: self.unpack(v, f"{name}.{key}") for key, v in packed["dict"].items()}

    def _map(self, packed: dict[str, Any], name: str) -> dict[Any, Any]:
        pairs = self._list(packed["map"], name)
        if not all(isinstance(p, list) and len(p) == 2 for p in pairs):
            raise ValueError(f"{name} is not a list of pairs")
        if not all(isinstance(k, (str, int, float, bool)) for k, _ in pairs):
            raise ValueError(f"{name} has a key that is neither a string nor a number")
        return dict(pairs)


# --- files of arrays ------------------------------------------------------------------------


def npz_content(arrays: dict[str, Array]) -> bytes:
    """Return the bytes of an npz file."""
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]
    return content.getvalue()


def read_npz(path: str | Path) -> dict[str, Array]:
    """Read the arrays of an npz file; a ValueError if it is damaged or something else."""
    content = io.BytesIO(Path(path).read_bytes())
    try:
        with zipfile.ZipFile(content) as file:
            parts = {part.filename: _stored_part(file, part) for part in file.infolist()}
            if len(parts) < len(file.infolist()):
                raise ValueError("an array is there twice")
            return {name.removesuffix(".npy"): _read_npy(part) for name, part in parts.items()}
    except (ValueError, TypeError, LookupError, EOFError, RuntimeError, SyntaxError) as error:
        raise ValueError("it is not a file of arrays, or it is damaged") from error
    except (zipfile.BadZipFile, zlib.error, struct.error, TokenError, OverflowError) as error:
        raise ValueError("it is not a file of arrays, or it is damaged") from error


def _stored_part(file: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """Return a part of a zip file; a compressed one could be of any size."""
    if part.compress_type != zipfile.ZIP_STORED:
        raise ValueError("a part is compressed")
    return file.read(part)


def _read_npy(content: bytes) -> Array:
    """Return an array of the npy format, whose header must state its true size."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise ValueError("an array is of another version of its format")
    shape, transposed, dtype = np.lib.format.read_array_header_1_0(file)
    left = len(content) - file.tell()
    if dtype.hasobject or not all(whole(n) for n in shape) or prod(shape) * dtype.itemsize != left:
        raise ValueError("an array does not have the size that it states")
    flat = np.frombuffer(content, dtype, offset=file.tell()).astype(dtype.newbyteorder("="))
    return flat.reshape(shape[::-1]).T if transposed else flat.reshape(shape)
