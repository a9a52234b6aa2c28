"""No command writes over what it reads, and bad outputs are refused before any work."""

from __future__ import annotations

import inspect
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from rosenblatt.cli import cluster_fit
from rosenblatt.cli import commands as modules
from rosenblatt.cli.app import app, run
from rosenblatt.cli.file_roles import Reads, Writes, roles
from rosenblatt.storage.checkpoint import STATE
from tests.cli.terminal import blobs, rosenblatt

LINES = {
    "fit": "{data} -t cloud --validate {validate} --templates {templates} --passes 2 --out {out} "
    "--checkpoint {checkpoint}",
    "predict": "{model} {data} --out {out}",
    "certify": "{data} -t cloud --out {out}",
    "trace": "{data} -t cloud --passes 2 --out {out}",
    "report": "{model} --out {out}",
    "export": "{model} --onnx {onnx}",
    "lab": "{source} --export {export} --static {static}",
}
"""A complete line of each command that writes, with places for the files of its parameters."""

ENDINGS = {"onnx": "m.onnx", "export": "page.html", "checkpoint": "state", "static": "site"}
FOLDERS = {"checkpoint": STATE, "static": "index.html"}
"""Outputs that are folders, each with a file that is written there."""


def commands():
    """The commands of the application by name, as functions."""
    found = {info.name or info.callback.__name__: info.callback for info in app.registered_commands}
    assert sorted(found) == modules.__all__
    return found


def pairs():
    """Each output of each command with each of its inputs."""
    for name, function in commands().items():
        role = roles(function)
        for output in (n for n, r in role.items() if isinstance(r, Writes)):
            for source in (n for n, r in role.items() if isinstance(r, Reads)):
                yield pytest.param(name, output, source, id=f"{name}-{output}-{source}")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    rosenblatt("fit", blobs(folder / "a.csv"), "-t", "cloud", "--out", folder / "m.rbt", "--json")
    return folder / "m.rbt"


@pytest.fixture
def files(model, tmp_path, monkeypatch):
    """A folder with an own copy of every input, by parameter."""
    monkeypatch.chdir(tmp_path)
    found = {name: tmp_path / f"{name}.csv" for name in ("data", "validate", "source", "templates")}
    for seed, path in enumerate(found.values()):
        blobs(path, rows=60, seed=seed)
    found["model"] = tmp_path / "model.csv"  # an ending that predict may write
    found["model"].write_bytes(model.read_bytes())
    return found


def line(name, places):
    """The arguments of a command; outputs that are not given go to new files."""
    names = re.findall(r"{(\w+)}", LINES[name])
    fresh = {place: ENDINGS.get(place, "new.csv") for place in names}
    return [name, *LINES[name].format(**(fresh | places)).split()]


def refusal(arguments, capsys):
    """Run a command that must be refused; its one line on stderr."""
    code = run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert code == 2, out + err
    assert out == ""
    assert err.count("\n") == 1, err
    return err


