"""Values as plain data and arrays, and back: the one codec of states and models.

A table of kinds says which objects may be written, and what must be true of each field. Whatever is
read is checked field by field before anybody uses it, so that a file made to harm can do no more
than be rejected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite, isnan, prod
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array = npt.NDArray[Any]
Test = Callable[[Any], bool]

PARTS = ("data", "indices", "indptr")  # of a sparse matrix
MANY = 4096  # numbers of an array from which on it is worth while to leave out its zeros


# --- what a field may hold ------------------------------------------------------------------


def array(kinds: str, *dimensions: int) -> Test:
    """An array of some kinds of numbers and dimensions; real numbers are finite."""

    def test(value: Any) -> bool:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds:
            return False
        return value.ndim in dimensions and (value.dtype.kind != "f" or _finite(value))

    return test


def is_a(*kinds: type) -> Test:
    return lambda value: isinstance(value, kinds)


def many(test: Test) -> Test:
    """A list, each of whose elements passes."""
    return lambda value: isinstance(value, list) and all(map(test, value))


def either(*tests: Test) -> Test:
    return lambda value: any(test(value) for test in tests)


def nothing(value: Any) -> bool:
    return value is None


def whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 62


def real(value: Any) -> bool:
    """A number; infinity is one."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not isnan(value)


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def text(value: Any) -> bool:
    return isinstance(value, str)


def table(value: Any) -> bool:
    """Examples, a row each."""
    if sp.issparse(value):
        return value.data.dtype.kind == "f" and _finite(value.data)
    return matrix(value)


def _finite(value: Array) -> bool:
    return bool(np.isfinite(value).all())


def named_arrays(value: Any) -> bool:
    """Arrays by name."""
    return isinstance(value, dict) and all(array("fiub", 0, 1, 2, 3)(one) for one in value.values())


vector, matrix = array("f", 1), array("f", 2)
counts, labels = array("iu", 1), array("iu", 1)


def within(numbers: Array, limit: int) -> bool:
    """Whether all are numbers of a list of that length."""
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < limit)


@dataclass(frozen=True)
class Kind:
    """A class whose objects may be written: its fields, and what must hold between them."""

    type: type
    fields: dict[str, Test]
    sound: Test = lambda record: True
    absent: dict[str, Any] = field(default_factory=dict)  # values of fields that old files lack
    custom: Callable[[Any], dict[str, Any]] | None = None  # the fields, if not plain attributes
    build: Callable[[dict[str, Any]], Any] | None = None  # an object from such fields

    def export(self, value: Any) -> dict[str, Any]:
        """The fields of an object."""
        if self.custom is not None:
            return self.custom(value)
        return {name: getattr(value, name) for name in self.fields}


Kinds = dict[str, Kind]


# --- writing --------------------------------------------------------------------------------


