"""certify and verify on files: numbers as they stand in them, and of which columns."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from fractions import Fraction
from math import inf

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from rosenblatt import certify
from rosenblatt.cli.proof_data import exact_examples, scope
from rosenblatt.data import Recipe, Stream, open_source
from rosenblatt.proofs.checker import read_problem
from tests.cli.terminal import people, rosenblatt, told

NEAR = Decimal("0.12345678901234567890"), Decimal("0.12345678901234567891")
BIG = 10**18, 10**18 + 1

CSV = {
    "whole numbers beside fractions": f"a,b,y\n{BIG[0]},0.5,u\n{BIG[1]},0.5,v\n",
    "decimals": f"a,y\n{NEAR[0]},u\n{NEAR[1]},v\n",
    "beyond 64 bits": "a,y\n12345678901234567890,u\n12345678901234567891,v\n",
    "exponents": "a,y\n1e-5,u\n1.00000000000000000001E-5,v\n",
    "blanks and quotes": f'a,y\n" {NEAR[0]}",u\n "{NEAR[1]}",v\n',
    "missing cells": f"a,b,y\n{BIG[0]},0,u\n{BIG[1]},0,v\n,1,u\n,0,v\n",
    "beside categories": f"a,b,y\n{BIG[0]},red,u\n{BIG[1]},red,v\n{BIG[0]},blue,u\n",
    "tabs": f"a\ty\n{NEAR[0]}\tu\n{NEAR[1]}\tv\n",
}
ARROW = {
    "whole numbers beside fractions": pa.array(BIG),
    "without a sign": pa.array([2**64 - 1, 2**64 - 2], pa.uint64()),
    "decimals": pa.array(NEAR, pa.decimal128(30, 20)),
    "long decimals": pa.array(NEAR, pa.decimal256(60, 20)),
    "a dictionary": pa.array(BIG).dictionary_encode(),
}
SVMLIGHT = {
    "whole numbers": f"+1 1:{BIG[0]} 3:0.1\n-1 1:{BIG[1]} 3:+0.1 # 7:8\n",
    "decimals": f"1 1:{NEAR[0]}\n\n-1 qid:1 1:{NEAR[1]}\n",
    "exponents": "1 2:1e-5\n-1 2:1.00000000000000000001e-5\n",
}


def separable(path, *options):
    """A file of rows that are equal as floats, proved to be separable as they stand."""
    proof = path.with_suffix(".json")
    assert told("certify", path, *options, "-o", proof)["verdict"] == "separable"
    assert told("verify", proof, path)["holds"] is True


@pytest.mark.parametrize("name", CSV)
def test_text_is_taken_exactly(name, tmp_path):
    path = tmp_path / ("data.tsv" if name == "tabs" else "data.csv")
    path.write_text(CSV[name])
    separable(path, "-t", "y")


@pytest.mark.parametrize("name", ARROW)
def test_typed_columns_are_taken_exactly(name, tmp_path):
    table = pa.table({"a": ARROW[name], "b": [0.5, 0.5], "y": ["u", "v"]})
    pq.write_table(table, tmp_path / "data.parquet")
    separable(tmp_path / "data.parquet", "-t", "y")
    feather.write_feather(table, tmp_path / "data.arrow")
    separable(tmp_path / "data.arrow", "-t", "y")


@pytest.mark.parametrize("name", SVMLIGHT)
def test_svmlight_is_taken_exactly(name, tmp_path):
    path = tmp_path / "data.svm"
    path.write_text(SVMLIGHT[name])
    separable(path)


def test_decimals_add_up_as_decimals(tmp_path):
    """0.2 lies halfway between 0.1 and 0.3, though the doubles nearest to them do not."""
    path = tmp_path / "data.csv"
    path.write_text("a,b,y\n0.1,1,u\n0.3,3,u\n0.2,2,v\n")
    found = told("certify", path, "-t", "y", code=1)
    assert found["verdict"] == "inseparable"
    assert sorted(found["coefficients"]) == ["1/2", "1/4", "1/4"]


def test_a_missing_number_counts_as_stated(tmp_path):
    """As the decimal 0.2 that the scope names, not as the double nearest to it."""
    path = tmp_path / "data.csv"
    path.write_text("a,b,y\n0.1,0,u\n,1,u\n0.3,1,v\n")
    stream = Stream(open_source(path), target="y", standardise=False, budget=inf, dtype=np.float64)
    assert "in 'a' counts as 0.2, with" in scope(stream.recipe, stream.source.names)
    numbers, unit = read_problem(*exact_examples(stream)).exact_dense_rows(np.arange(3))
    assert [v * unit for v in numbers[:, 0]] == [Fraction(k, 10) for k in (1, 2, 3)]


def test_dates_are_refused(tmp_path):
    days = [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)]
    pq.write_table(pa.table({"a": days, "b": [0.5, 0.5], "y": ["u", "v"]}), tmp_path / "d.parquet")
    assert "dates" in rosenblatt("certify", tmp_path / "d.parquet", "-t", "y", code=2).stderr


def test_what_floats_cannot_approach_is_refused(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\n1e-400,u\n0,v\n")
    assert (
        "'a' holds a number too large or too small"
        in rosenblatt("certify", path, "-t", "y", code=2).stderr
    )


def test_hexadecimals_are_refused(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\n0x10,u\n0x11,v\n")
    words = "'0x10', which is not a decimal number"
    assert words in rosenblatt("certify", path, "-t", "y", code=2).stderr


def test_labels_are_not_rounded(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\n1,12345678901234567890\n2,12345678901234567891\n3,4\n")
    assert "labels differ" in rosenblatt("certify", path, "-t", "y", code=2).stderr


# --- of which columns -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    (folder / "drop.csv").write_text("a,b,y\n1,1,u\n1,2,v\n2,1,u\n2,3,v\n")
    people(folder / "people.csv", rows=60)
    (folder / "few.svm").write_text("1 1:1 2:1\n-1 1:1 2:2\n1 1:2\n")
    notes = ["good book", "bad book", "good film", "bad film"]
    rows = "".join(f"{note},{note.split()[0]}\n" for note in notes)
    (folder / "notes.csv").write_text("note,y\n" + rows)
    rosenblatt("certify", folder / "people.csv", "-t", "income", "-o", folder / "people.json")
    rosenblatt("certify", folder / "few.svm", "-o", folder / "few.json")
    rosenblatt(
        "certify", folder / "notes.csv", "-t", "y", "--text", "note", "-o", folder / "notes.json"
    )
    return folder


def test_a_dropped_column_is_named(work, tmp_path):
    proof = tmp_path / "proof.json"
    words = "Proved of 1 of the 2 columns other than the target 'y': 'a'; not used: 'b'."
    made = rosenblatt("certify", work / "drop.csv", "-t", "y", "--drop", "b", "-o", proof, code=1)
    assert words in made.stdout
    assert json.loads(proof.read_text())["scope"].startswith(words)
    assert words in rosenblatt("verify", proof, work / "drop.csv").stdout
    assert told("verify", proof, work / "drop.csv")["scope"].startswith(words)
    assert told("certify", work / "drop.csv", "-t", "y")["scope"].startswith(
        "Proved of all 2 columns other than the target 'y': 'a', 'b'. Numbers are taken exactly"
    )


def test_what_became_of_columns_is_stated(work):
    said = told("verify", work / "people.json", work / "people.csv")["scope"]
    assert "'age', 'hours', 'town', 'owner'" in said
    assert "A missing number in 'hours' counts as " in said
    assert "One feature for each value: 'town'." in said
    assert "True or false: 'owner'." in said
    scaled = told("certify", work / "drop.csv", "-t", "y", "--standardise")["scope"]
    assert "Standardised, the features being 64-bit floats: 'a', 'b'." in scaled
    assert "exactly" not in scaled
    notes = told("verify", work / "notes.json", work / "notes.csv")["scope"]
    assert "Hashed words with weights, the features being 64-bit floats: 'note'." in notes


def test_many_columns_are_counted(tmp_path):
    names = [f"x{i}" for i in range(30)]
    path = tmp_path / "data.csv"
    rows = np.random.default_rng(0).integers(0, 9, (4, 30)).tolist()
    lines = [[*names, "y"], *([*row, label] for row, label in zip(rows, "uvuv", strict=True))]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n")
    drop = [word for name in names[:11] for word in ("--drop", name)]
    said = told("certify", path, "-t", "y", *drop)["scope"]
    assert said.startswith("Proved of 19 of the 30 columns other than the target 'y': 'x11', ")
    assert "and 11 more; not used: 'x0', " in said
    assert "and 3 more." in said
    eight = Recipe.learn(open_source(path), target="y", drop=names[8:])
    assert "'x6', 'x7'; not used: 'x10', " in scope(eight, [*names, "y"])


def test_a_column_that_is_new_in_the_file_is_not_passed_over(work, tmp_path):
    proof, other = tmp_path / "proof.json", tmp_path / "other.csv"
    rosenblatt("certify", work / "drop.csv", "-t", "y", "-o", proof)
    lines = (work / "drop.csv").read_text().splitlines()
    other.write_text("\n".join(f"{line},{'c' if line == 'a,b,y' else 7}" for line in lines) + "\n")
    answer = rosenblatt("verify", proof, other, code=1).stdout
    assert answer.startswith("refused: The certificate states a different scope")
    assert "not used: 'c'" in answer


def column(name, **changes):
    """Change a column of a recipe."""

    def change(words):
        next(one for one in words["columns"] if one["name"] == name).update(changes)

    return change


def narrow(words):
    words["width"] = 1


def other_values(words):
    town = next(one for one in words["columns"] if one["name"] == "town")
    town["values"] = ["Bonn", "Rom", "York"]


@pytest.mark.parametrize(
    ("data", "target", "change"),
    [
        ("drop.csv", "y", column("b", centre=1e300)),  # makes all rows equal
        ("drop.csv", "y", column("b", scale=1e300)),
        ("people.csv", "income", column("hours", mean=0.0)),
        ("people.csv", "income", column("age", centre=1e18)),
        ("people.csv", "income", other_values),
        ("few.svm", None, narrow),  # leaves out the feature that separates
    ],
)
def test_a_recipe_is_not_believed(data, target, change, work, tmp_path):
    """A true proof of features that a forged recipe makes is no proof about the file."""
    options = {} if target is None else {"target": target}
    words = Recipe.learn(open_source(work / data), standardise=False, **options).to_dict()
    change(words)
    forged = Recipe.from_dict(words)
    source = open_source(work / data)
    stream = Stream(source, forged, budget=inf, dtype=np.float64)
    X, codes = stream.all_rows()
    proof = tmp_path / "forged.json"
    certify(X, stream.classes[codes]).save(
        proof, scope=scope(forged, source.names), recipe={"words": words, "arrays": {}}
    )
    refused = rosenblatt("verify", proof, work / data, code=1).stdout
    assert refused == (
        "refused: The columns of this file give different features from those of the certificate.\n"
    )


def test_a_scope_is_not_believed(work, tmp_path):
    content = json.loads((work / "people.json").read_text())
    for scope_, reason in (
        ("Proved of all columns.", "states a different scope"),
        (content["scope"].replace("all 4", "all 5"), "states a different scope"),
    ):
        lie = tmp_path / "lie.json"
        lie.write_text(json.dumps(content | {"scope": scope_}))
        assert reason in rosenblatt("verify", lie, work / "people.csv", code=1).stdout


def test_the_weights_of_words_are_not_believed(work, tmp_path):
    content = json.loads((work / "notes.json").read_text())
    weights = content["recipe"]["arrays"]["recipe.idf.0"]
    weights[:] = [1.0] * len(weights)
    lie = tmp_path / "lie.json"
    lie.write_text(json.dumps(content))
    assert "different features" in rosenblatt("verify", lie, work / "notes.csv", code=1).stdout


# --- damaged files --------------------------------------------------------------------------


def damaged(work):
    good = (work / "people.json").read_text()
    content = json.loads(good)
    yield b"", "not JSON"
    yield b"[" * 10**6, "too deep"
    yield good[:-30], "not JSON"
    yield good.replace('"verdict"', '"verdict": "separable", "verdict"', 1), "twice"
    yield json.dumps(content | {"statement": "Trust me."}), "statement"
    yield json.dumps(content | {"more": 1}), "'more' is unknown"
    yield json.dumps(content | {"coefficients": ["0x" + "7" * 5_000_000 + "/0x3"]}), "too long"
    yield json.dumps(content | {"support": [0.9]}), "'support'"
    yield json.dumps({k: v for k, v in content.items() if k != "scope"}), "only one of"
    alone = {k: v for k, v in content.items() if k not in ("scope", "recipe")}
    yield json.dumps(alone), "does not say how"
    yield json.dumps(content | {"recipe": []}), "recipe cannot be used"
    yield json.dumps(content | {"recipe": content["recipe"] | {"more": 1}}), "'more' is unknown"
    words = content["recipe"]["words"] | {"more": 1}
    yield json.dumps(content | {"recipe": content["recipe"] | {"words": words}}), "holds more"
    yield json.dumps(content | {"recipe": {"words": 5, "arrays": {}}}), "recipe cannot be used"
    yield json.dumps(content | {"recipe": {"words": {}, "arrays": {"a": "b"}}}), "recipe cannot"


def test_a_damaged_certificate_is_one_line(work, tmp_path):
    path = tmp_path / "damaged.json"
    for content, words in damaged(work):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        assert words in rosenblatt("verify", path, work / "people.csv", code=2).stderr
