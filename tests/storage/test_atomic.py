"""Files are written whole, where they are meant to be, and never over an input."""

from __future__ import annotations

import ast
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from rosenblatt.cluster import DistributedPerceptron
from rosenblatt.data import input_files, open_source
from rosenblatt.estimators.sources import InMemory
from rosenblatt.lab.server import serve
from rosenblatt.storage import atomic
from rosenblatt.storage.checkpoint import STATE, Checkpoints

SOURCES = Path(rosenblatt.__file__).parent


@pytest.fixture
def fitted():
    X = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 3.0], [3.0, 1.0]])
    return rosenblatt.Perceptron(random_state=0).fit(X, [0, 1, 0, 1])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,y\n1,2,u\n2,1,v\n1,3,u\n3,1,v\n")
    return path


# --- the check ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["same", "symlink", "chain", "hard link", "folder link"])
def test_the_same_file_under_another_name_is_refused(kind, table, tmp_path):
    other = tmp_path / "other.csv"
    if kind == "same":
        other = tmp_path / "." / "x" / ".." / "table.csv"
        (tmp_path / "x").mkdir()
    elif kind == "symlink":
        other.symlink_to(table)
    elif kind == "chain":
        (tmp_path / "middle").symlink_to(table)
        other.symlink_to("middle")
    elif kind == "hard link":
        os.link(table, other)
    else:
        (tmp_path / "link").symlink_to(tmp_path)
        other = tmp_path / "link" / "table.csv"
    for output, source in ((other, table), (table, other)):
        with pytest.raises(ValueError, match=r"table\.csv.*overwritten; name another file for --o"):
            atomic.protect([("--o", output)], [source])
    atomic.protect([("--o", tmp_path / "new.csv")], [table, other])


def test_a_copy_is_another_file(table, tmp_path):
    copy = tmp_path / "copy.csv"
    copy.write_bytes(table.read_bytes())
    atomic.protect([("--o", copy)], [table])


def test_a_descriptor_is_an_input(table):
    with open(table) as file, pytest.raises(ValueError, match="standard input reads"):
        atomic.protect([("--o", table)], [file.fileno()])