def snapshot(folder):
    """Every file below a folder with its content; links as links."""
    return {
        path.relative_to(folder): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def spelled(path, spelling, ending):
    """Another name for the same file."""
    name = path.with_name(f"other{ending}")
    if spelling == "symlink":
        name.symlink_to(path.name)
    elif spelling == "hard link":
        os.link(path, name)
    elif spelling == "relative":
        name = f"./{os.path.relpath(path)}"
    else:
        name = path
    return name


# --- inputs are kept ------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", ["same", "relative", "symlink", "hard link"])
@pytest.mark.parametrize(("name", "output", "source"), [*pairs()])
def test_no_output_replaces_an_input(name, output, source, spelling, files, tmp_path, capsys):
    if output in FOLDERS:
        folder = tmp_path / "state"
        folder.mkdir()
        moved = files[source].rename(folder / FOLDERS[output])
        files[source], given = spelled(moved, spelling, ".csv"), folder
    else:
        given = spelled(files[source], spelling, ".csv")
    before = snapshot(tmp_path)
    err = refusal(line(name, files | {output: given}), capsys)
    assert snapshot(tmp_path) == before
    assert "would be overwritten; name another file for --" + output in err
    assert FOLDERS.get(output, Path(given).name) in err


@pytest.mark.parametrize(("name", "output", "source"), [*pairs()])
def test_an_input_is_protected_before_it_is_read(name, output, source, files, tmp_path, capsys):
    for path in files.values():
        path.write_bytes(b"\0 neither a table nor a model")
    given = files[source]
    if output in FOLDERS:
        given = tmp_path / "state"
        given.mkdir()
        files[source] = files[source].rename(given / FOLDERS[output])
    before = snapshot(tmp_path)
    assert "overwritten" in refusal(line(name, files | {output: given}), capsys)
    assert snapshot(tmp_path) == before


def test_each_file_of_a_folder_and_of_a_pattern_is_an_input(files, tmp_path, capsys):
    folder = tmp_path / "tables"
    folder.mkdir()
    for name in ("a.csv", "b.csv"):
        blobs(folder / name, rows=60)
    before = snapshot(tmp_path)
    for data in (folder, folder / "*.csv"):
        places = {"model": files["model"], "data": data, "out": folder / "b.csv"}
        err = refusal(line("predict", places), capsys)
        assert "b.csv is an input" in err
        assert snapshot(tmp_path) == before


def test_labels_beside_images_are_an_input(tmp_path, capsys):
    images, labels = tmp_path / "t-images-idx3-ubyte", tmp_path / "t-labels-idx1-ubyte"
    images.write_bytes(bytes([0, 0, 8, 3, *(0, 0, 0, 2) * 3, *range(8)]))
    labels.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 2, 0, 1]))
    before = snapshot(tmp_path)
    err = refusal(["fit", images, "--out", labels], capsys)
    assert "t-labels-idx1-ubyte is an input" in err
    assert snapshot(tmp_path) == before


def test_redirected_streams_are_inputs_and_outputs(files, tmp_path):
    data, before = files["data"], snapshot(tmp_path)

    def run(*arguments, **streams):
        done = subprocess.run(
            [sys.executable, "-m", "rosenblatt", *map(str, arguments)], check=False, text=True,
            stderr=subprocess.PIPE, **streams,
        )  # fmt: skip
        assert done.returncode == 2
        assert snapshot(tmp_path) == before
        return done.stderr

    with open(data) as source:
        err = run("predict", files["model"], "-", "-o", data, stdin=source)
    assert "standard input" in err
    with open(data, "a") as target:
        err = run("predict", files["model"], data, stdout=target)
    assert "standard output" in err


def test_two_outputs_are_two_files(files, tmp_path, capsys):
    folder = tmp_path / "state"
    folder.mkdir()
    for state in (STATE, cluster_fit.STATE):
        places = files | {"out": folder / state, "checkpoint": folder}
        err = refusal(line("fit", places), capsys)
        assert f"{state} is named for both --out and --checkpoint" in err
    assert list(folder.iterdir()) == []


# --- outputs that cannot be written ---------------------------------------------------------


def outputs():
    """Each file that a command writes."""
    for name, function in commands().items():
        for output, role in roles(function).items():
            if isinstance(role, Writes) and not role.inside:
                yield pytest.param(name, output, id=f"{name}-{output}")


@pytest.mark.parametrize(("name", "output"), [*outputs()])
def test_bad_outputs_are_refused_at_once(name, output, files, tmp_path, capsys):
    for path in files.values():
        path.write_bytes(b"\0 not to be read")
    (tmp_path / "folder.csv").mkdir()
    before = snapshot(tmp_path)
    for given, words in (
        ("missing/out.csv", "there is no folder missing; make it"),
        ("data.csv/out.csv", "there is no folder data.csv; make it"),
        ("folder.csv", "this is a folder; name a file"),
        ("x" * 300 + ".csv", "it cannot be written (File name too long)"),
        ("/proc/out.csv", "it cannot be written"),
    ):
        err = refusal(line(name, files | {output: given}), capsys)
        assert given in err
        assert words in err
        assert f"--{output}" in err
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(("name", "output"), [*outputs()])
def test_a_read_only_folder_is_refused_at_once(name, output, files, tmp_path, capsys):
    (tmp_path / "closed").mkdir(mode=0o500)
    if os.access(tmp_path / "closed", os.W_OK):
        pytest.skip("this user may write to any folder, as root may")
    err = refusal(line(name, files | {output: "closed/out.csv"}), capsys)
    assert "Permission denied" in err