class Packer:
    """Turns values into what JSON can say, with arrays put aside under names."""

    def __init__(self, kinds: Kinds) -> None:
        self.kinds = kinds
        self.arrays: dict[str, Array] = {}
        self._names: dict[
            int, tuple[Any, dict[str, Any]]
        ] = {}  # holds the array, so that its id stays its own

    def pack(self, value: Any, name: str) -> Any:
        """One value; `name` says where it stands, for its arrays and for messages."""
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
        kind = self.kinds.get(type(value).__name__)
        if kind is not None and type(value) is kind.type:
            fields = {f: self.pack(v, f"{name}.{f}") for f, v in kind.export(value).items()}
            return {"record": type(value).__name__, "fields": fields}
        if isinstance(value, dict):
            return self._dict(value, name)
        if type(value) in (list, tuple):
            rows = self._rows(value, name)
            if rows is not None:
                return rows
            items = [self.pack(v, f"{name}.{number}") for number, v in enumerate(value)]
            return items if isinstance(value, list) else {"tuple": items}
        what = "a function" if callable(value) else f"of type {type(value).__name__}"
        raise TypeError(
            f"{name} is {what}; a model file holds data only. Replace it by a name or a number."
        )

    def _rows(self, value: Any, name: str) -> Any:
        """Records of whole numbers, of which there may be very many, as one array."""
        kind = self.kinds.get(type(value[0]).__name__) if value else None
        if kind is None or {type(v) for v in value} != {kind.type}:
            return None
        if not all(test is whole for test in kind.fields.values()):
            return None
        table = np.array([list(kind.export(v).values()) for v in value], np.int64)
        return {"rows": type(value[0]).__name__, "of": self.pack(table, name)}

    def _dict(self, value: dict[Any, Any], name: str) -> Any:
        if all(isinstance(key, str) for key in value):
            return {"dict": {key: self.pack(v, f"{name}.{key}") for key, v in value.items()}}
        pairs = enumerate(value.items())
        return {"map": [[self.pack(k, name), self.pack(v, f"{name}.{n}")] for n, (k, v) in pairs]}

    def _array(self, value: Array, name: str) -> Any:
        if value.dtype.kind == "U":
            return {"strings": value.ravel().tolist(), "width": value.dtype.itemsize // 4}
        if value.dtype.kind == "O":
            plain = value.tolist()
            if value.ndim != 1 or not all(isinstance(v, (str, bool, int, float)) for v in plain):
                raise TypeError(f"{name} holds objects that are neither texts nor numbers.")
            return {"objects": [self.pack(v, name) for v in plain]}
        if value.dtype.kind not in "biuf" or value.dtype.itemsize > 8:
            raise TypeError(
                f"{name} is an array of {value.dtype}; a model file holds numbers and texts."
            )
        # Sums are taken in another order if an array lies otherwise in memory: keep how it lies.
        turned = value.flags.f_contiguous and not value.flags.c_contiguous
        if id(value) not in self._names:
            native = value.astype(value.dtype.newbyteorder("="), copy=False)
            flat = np.ascontiguousarray(native.T if turned else native)
            self._names[id(value)] = value, self._stored(flat, name)
        told = self._names[id(value)][1]
        return told | {"turned": True} if turned else told

    def _stored(self, array: Array, name: str) -> dict[str, Any]:
        """Put an array aside; of one that is zero for the most part, what is not, and a map of it.

        The weights of hashed words are: a class has met few of them.
        """
        if array.dtype == np.float64 and array.size >= MANY:
            there = array.reshape(-1).view(np.int64) != 0  # bit for bit: minus zero is kept
            if 2 * np.count_nonzero(there) < array.size:
                self.arrays[name] = array.reshape(-1)[there]
                self.arrays[f"{name}.there"] = np.packbits(there)
                return {"array": name, "there": f"{name}.there", "shape": list(array.shape)}
        self.arrays[name] = array
        return {"array": name}

    def _sparse(self, value: Any, name: str) -> Any:
        value = value.tocsr()
        parts = {p: self._array(getattr(value, p), f"{name}.{p}") for p in PARTS}
        return {"csr": parts, "shape": list(value.shape), "matrix": sp.isspmatrix(value)}


# --- reading --------------------------------------------------------------------------------


class Unpacker:
    """The inverse of `Packer`, which trusts nothing."""

    def __init__(self, arrays: dict[str, Array], kinds: Kinds) -> None:
        self.arrays, self.kinds = arrays, kinds
        self._made: dict[tuple[Any, ...], Array] = {}  # what is one array stays one

    def unpack(self, told: Any, name: str) -> Any:
        """One value, or a ValueError that says where the file is wrong."""
        if told is None or isinstance(told, (bool, int, str)):
            return told
        if isinstance(told, float):
            return told
        if isinstance(told, list):
            return [self.unpack(v, f"{name}.{number}") for number, v in enumerate(told)]
        if not isinstance(told, dict) or not told:
            raise ValueError(f"{name} is of no kind that a model file holds")
        readers = {
            "float": self._float,
            "array": self._array,
            "strings": self._strings,
            "objects": self._objects,
            "csr": self._sparse,
            "random": self._random,
            "record": self._record,
            "rows": self._rows,
            "tuple": lambda told, name: tuple(self._list(told["tuple"], name)),
            "dict": self._dict,
            "map": self._map,
        }
        tag = next((tag for tag in readers if tag in told), None)
        if tag is None:
            raise ValueError(f"{name} is of no kind that a model file holds")
        return readers[tag](told, name)

    def _list(self, told: Any, name: str) -> list[Any]:
        if not isinstance(told, list):
            raise ValueError(f"{name} is not a list")
        return [self.unpack(v, f"{name}.{number}") for number, v in enumerate(told)]

    def _float(self, told: Any, name: str) -> float:
        if told["float"] not in ("inf", "-inf", "nan"):
            raise ValueError(f"{name} is not a number")
        return float(told["float"])

    def _array(self, told: Any, name: str) -> Array:
        key = told["array"]
        if not isinstance(key, str) or key not in self.arrays:
            raise ValueError(f"the array of {name} is missing")
        if "there" not in told:
            found = self.arrays[key]
        else:
            found = self._spread(key, told["there"], told.get("shape"), name)
        if told.get("turned") is True:
            return self._made.setdefault(("turned", id(found)), found.T)
        return found

    def _spread(self, key: str, map_key: Any, shape: Any, name: str) -> Array:
        """An array whose zeros were left out."""
        if not isinstance(shape, list) or not all(whole(n) and 0 <= n < 1 << 48 for n in shape):
            raise ValueError(f"{name} has an impossible shape")
        made = (key, map_key, *shape)
        if made not in self._made:
            values, size = self.arrays[key], prod(shape)
            bits = self.arrays.get(map_key, np.zeros(0))
            fine = values.ndim == bits.ndim == 1 and values.dtype.kind == "f"
            if not fine or bits.dtype != np.uint8 or len(bits) != (size + 7) // 8:
                raise ValueError(f"{name} does not say where its numbers stand")
            there = np.unpackbits(bits, count=size).view(np.bool_)
            if np.count_nonzero(there) != len(values):
                raise ValueError(f"{name} has more or fewer numbers than places for them")
            found = np.zeros(size, values.dtype)
            found[there] = values
            self._made[made] = found.reshape(shape)
        return self._made[made]

    def _strings(self, told: Any, name: str) -> Array:
        texts, width = told["strings"], told.get("width")
        if not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
            raise ValueError(f"{name} is not a list of texts")
        longest = max(map(len, texts), default=0)
        if not whole(width) or not longest <= width <= max(longest, 1) + 1024:
            raise ValueError(f"{name} has texts of another length than it says")
        return np.array(texts, dtype=f"<U{width}")

    def _objects(self, told: Any, name: str) -> Array:
        values = self._list(told["objects"], name)
        if not all(isinstance(v, (str, bool, int, float)) for v in values):
            raise ValueError(f"{name} holds more than texts and numbers")
        out = np.empty(len(values), object)
        out[:] = values
        return out

    def _sparse(self, told: Any, name: str) -> Any:
        parts, shape = told["csr"], told.get("shape")
        if not isinstance(parts, dict) or not isinstance(shape, list) or len(shape) != 2:
            raise ValueError(f"{name} is not a sparse matrix")
        if not all(whole(n) and 0 <= n < 1 << 48 for n in shape):
            raise ValueError(f"{name} is a sparse matrix of an impossible shape")
        data, indices, indptr = (self.unpack(parts.get(p), f"{name}.{p}") for p in PARTS)
        fine = array("f", 1)(data) and array("i", 1)(indices) and array("i", 1)(indptr)
        if not fine or len(indptr) != shape[0] + 1:
            raise ValueError(f"{name} is not a sparse matrix")
        build = sp.csr_matrix if told.get("matrix") is True else sp.csr_array
        found = build((data, indices, indptr), shape=tuple(shape), copy=False)
        found.check_format(full_check=True)
        return found

    def _random(self, told: Any, name: str) -> Any:
        generator = np.random.RandomState()
        generator.set_state(self.unpack(told["random"], name))
        return generator

    def _record(self, told: Any, name: str) -> Any:
        kind, fields = told["record"], told.get("fields")
        if not isinstance(kind, str) or kind not in self.kinds or not isinstance(fields, dict):
            raise ValueError(f"{name} is a record of an unknown kind, {str(kind)[:40]!r}")
        known = self.kinds[kind]
        names = known.fields if known.build is None else fields
        values = known.absent | {
            f: self.unpack(fields.get(f), f"{name}.{f}")
            for f in names
            if f in fields or f not in known.absent
        }
        for field_name, test in known.fields.items():
            if field_name not in values or not test(values[field_name]):
                raise ValueError(f"{name}.{field_name} is not what a {kind} has there")
        record = known.build(values) if known.build else known.type(**values)
        if not known.sound(record):
            raise ValueError(f"the parts of {name}, a {kind}, do not fit together")
        return record

    def _rows(self, told: Any, name: str) -> list[Any]:
        kind = self.kinds.get(str(told["rows"]))
        rows = self.unpack(told.get("of"), name)
        if kind is None or not array("i", 2)(rows) or rows.shape[1] != len(kind.fields):
            raise ValueError(f"{name} is not a list of {str(told['rows'])[:40]}")
        return [kind.type(*row) for row in rows.tolist()]

    def _dict(self, told: Any, name: str) -> dict[str, Any]:
        if not isinstance(told["dict"], dict):
            raise ValueError(f"{name} is not a dictionary")
        return {key: self.unpack(v, f"{name}.{key}") for key, v in told["dict"].items()}

    def _map(self, told: Any, name: str) -> dict[Any, Any]:
        pairs = self._list(told["map"], name)
        if not all(isinstance(p, list) and len(p) == 2 for p in pairs):
            raise ValueError(f"{name} is not a list of pairs")
        if not all(isinstance(k, (str, int, float, bool)) for k, _ in pairs):
            raise ValueError(f"{name} has a key that is neither text nor number")
        return dict(pairs)