def test_what_cannot_be_written_is_refused(table, tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    dangling = tmp_path / "dangling"
    dangling.symlink_to("missing/file")
    for path, error, words in (
        (tmp_path, IsADirectoryError, "this is a folder"),
        ("", IsADirectoryError, "this is a folder"),
        (tmp_path / "no" / "file", FileNotFoundError, "there is no folder"),
        (table / "file", FileNotFoundError, "there is no folder"),
        (dangling, FileNotFoundError, "there is no folder .*missing"),
        (loop, OSError, "cannot be written"),
        (tmp_path / ("x" * 300), OSError, r"cannot be written \(File name too long"),
        ("/proc/file", OSError, "cannot be written"),
    ):
        with pytest.raises(error, match=words):
            atomic.check(path)
        with pytest.raises(error, match=words):
            atomic.write(path, b"")
    assert sorted(os.listdir(tmp_path)) == ["dangling", "loop", "table.csv"]


def test_permissions_are_respected(table, tmp_path):
    table.chmod(0o400)
    if os.access(table, os.W_OK):
        pytest.skip("this user may write to any file, as root may")
    with pytest.raises(PermissionError, match="write-protected"):
        atomic.check(table)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    with pytest.raises(PermissionError, match=r"cannot be written \(Permission denied"):
        atomic.check(closed / "file")


def test_two_outputs_are_two_files(table, tmp_path):
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    new = tmp_path / "new"
    for one, other in ((table, link), (new, tmp_path / "." / "new"), (new, str(new))):
        with pytest.raises(ValueError, match="both --a and --b; name two different files"):
            atomic.protect([("--a", one), ("--b", other)])
    atomic.protect([("--a", table), ("--b", new)])
    atomic.protect([("--a", os.devnull), ("--b", os.devnull)], [os.devnull])


def test_a_folder_of_outputs(table, tmp_path):
    assert atomic.inside(tmp_path / "a" / "b", ["f"], "--c") == []
    assert not (tmp_path / "a").exists()
    assert atomic.inside(tmp_path, ["f", "g"], "--c") == [
        ("--c", tmp_path / "f"), ("--c", tmp_path / "g"),
    ]  # fmt: skip
    for path in (table, table / "below"):
        with pytest.raises(NotADirectoryError, match="is a file; name a folder for --c"):
            atomic.inside(path, ["f"], "--c")
    with pytest.raises(OSError, match="cannot be written"):
        atomic.inside("/proc/none", ["f"], "--c")


def test_inputs_are_listed_without_reading(table, tmp_path):
    assert input_files(table) == [table]
    assert input_files("-") == [0]
    (tmp_path / ".hidden").touch()
    (tmp_path / "more.csv").write_bytes(b"\0")
    both = [tmp_path / "more.csv", table]
    assert input_files(tmp_path) == input_files(str(tmp_path / "*.csv")) == both
    assert input_files([table, tmp_path / "more.csv"]) == both[::-1]


# --- writing --------------------------------------------------------------------------------


def test_a_link_stays_and_its_target_is_replaced(table, tmp_path):
    folder = tmp_path / "real"
    folder.mkdir()
    old, link = folder / "old", tmp_path / "link"
    old.write_bytes(b"old")
    link.symlink_to("real/old")
    with atomic.writing(link) as file:
        file.write(b"new")
        (part,) = set(os.listdir(folder)) - {"old"}  # beside the target: one file system
        assert part.startswith(".")
        assert old.read_bytes() == b"old"
    assert (old.read_bytes(), os.readlink(link)) == (b"new", "real/old")
    assert os.listdir(folder) == ["old"]
    (tmp_path / "new").symlink_to("real/fresh")
    atomic.write(tmp_path / "new", b"made")
    assert (folder / "fresh").read_bytes() == b"made"
    assert (tmp_path / "new").is_symlink()


def test_a_hard_link_keeps_the_old_content(tmp_path):
    old, other = tmp_path / "old", tmp_path / "other"
    old.write_bytes(b"old")
    os.link(old, other)
    atomic.write(old, b"new")
    assert (old.read_bytes(), other.read_bytes()) == (b"new", b"old")


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_permissions_of_a_replaced_file_stay(mode, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(mode)
    with atomic.writing(path) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == mode  # from the first byte on
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").touch()
    atomic.write(tmp_path / "new", b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_any_name_that_the_system_allows(tmp_path):
    path = tmp_path / ("x" * 255)
    atomic.write(path, b"content")
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_leaves_the_old_file_and_nothing_else(error, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(error), atomic.writing(path) as file:  # noqa: PT012
        file.write(b"new")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_errors_name_the_output_and_never_the_hidden_file(tmp_path):
    """Of a folder that vanishes, of a target that becomes a folder, of a full disk."""
    out = tmp_path / "folder" / "out.csv"

    def write_while(change, path=out):
        out.parent.mkdir(exist_ok=True)
        with atomic.writing(path) as file:
            file.write(b"new")
            change()

    with pytest.raises(OSError, match="cannot be written") as gone:
        write_while(lambda: shutil.rmtree(out.parent))
    with pytest.raises(OSError, match="cannot be written") as folder:
        write_while(out.mkdir)
    assert os.listdir(out.parent) == ["out.csv"]
    with pytest.raises(OSError, match="cannot be written") as full:
        write_while(lambda: None, "/dev/full")
    for error, name in ((gone, out), (folder, out), (full, "/dev/full")):
        assert error.value.filename == str(name)
        assert ".part" not in str(error.value)


def test_an_interrupt_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    code = (
        "import sys, time\n"
        "from rosenblatt.storage import atomic\n"
        "with atomic.writing(sys.argv[1]) as file:\n"
        "    file.write(b'new')\n"
        "    file.flush()\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stderr=subprocess.PIPE) as run:
        end = time.monotonic() + 300  # a machine under load starts Python slowly
        while not any(f.stat().st_size for f in tmp_path.glob(".*.part")):
            assert time.monotonic() < end
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=300)
    assert b"KeyboardInterrupt" in err
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    atomic.write(pipe, b"content")
    reader.join()
    assert got == [b"content"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_written_to_and_not_replaced():
    atomic.write(os.devnull, b"content")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_standard_output_is_appended_to_where_it_goes(tmp_path):
    code = "print('before'); atomic.write('/dev/stdout', b'content\\n'); print('after')"
    with open(tmp_path / "out", "wb") as out:
        subprocess.run(
            [sys.executable, "-c", f"from rosenblatt.storage import atomic; {code}"],
            stdout=out,
            check=True,
        )
    assert (tmp_path / "out").read_text() == "before\ncontent\nafter\n"


# --- functions that read and write ----------------------------------------------------------


def test_a_model_is_not_exported_over_its_file(fitted, tmp_path):
    pytest.importorskip("skl2onnx")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    path, link = tmp_path / "m.rbt", tmp_path / "link.rbt"
    rosenblatt.save(fitted, path)
    os.link(path, link)
    before, again = path.read_bytes(), rosenblatt.load(path)
    scaler = StandardScaler().fit([[0.0, 0.0], [1.0, 1.0]])
    for model in (again, make_pipeline(scaler, again)):
        for out in (path, link):
            with pytest.raises(ValueError, match="name another file for path"):
                rosenblatt.to_onnx(model, out)
    assert path.read_bytes() == before
    rosenblatt.to_onnx(again, tmp_path / "m.onnx")
    rosenblatt.save(again, path)  # a model may be renewed
    assert path.read_bytes() == before


def test_folders_are_checked_before_a_model_is_packed(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        rosenblatt.save(rosenblatt.Perceptron(), tmp_path / "no" / "m.rbt")  # not even fitted
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        rosenblatt.to_onnx(None, tmp_path / "no" / "m.onnx")


def test_the_lab_exports_to_another_file_than_its_source(table):
    before = table.read_bytes()
    with pytest.raises(ValueError, match="name another file for export"):
        serve(table, export=table)
    assert table.read_bytes() == before


def test_a_cluster_saves_its_state_to_another_file_than_its_data(table, tmp_path):
    other = tmp_path / "held.csv"
    other.write_bytes(table.read_bytes())
    nowhere = "tcp://127.0.0.1:1"  # no worker is needed to refuse
    for checkpoint in (table, other):
        clf = DistributedPerceptron(client=nowhere, checkpoint=checkpoint)
        with pytest.raises(ValueError, match="name another file for checkpoint"):
            clf.fit([str(table)], target="y", X_val=str(other))
    clf = DistributedPerceptron(client=nowhere, checkpoint=tmp_path / "no" / "state")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        clf.fit(np.eye(2), [0, 1])


def test_training_saves_its_state_to_another_file_than_its_data(table, tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    os.link(table, folder / STATE)
    source = InMemory(np.eye(2), np.array([0, 1]), seed=0)
    source.files = open_source(table).paths
    before, clf = table.read_bytes(), rosenblatt.Perceptron()
    with pytest.raises(ValueError, match="name another file for checkpoint"):
        clf.fit_source(source, observers=[Checkpoints(folder, {}, files=source.files)])
    assert not hasattr(clf, "outcome_")
    with pytest.raises(ValueError, match="name another file for path"):
        rosenblatt.save(clf.fit_source(source), table)
    assert (folder / STATE).read_bytes() == table.read_bytes() == before


# --- the law --------------------------------------------------------------------------------


WRITERS = {"write_text", "write_bytes", "to_csv", "to_parquet", "to_json", "tofile", "touch"}


def writes(call):
    """Whether a call opens or makes a file to write, as far as its text tells."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    owner = getattr(getattr(call.func, "value", None), "id", "")
    if name == "open" and owner != "os":
        texts = [a.value for a in [*call.args, *(k.value for k in call.keywords)]
                 if isinstance(a, ast.Constant) and isinstance(a.value, str)]  # fmt: skip
        return any(set(text) <= set("rwxabt+") and set(text) & set("wxa+") for text in texts)
    return name in WRITERS or (owner, name) in {("os", "replace"), ("os", "rename")}


def test_files_are_written_in_one_place():
    """Whatever is written goes through `storage.atomic`, so that the check cannot be missed."""
    found = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and writes(node)
    }
    assert found == {"storage/atomic.py"}


def test_the_files_of_an_object_add_up(tmp_path):
    class Thing:
        pass

    one, other = Thing(), Thing()
    atomic.remember(one, [tmp_path / "b", 0])
    atomic.remember(one, [tmp_path / "a"])
    atomic.remember(other, [tmp_path / "c"])
    assert atomic.origins(one) == [tmp_path / "a", tmp_path / "b"]
    assert atomic.origins(other, Thing(), one) == [tmp_path / name for name in "cab"]