def test_a_checkpoint_that_is_a_file_is_refused_at_once(files, capsys):
    for path in files.values():
        path.write_bytes(b"\0 not to be read")
    for given in ("data.csv", "data.csv/below"):
        err = refusal(line("fit", files | {"checkpoint": given}), capsys)
        assert "is a file; name a folder for --checkpoint" in err


# --- interruptions --------------------------------------------------------------------------


def test_ctrl_c_leaves_the_old_output_and_nothing_else(files, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("old")
    before = snapshot(tmp_path)
    command = [sys.executable, "-m", "rosenblatt", "predict", files["model"], "-", "-o", out]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        end = time.monotonic() + 60
        while not any(tmp_path.glob(".*.part")):  # it has begun, and waits for rows
            assert time.monotonic() < end
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
    assert run.returncode == 130
    assert snapshot(tmp_path) == before


# --- what still works -----------------------------------------------------------------------


def test_the_output_of_an_earlier_run_is_replaced(files, tmp_path):
    out = tmp_path / "again.csv"
    for _ in range(2):
        rosenblatt("predict", files["model"], files["data"], "-o", out, cwd=tmp_path)
    assert out.read_text().startswith("prediction\n")


def test_a_folder_that_holds_the_data_may_hold_the_checkpoint(files, tmp_path):
    common = ("fit", "data.csv", "-t", "cloud", "--passes", "2", "--json", "--out", "m.rbt")
    rosenblatt(*common, "--checkpoint", ".", cwd=tmp_path)
    rosenblatt(*common, "--checkpoint", ".", "--resume", cwd=tmp_path)
    assert (tmp_path / STATE).exists()


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_predictions_go_to_standard_output(out, files, tmp_path):
    plain = rosenblatt("predict", files["model"], files["data"]).stdout
    shown = rosenblatt("predict", files["model"], files["data"], "-o", out, cwd=tmp_path).stdout
    assert shown == plain
    assert not (tmp_path / "-").exists()


def test_a_certificate_goes_to_standard_output_and_leaves_the_device(files):
    device = os.lstat("/dev/stdout")
    shown = rosenblatt("certify", files["data"], "-t", "cloud", "-o", "/dev/stdout").stdout
    assert shown.startswith('{\n "format": "rosenblatt-certificate/')
    assert "saved /dev/stdout" in shown
    assert os.lstat("/dev/stdout").st_ino == device.st_ino


# --- the law --------------------------------------------------------------------------------


def test_every_parameter_that_names_a_file_has_a_role():
    """A new command, or a new option, is protected or fails here."""
    for name, function in commands().items():
        hints = get_type_hints(function, include_extras=True)
        known = roles(function)
        for parameter in inspect.signature(function).parameters:
            base, *marks = get_args(hints[parameter])
            help_ = " ".join(mark.help or "" for mark in marks if hasattr(mark, "help"))
            kinds = {base, *get_args(base)}
            named = Path in kinds or (
                str in kinds and re.search(r"\b(files?|folder|writes?|saves?)\b", help_)
            )
            assert bool(named) == (parameter in known), f"{name}: {parameter} ({help_})"


def test_every_command_that_writes_is_tested():
    writers = {}
    for name, function in commands().items():
        role = roles(function)
        if any(isinstance(one, Writes) for one in role.values()):
            writers[name] = set(role)
    assert {name: set(re.findall(r"{(\w+)}", text)) for name, text in LINES.items()} == writers
    assert roles(commands()["fit"])["checkpoint"].inside == (STATE, cluster_fit.STATE)
