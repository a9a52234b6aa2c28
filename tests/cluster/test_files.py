"""Shards from files: read on workers, in the bits of one place, with errors that say where."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from sklearn.datasets import dump_svmlight_file, load_breast_cancer

import rosenblatt as rb
from rosenblatt.cluster import DistributedPerceptron
from rosenblatt.data import DataError, Stream, open_source, read_matrix, split_source
from tests.cli.terminal import people

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def client():
    """Two worker processes: what they are given has to travel."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The same rows as one CSV file, as one of Parquet, and as folders of several of each."""
    folder = tmp_path_factory.mktemp("table")
    frame = pd.read_csv(people(folder / "whole.csv", rows=1200))
    frame.to_parquet(folder / "whole.parquet", row_group_size=100)
    for kind in ("csv", "parquet"):
        (folder / kind).mkdir()
        for number in range(3):
            part = frame[400 * number : 400 * (number + 1)]
            path = folder / kind / f"part-{number}.{kind}"
            part.to_csv(path, index=False) if kind == "csv" else part.to_parquet(path)
    return folder


MEMBER = rb.AveragedPerceptron(max_iter=4, random_state=0)


def expected(path, count):
    """The same shards, read here."""
    stream = Stream(open_source(path), target="income")
    X, y = stream.all_rows()
    edges = np.linspace(0, len(y), count + 1).astype(int)
    return [(X[a:b], stream.classes[y[a:b]]) for a, b in itertools.pairwise(edges)]


@pytest.mark.parametrize("what", ["csv", "parquet", "csv/part-*.csv", "whole.parquet", "list"])
def test_files_are_shards(client, table, what):
    path = sorted((table / "csv").iterdir()) if what == "list" else table / what
    spread = DistributedPerceptron(MEMBER, client=client, shards=3).fit(path, target="income")
    here = DistributedPerceptron(MEMBER, client=client).fit(expected(table / "whole.csv", 3))
    assert np.array_equal(spread.coef_, here.coef_)
    assert spread.classes_.tolist() == ["poor", "rich"]
    assert [told["by_shard"] for told in spread.rounds_] == [t["by_shard"] for t in here.rounds_]


def test_one_shard_of_a_file_is_the_local_estimator(client, table):
    ((X, y),) = expected(table / "whole.csv", 1)
    spread = DistributedPerceptron(MEMBER, client=client, shards=1)
    assert np.array_equal(spread.fit(table / "csv", target="income").coef_, MEMBER.fit(X, y).coef_)


def test_files_are_cut_if_there_are_fewer_than_workers(client, table):
    spread = DistributedPerceptron(MEMBER, client=client)
    assert len(spread.fit(table / "whole.csv", target="income").rounds_[0]["by_shard"]) == 2
    assert len(spread.fit(table / "csv", target="income").rounds_[0]["by_shard"]) == 3
    assert spread.rounds_[0]["visits"] == 1200


def test_svmlight(client, tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    X = np.round(X / X.std(axis=0))
    dump_svmlight_file(X, y, str(tmp_path / "rows.svm"), zero_based=False)
    spread = DistributedPerceptron(MEMBER, client=client, shards=1).fit(tmp_path / "rows.svm")
    assert np.array_equal(spread.coef_, MEMBER.fit(X, y).coef_)
    assert DistributedPerceptron(MEMBER, client=client, shards=3).fit(
        tmp_path / "rows.svm", validate=0.25
    ).rounds_[-1]["held_rows"] == pytest.approx(len(y) / 4, rel=0.3)


def test_every_part_together_is_the_whole(tmp_path):
    """Quoted line breaks and blank lines are no borders of parts; lines keep their numbers."""
    rows = [f'{k},"a line\nbreak, {k}",{"yes" if k % 3 else "no"}' for k in range(200)]
    path = tmp_path / "odd.csv"
    path.write_text("number,words,label\n" + "\n\n".join(rows) + "\n")
    stream = Stream(open_source(path), target="label", text=["words"])
    X, y = stream.all_rows()
    for count in (1, 2, 3, 7, 50):
        parts = split_source(open_source(path), count)
        assert len(parts) == count
        found = [read_matrix(part, stream.recipe) for part in parts]
        assert np.array_equal(np.concatenate([codes for _, codes in found]), y)
        assert sum(abs(A).sum() for A, _ in found) == pytest.approx(abs(X).sum())
    path.write_text(path.read_text().replace('"a line\nbreak, 180",no', '"a line\nbreak, 180",'))
    parts = split_source(open_source(path), 7)
    with pytest.raises(DataError, match=r"odd.csv, line 542: the target 'label' is missing"):
        [read_matrix(part, stream.recipe) for part in parts]


@pytest.mark.parametrize("kind", ["csv", "parquet", "svm"])
def test_a_bad_row_is_told_with_its_file_and_place(client, tmp_path, kind):
    draw = np.random.default_rng(0)
    for number in range(2):
        frame = pd.DataFrame(draw.normal(size=(300, 3)), columns=list("abc"))
        frame["label"] = np.where(frame.a > 0, "yes", "no")
        path = tmp_path / f"part-{number}.{kind}"
        if kind == "svm":
            lines = [f"{int(a > 0)} 1:{a} 2:{b}" for a, b in frame[["a", "b"]].to_numpy()]
            lines[250] = "1 1:0.5 2:rubbish" if number else lines[250]
            path.write_text("\n".join(lines) + "\n")
        elif kind == "csv":
            path.write_text(frame.to_csv(index=False))
        else:
            frame.to_parquet(path, row_group_size=64)
    if kind == "svm":
        with pytest.raises(DataError, match=r"part-1.svm, line 251: the value of"):
            DistributedPerceptron(MEMBER, client=client, shards=4).fit(tmp_path)
        return
    recipe = DistributedPerceptron(MEMBER, client=client).fit(tmp_path, target="label").recipe_
    frame.loc[250, "label"] = "perhaps"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path, row_group_size=64)
    place = "line 252" if kind == "csv" else "row 251"
    words = f'part-1.{kind}, {place}: the label "perhaps" does not occur'
    with pytest.raises(DataError, match=words):
        DistributedPerceptron(MEMBER, client=client, shards=4).fit(tmp_path, recipe=recipe)
    frame = frame.drop(index=250)
    frame.loc[251, "b"] = np.inf
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path, row_group_size=64)
    place = "line 252" if kind == "csv" else "row 251"
    with pytest.raises(DataError, match=f"part-1.{kind}, {place}: 'b' holds an infinite"):
        DistributedPerceptron(MEMBER, client=client, shards=4).fit(tmp_path, recipe=recipe)


