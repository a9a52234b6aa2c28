"""Checkpoints of a training that are damaged are rejected before anything is learned."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import numpy as np
import pytest

from rosenblatt.estimators import MEMBERS
from rosenblatt.estimators.sources import InMemory
from rosenblatt.storage.checkpoint import STATE, Checkpoints, resume
from rosenblatt.storage.codec import npz_content, read_npz
from tests.fuzz import containers
from tests.fuzz.files import RUNS
from tests.support.fits import X, Y


def checkpoint(folder, name="VotedPerceptron"):
    source = InMemory(X, Y == 1, seed=1, rows=40)
    MEMBERS[name](random_state=0).fit_source(
        source, max_passes=1, observers=[Checkpoints(folder, {})]
    )
    return folder / STATE


def damage(path, change):
    content = containers.STATE.parse(path.read_bytes())
    change(content.tree["state"]["fields"], content.arrays)
    path.write_bytes(containers.STATE.build(containers.STATE.text(content), content))


def narrow(state, arrays):
    for name in arrays:
        if name.endswith(("supports", "start.coef")):
            arrays[name] = arrays[name][:, :2].copy()


def beyond(state, arrays):
    name = next(name for name in arrays if name.endswith("histories.0.updates.i"))
    arrays[name][0] = 10**6


def renamed(state, arrays):
    votes = state["runs"][0]["fields"]["votes"]["fields"]
    votes["similarity"]["fields"]["kernel"] = "lines"


DAMAGE = {
    "votes by an unknown kernel": (renamed, "similarity.kernel"),
    "votes of other features": (narrow, "votes have the features"),
    "votes beyond their supports": (beyond, "updates number the supports"),
    "a negative pass": (
        lambda state, arrays: arrays["state.history"].__setitem__((0, 0), -1), "history has a rows",
    ),
    "classes that do not ascend": (
        lambda state, arrays: state.update(classes={"objects": [1, 0]}), "classes are in order",
    ),
    "no runs": (lambda state, arrays: state.update(runs=[]), "state.runs"),
    "as many parts as no machine counts": (
        lambda state, arrays: state["parts"]["fields"].update(done=1 << 70), "parts.done",
    ),
    "a radius that is negative": (
        lambda state, arrays: state["parts"]["fields"].update(radius=-1.0), "parts.radius",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_checkpoint_is_rejected(case, tmp_path):
    change, words = DAMAGE[case]
    path = checkpoint(tmp_path)
    assert resume(tmp_path, {}) is not None
    damage(path, change)
    with pytest.raises(ValueError, match=words) as caught:
        resume(tmp_path, {})
    assert str(caught.value).startswith(f"{path} is not a checkpoint: ")


def test_a_saved_run_is_no_checkpoint(tmp_path):
    run = RUNS["last"]()
    run.go(1)
    run.save(tmp_path / STATE)
    with pytest.raises(ValueError, match="state of a single run"):
        resume(tmp_path, {})


# --- files of arrays ------------------------------------------------------------------------


def npy(header: bytes, body: bytes = b"") -> bytes:
    """A file of arrays whose only array has this header."""
    out = io.BytesIO()
    head = header + b" " * (-(len(header) + 11) % 64) + b"\n"
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("a.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + body)
    return out.getvalue()


def compressed() -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, a=np.zeros(10_000))
    return out.getvalue()


def twice() -> bytes:
    out, part = io.BytesIO(), io.BytesIO()
    np.save(part, np.zeros(3))
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("a.npy", part.getvalue())
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("a.npy", part.getvalue())
    return out.getvalue()


def shifted() -> bytes:
    """A directory that begins before the file does: the reader of zip files would seek there."""
    raw = npz_content({"a": np.zeros(3)})
    place = raw.rindex(b"PK\x05\x06")
    return raw[: place + 16] + struct.pack("<L", 1 << 30) + raw[place + 20 :]


HEADER = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }"
BAD_ARRAYS = {
    "more numbers than there are": lambda: npy(HEADER % b"1000000000000,", bytes(8)),
    "a negative shape": lambda: npy(HEADER % b"-1,", bytes(8)),
    "a shape of text": lambda: npy(HEADER % b"'a',", bytes(8)),
    "objects": lambda: npy(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", bytes(8)),
    "a header that does not end": lambda: npy(b"{'descr': ('<f8', ", bytes(8)),
    "a header that is nested": lambda: npy(b"(" * 5000, bytes(8)),
    "compressed arrays": compressed,
    "an array twice": twice,
    "a directory elsewhere": shifted,
    "nothing": lambda: b"",
    "a broken stream": lambda: zlib.compress(bytes(100)),
}


@pytest.mark.parametrize("case", BAD_ARRAYS)
def test_a_file_of_arrays_that_states_what_is_not_so_is_rejected(case, tmp_path):
    """None is taken at its word: memory for what it states is never asked for."""
    (tmp_path / "a.npz").write_bytes(BAD_ARRAYS[case]())
    with pytest.raises(ValueError, match="not a file of arrays, or it is damaged"):
        read_npz(tmp_path / "a.npz")


def test_arrays_come_back_in_their_layout(tmp_path):
    arrays = {
        "row": np.arange(6.0).reshape(2, 3),
        "column": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "none": np.zeros((0, 3)),
        "single": np.array(3, np.int8),
        "other order": np.arange(3.0).astype(">f8"),
    }
    (tmp_path / "a.npz").write_bytes(npz_content(arrays))
    found = read_npz(tmp_path / "a.npz")
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert np.array_equal(found[name], array)
        assert found[name].dtype == array.dtype.newbyteorder("=")
        assert found[name].flags.c_contiguous == array.flags.c_contiguous
        assert found[name].flags.writeable
