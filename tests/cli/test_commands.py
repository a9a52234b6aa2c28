"""Every command, as a process on real files."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys

import numpy as np
import pytest

import rosenblatt as library
from rosenblatt.cli.app import run
from rosenblatt.estimators.parameters import declared
from rosenblatt.storage import modelfile
from tests.cli.terminal import blobs, people, rosenblatt, told

COMMANDS = (
    "fit", "predict", "evaluate", "inspect", "compare", "certify", "verify", "trace", "lab",
    "export", "report",
)  # fmt: skip


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder with data and models that the tests share and do not change."""
    folder = tmp_path_factory.mktemp("work")
    people(folder / "people.csv")
    people(folder / "new.csv", rows=200, seed=1)
    blobs(folder / "blobs.csv")
    told(
        "fit", folder / "people.csv", "--target", "income", "--validate", "0.2", "--passes", "6",
        "--out", folder / "people.rbt",
    )  # fmt: skip
    told("fit", folder / "blobs.csv", "--target", "cloud", "--out", folder / "blobs.rbt")
    return folder


def table(path):
    """The rows of a CSV file."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


# --- help -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    shown = rosenblatt(command, "--help").stdout
    assert f"rosenblatt {command} " in shown
    assert "Example" in shown
    assert "--json" in shown or command == "lab"  # a server has nothing to print


def test_version():
    assert rosenblatt("--version").stdout.strip() == f"rosenblatt {library.__version__}"


# --- fit ------------------------------------------------------------------------------------


def test_fit_tells_both_errors_and_saves(work, tmp_path):
    out = tmp_path / "m.rbt"
    shown = rosenblatt(
        "fit", work / "people.csv", "--target", "income", "--validate", "0.2", "--out", out
    ).stdout
    assert re.search(r"600 rows · .*2 numbers, 1 category, .*12 missing", shown), shown
    assert re.search(r"training error [\d.]+ %    held-out error [\d.]+ % ± [\d.]+", shown)
    assert "raises rich" in shown
    assert "town=Wien" in shown
    assert out.exists()
    model = modelfile.read(out)
    assert model.provenance["rows"] + model.provenance["held_out_rows"] == 600
    assert 90 < model.provenance["held_out_rows"] < 150
    assert model.provenance["settings"]["digest"]
    assert model.estimator.classes_.tolist() == ["poor", "rich"]


def test_fit_proves_separation(work):
    shown = rosenblatt(
        "fit", work / "blobs.csv", "--target", "cloud", "--model", "Perceptron", "--passes", "50",
        "--out", work / "separated.rbt",
    ).stdout  # fmt: skip
    assert re.search(r"separated: no update in pass \d+ .*\(proof\)", shown), shown
    assert "training error 0.00 %" in shown


@pytest.mark.parametrize("model", ["averaged", "AROW", "passive-aggressive", "voted", "kernel"])
def test_fit_takes_every_kind_of_model(model, work, tmp_path):
    out = tmp_path / "m.rbt"
    result = told(
        "fit", work / "blobs.csv", "--target", "cloud", "--model", model, "--passes", "3",
        "--out", out,
    )  # fmt: skip
    assert result["training_error"] < 0.05
    assert told("evaluate", out, work / "blobs.csv")["error"] == result["training_error"]


def test_fit_with_a_validation_file_and_parameters(work, tmp_path):
    out = tmp_path / "m.rbt"
    result = told(
        "fit", work / "people.csv", "-t", "income", "--validate", work / "new.csv", "--model",
        "PassiveAggressive", "--set", "C=0.01", "--drop", "owner", "--out", out,
    )  # fmt: skip
    assert result["held_out_rows"] == 200
    assert modelfile.read(out).estimator.C == 0.01
    found = told("evaluate", out, work / "new.csv")
    assert found["error"] == pytest.approx(result["held_out_error"])


def test_set_help_lists_the_parameters_of_the_model(work):
    command = ("fit", work / "people.csv", "-t", "income", "--model", "scw", "--set")
    listed = rosenblatt(*command, "help").stdout
    assert "Parameters of SCW" in listed
    for name, parameter in declared(library.SCW).items():
        assert name in listed
        assert parameter.text.split()[0] in listed
    rosenblatt(*command, "eta0", code=2)


def test_words_in_a_row_are_features_if_asked_for(tmp_path):
    lines = [f"{kind},{' '.join(words)}" for kind, *words in ("snn", "snn", "tnm", "tmn") * 20]
    (tmp_path / "order.csv").write_text("kind,text\n" + "\n".join(lines) + "\n")
    command = ("fit", tmp_path / "order.csv", "-t", "kind", "--text", "text")
    out = tmp_path / "m.rbt"
    for ngrams in (1, 2):
        told(*command, "--ngrams", ngrams, "--out", out)
        names = {n for side in told("inspect", out)["top_features"]["t"].values() for n, _ in side}
        assert ('text: "n m"' in names) == (ngrams == 2)
    rosenblatt(*command, "--ngrams", "6", "--out", out, code=2)
    state = ("--checkpoint", tmp_path / "state", "--out", out)
    told(*command, "--ngrams", 2, *state)
    done = rosenblatt(*command, *state, "--resume", "--json", code=2)
    assert "ngrams" in done.stderr  # what was learned has other features


def test_the_same_command_gives_the_same_file(work, tmp_path):
    files = []
    for name in ("a.rbt", "b.rbt"):
        told("fit", work / "people.csv", "-t", "income", "--seed", "3", "--out", tmp_path / name)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]
    told("fit", work / "people.csv", "-t", "income", "--seed", "4", "--out", tmp_path / "c.rbt")
    assert (tmp_path / "c.rbt").read_bytes() != files[0]


def test_standard_input(work, tmp_path):
    text = (work / "people.csv").read_text()
    result = told("fit", "-", "-t", "income", "--out", tmp_path / "m.rbt", stdin=text)
    assert result["rows"] == 600


# --- predict and evaluate -------------------------------------------------------------------


def test_predictions_are_the_models(work, tmp_path):
    out = tmp_path / "out.csv"
    rosenblatt("predict", work / "people.rbt", work / "new.csv", "-o", out, "--scores")
    rows = table(out)
    assert len(rows) == 200
    assert {row["prediction"] for row in rows} == {"poor", "rich"}
    for row in rows:
        assert (float(row["score"]) > 0) == (row["prediction"] == "rich")
    truth = [row["income"] for row in table(work / "new.csv")]
    right = np.mean([row["prediction"] == label for row, label in zip(rows, truth, strict=True)])
    assert told("evaluate", work / "people.rbt", work / "new.csv")["accuracy"] == right


def test_predict_writes_parquet_and_standard_output(work, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "out.parquet"
    rosenblatt("predict", work / "blobs.rbt", work / "blobs.csv", "-o", out, "--scores")
    found = parquet.read_table(out)
    assert found.column_names == ["prediction", "score c0", "score c1", "score c2"]
    lines = rosenblatt("predict", work / "blobs.rbt", work / "blobs.csv").stdout.splitlines()
    assert lines[0] == "prediction"
    assert lines[1:] == found["prediction"].to_pylist()


def test_columns_may_be_reordered_and_more_but_not_fewer(work, tmp_path):
    with open(work / "new.csv", newline="") as file:
        rows = list(csv.reader(file))
    turned, fewer = tmp_path / "turned.csv", tmp_path / "fewer.csv"
    with open(turned, "w", newline="") as file:
        csv.writer(file).writerows([*row[::-1], "extra"] for row in rows)
    with open(fewer, "w", newline="") as file:
        csv.writer(file).writerows(row[1:] for row in rows)
    plain = rosenblatt("predict", work / "people.rbt", work / "new.csv").stdout
    assert rosenblatt("predict", work / "people.rbt", turned).stdout == plain
    failed = rosenblatt("predict", work / "people.rbt", fewer, code=2)
    assert "'age'" in failed.stderr


def test_predict_imports_only_what_it_needs(work):
    code = (
        "import sys\n"
        "from rosenblatt.cli.app import main\n"
        f"try: main(['predict', {str(work / 'people.rbt')!r}, {str(work / 'new.csv')!r}])\n"
        "except SystemExit as end: assert not end.code\n"
        "heavy = ('numba', 'llvmlite', 'matplotlib', 'fastapi')\n"
        "print([n for n in heavy if n in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert len(done.stdout.splitlines()) == 201


def test_a_class_that_is_never_said_has_no_precision(tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("a,y\n1,no\n1,yes\n1,yes\n")
    rosenblatt("fit", path, "--target", "y", "-o", tmp_path / "few.rbt")
    shown = rosenblatt("evaluate", tmp_path / "few.rbt", path).stdout
    assert "nan" not in shown
    assert "–" in shown


def test_evaluate_counts_as_a_person_would(work):
    found = told("evaluate", work / "people.rbt", work / "new.csv")
    said = rosenblatt("predict", work / "people.rbt", work / "new.csv").stdout.splitlines()[1:]
    truth = [row["income"] for row in table(work / "new.csv")]
    labels = ["poor", "rich"]
    counts = [
        [sum(t == a and s == b for t, s in zip(truth, said, strict=True)) for b in labels]
        for a in labels
    ]
    assert found["confusion"] == counts
    rich = found["classes"][1]
    assert rich["precision"] == pytest.approx(counts[1][1] / (counts[0][1] + counts[1][1]))
    assert rich["recall"] == pytest.approx(counts[1][1] / sum(counts[1]))
    shown = rosenblatt("evaluate", work / "people.rbt", work / "new.csv").stdout
    assert f"{counts[1][1]}" in shown


# --- inspect, compare, report, export -------------------------------------------------------


def test_inspect(work):
    shown = rosenblatt("inspect", work / "people.rbt", "-k", "2").stdout
    assert re.search(r"AveragedPerceptron · 4\d\d examples x 7 features", shown)
    assert "town=Wien" in shown
    told_ = told("inspect", work / "people.rbt")
    assert told_["classes"] == ["poor", "rich"]
    assert len(told_["provenance"]["history"]) == told_["provenance"]["passes"]


def test_compare_ranks(work):
    board = told(
        "compare", work / "people.csv", "-t", "income", "-m", "averaged", "-m", "AROW",
        "--folds", "3",
    )  # fmt: skip
    names = [row["member"] for row in board["members"]]
    assert sorted(names) == ["AROW", "AveragedPerceptron"]
    assert board["members"][0]["error"] <= board["members"][1]["error"] < board["chance"]


def test_report_is_one_page_that_needs_nothing_else(work, tmp_path):
    out = tmp_path / "r.html"
    rosenblatt("report", work / "people.rbt", "-o", out)
    page = out.read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "town=Wien" in page
    assert not re.search(r'(src|href)="(?!#)', page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    again = tmp_path / "again.html"
    rosenblatt("report", work / "people.rbt", "-o", again)
    assert again.read_bytes() == out.read_bytes()


def test_export_predicts_the_same(work, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("skl2onnx")
    out = tmp_path / "m.onnx"
    rosenblatt("export", work / "blobs.rbt", "--onnx", out)
    session = runtime.InferenceSession(str(out))
    estimator = library.load(work / "blobs.rbt")
    X = np.random.default_rng(0).normal(size=(50, 2))
    label = session.run(["label"], {"X": X})[0]
    assert label.tolist() == estimator.predict(X).tolist()


# --- proofs ---------------------------------------------------------------------------------


def test_certify_and_verify(work, tmp_path):
    proof = tmp_path / "cert.json"
    rosenblatt("certify", work / "blobs.csv", "-t", "cloud", "-o", proof)
    rosenblatt("verify", proof, work / "blobs.csv")
    assert told("verify", proof, work / "blobs.csv")["holds"] is True
    lines = (work / "blobs.csv").read_text().splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([lines[0], *lines[2:], lines[1]]) + "\n")
    refused = rosenblatt("verify", proof, other, code=1)
    assert refused.stdout.startswith("refused: ")


def test_what_cannot_be_separated_is_a_no(work, tmp_path):
    proof = tmp_path / "cert.json"
    found = told("certify", work / "people.csv", "-t", "income", "-o", proof, code=1)
    assert found["verdict"] == "inseparable"
    rosenblatt("verify", proof, work / "people.csv")


def test_trace_replays_to_the_weights(tmp_path):
    data, out = blobs(tmp_path / "two.csv", classes=2), tmp_path / "run.json"
    rosenblatt("trace", data, "-t", "cloud", "-o", out, "--passes", "5")
    run = json.loads(out.read_text())
    assert run["format"] == "rosenblatt-journal/1"
    for part, keys in {
        "config": ("rule", "parameters", "space", "order", "seed", "readout", "library"),
        "data": ("points", "labels", "bias"),
        "start": ("w", "counters"),
        "updates": ("t", "i", "r", "a", "c"),
        "passes": ("visits", "mistakes", "errors"),
        "counters": ("t", "k", "ww"),
    }.items():
        assert set(keys) <= set(run[part]), part
    X = np.column_stack([run["data"]["points"], np.full(300, run["data"]["bias"])])
    w = np.array(run["start"]["w"]).ravel()
    for i, a, c in zip(*(run["updates"][name] for name in "iac"), strict=True):
        w = c * w + a * run["data"]["labels"][i] * X[i]
    signs = np.array(run["data"]["labels"])
    assert int((signs * (X @ w) <= 0).sum()) == run["passes"]["errors"][-1]
    assert library.Journal.load(out).counters["k"] == run["counters"]["k"]


# --- bad use, bad data ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "none.csv", "-t", "income"], "no such file"),
        (["fit", "people.csv", "-t", "incom"], "Did you mean 'income'"),
        (["fit", "people.csv", "-t", "income", "--model", "nonsense"], "AveragedPerceptron"),
        (["fit", "people.csv", "-t", "income", "--set", "etta=1"], "did you mean 'eta0'?"),
        (["fit", "people.csv", "-t", "income", "--set", "eta0=-1"], "eta0"),
        (["fit", "people.csv", "-t", "income", "--set", "eta0"], "name=value"),
        (["fit", "people.csv", "-t", "income", "--validate", "1.5"], "--validate"),
        (["fit", "people.csv", "-t", "income", "--resume"], "--checkpoint"),
        (["fit", "people.csv", "-t", "income", "--out", "no/where.rbt"], "no folder"),
        (["fit", "people.csv"], "--target"),
        (["fit", "people.csv", "-t", "income", "--passes", "0"], "--passes"),
        (["predict", "people.csv", "people.csv"], "not a model file"),
        (["predict", "none.rbt", "people.csv"], "none.rbt"),
        (["evaluate", "blobs.rbt", "people.csv"], "'x'"),
        (["verify", "people.rbt", "people.csv"], "not a certificate"),
        (["export", "people.rbt"], "--onnx"),
        (["nonsense"], "nonsense"),
        (["predict", "people.rbt", "new.csv", "-o", "out.docx"], ".parquet"),
    ],
)
def test_bad_use_is_one_line_and_code_2(arguments, words, work, monkeypatch, capsys):
    monkeypatch.chdir(work)
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rosenblatt: ")
    assert err.count("\n") == 1
    assert words in err


def test_a_bad_cell_is_named(work, tmp_path):
    lines = (work / "people.csv").read_text().splitlines()
    lines[16] = lines[16].replace(lines[16].split(",")[0], "fourty", 1)
    bad = tmp_path / "bad.csv"
    bad.write_text("\n".join(lines) + "\n")
    failed = rosenblatt("predict", work / "people.rbt", bad, code=2)
    assert "line 17" in failed.stderr
    assert "'age'" in failed.stderr
    assert "fourty" in failed.stderr


def test_debug_shows_the_traceback(work):
    command = [sys.executable, "-m", "rosenblatt", "fit", "none.csv", "-t", "income", "--debug"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=work)
    assert done.returncode != 0
    assert "Traceback" in done.stderr


@pytest.mark.parametrize("validate", ["0.2", None])
def test_rows_that_do_not_fit_are_streamed(work, tmp_path, validate):
    more = [] if validate is None else ["--validate", validate]
    result = told(
        "fit", work / "people.csv", "-t", "income", "--memory", "0", "--passes", "6", *more,
        "--out", tmp_path / "m.rbt",
    )  # fmt: skip
    assert result["training_error"] is None
    assert result["learning_error"] < 0.2
    assert told("evaluate", tmp_path / "m.rbt", work / "new.csv")["error"] < 0.1