def test_the_recipe_stays_and_the_model_predicts_raw_files(client, table, tmp_path):
    new = people(tmp_path / "new.csv", rows=100, seed=5)
    spread = DistributedPerceptron(MEMBER, client=client).fit(
        table / "parquet", target="income", X_val=new
    )
    rb.save(spread.model_, tmp_path / "model.rbt", recipe=spread.recipe_)
    script = (
        "import sys; sys.modules['dask'] = sys.modules['distributed'] = None\n"
        "from rosenblatt.cli.app import main\n"
        f"main(['evaluate', {str(tmp_path / 'model.rbt')!r}, {str(new)!r}, '--json'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    error = 1 - json.loads(done.stdout)["accuracy"]
    assert error == pytest.approx(spread.rounds_[-1]["held_out"])
    assert 0 < error < 0.2


@pytest.mark.parametrize(
    ("what", "options", "words"),
    [
        ("csv", {}, "which column of 3 files holds the labels"),
        ("csv", {"target": "incom"}, "Did you mean 'income'"),
        ("csv", {"target": "income", "y": [1]}, "files hold their labels"),
        ("csv", {"target": "income", "validate": 1.5}, "validate=1.5 is not a share"),
        ("none", {"target": "income"}, "there is no such file or folder"),
    ],
)
def test_bad_input_is_one_sentence(client, table, what, options, words):
    with pytest.raises(ValueError, match=words):
        DistributedPerceptron(MEMBER, client=client).fit(table / what, **options)


def test_a_checkpoint_of_other_rows_is_refused(client, table, tmp_path):
    spread = DistributedPerceptron(MEMBER, client=client, checkpoint=tmp_path / "rounds")
    spread.fit(table / "csv", target="income")
    people(tmp_path / "others.csv", rows=1200, seed=9)
    frame = pd.read_csv(tmp_path / "others.csv")
    paths = []
    for number in range(3):
        paths.append(tmp_path / f"other-{number}.csv")
        frame[400 * number : 400 * (number + 1)].to_csv(paths[-1], index=False)
    with pytest.raises(ValueError, match="other recipe"):
        spread.fit(paths, target="income")


def test_shards_of_files_are_spread_evenly_over_the_workers(client, table):
    def shards():
        return {(home, key) for home, keys in client.has_what().items() for key in keys
                if str(key).startswith("shard-")}  # fmt: skip

    before, homes = shards(), []

    def watch(number, told):
        fresh = [home for home, _ in shards() - before]
        homes.append([fresh.count(home) for home in client.nthreads()])

    spread = DistributedPerceptron(MEMBER, client=client, shards=4)
    spread.fit(table / "whole.csv", target="income", watch=watch)
    assert homes
    assert min(homes[0]) >= 2  # little shards may have copies besides


def test_a_model_is_not_saved_over_the_files_that_it_learned_from(client, table, tmp_path):
    data, held = tmp_path / "data.csv", tmp_path / "held.csv"
    for path in (data, held):
        path.write_bytes((table / "whole.csv").read_bytes())
    clf = DistributedPerceptron(MEMBER, client=client)
    clf.fit(str(data), target="income", X_val=str(held))
    before = data.read_bytes()
    for path in (data, held):
        with pytest.raises(ValueError, match="name another file for path"):
            rb.save(clf.model_, path, recipe=clf.recipe_)
        with pytest.raises(ValueError, match="name another file for path"):
            rb.to_onnx(clf.model_, path)
        assert path.read_bytes() == before
    for _ in range(2):
        rb.save(clf.model_, tmp_path / "m.rbt", recipe=clf.recipe_)
