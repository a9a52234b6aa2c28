"""Recipes: columns to features, the same way in learning and in prediction."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rosenblatt.data import DataError, Recipe, open_source, read
from rosenblatt.data.features import ngrams
from tests.data.tables import SHARED, csv, needs_shared

PEOPLE = """age,colour,happy,note,label
31,red,true,Free prize,yes
,blue,false,call me,no
40,,true,,yes
55, red ,,free call,no
"""


def people(tmp_path, content: str = PEOPLE, name: str = "people.csv"):
    return csv(tmp_path, content, name)


def matrix(recipe: Recipe, source, dtype=np.float64) -> np.ndarray:
    parts = [recipe.transform(b, dtype) for b in source.batches(recipe.bind(source))]
    return np.concatenate([p if isinstance(p, np.ndarray) else p.toarray() for p in parts])


def test_kinds_of_columns(tmp_path):
    recipe = Recipe.learn(people(tmp_path), target="label", drop=["note"])
    assert recipe.feature_names == [
        "age", "age missing", "colour=blue", "colour=red", "colour missing",
        "happy", "happy missing",
    ]  # fmt: skip
    age = np.array([31, 42, 40, 55])
    scaled = (age - 42) / np.std([31, 40, 55])
    want = np.array(
        [
            [scaled[0], 0, 0, 1, 0, 1, 0],
            [0, 1, 1, 0, 0, 0, 0],
            [scaled[2], 0, 0, 0, 1, 1, 0],
            [scaled[3], 0, 0, 1, 0, 0, 1],
        ]
    )
    assert np.allclose(matrix(recipe, people(tmp_path)), want, rtol=1e-15, atol=1e-15)
    assert recipe.classes.tolist() == ["no", "yes"]
    batch = next(people(tmp_path).batches())
    assert recipe.target(batch).tolist() == ["yes", "no", "yes", "no"]
    assert recipe.codes(batch).tolist() == [1, 0, 1, 0]
    assert recipe.report() == "1 number, 1 category, 1 flag, 3 missing (imputed, with indicator)"
    plain = Recipe.learn(people(tmp_path), target="label", drop=["note"], standardise=False)
    assert matrix(plain, people(tmp_path))[:, 0].tolist() == [31, 42, 40, 55]


def test_numbers_alone_are_dense_and_equal_scikit_learn(tmp_path):
    rng = np.random.default_rng(0)
    # A mean far from zero: naive sums of squares would lose the deviation.
    X = rng.normal(1e8, 1.0, size=(70_000, 3))
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=rng.integers(0, 2, 70_000))
    table.to_csv(tmp_path / "some.csv", index=False)
    source = open_source(tmp_path / "some.csv")
    recipe = Recipe.learn(source, target="y")
    got = matrix(recipe, open_source(tmp_path / "some.csv"))
    assert np.allclose(got, StandardScaler().fit_transform(X), atol=1e-6)
    assert not recipe.sparse
    assert recipe.transform(next(source.batches())).dtype == np.float32
    assert recipe.classes.tolist() == [0, 1]


def test_the_recipe_is_data_and_gives_the_same_bits(tmp_path):
    recipe = Recipe.learn(people(tmp_path), target="label", text=["note"])
    text = json.dumps(recipe.to_dict())
    again = Recipe.from_dict(json.loads(text), recipe.arrays())
    assert again.to_dict() == recipe.to_dict()
    assert again.feature_names == recipe.feature_names
    one, two = (matrix(r, people(tmp_path)) for r in (recipe, again))
    assert one.tobytes() == two.tobytes()
    assert again.classes.tolist() == recipe.classes.tolist()


STORED = {
    "format": "rosenblatt-recipe/1",
    "kind": "table",
    "target": "label",
    "labels": {"read_as": "text", "name": "label", "classes": ["no", "yes"]},
    "columns": [
        {"kind": "number", "name": "age", "missing": 1, "mean": 42.0, "centre": 42.0,
         "scale": 2.0, "count": 3, "spread": 12.0},
        {"kind": "category", "name": "colour", "missing": 1, "values": ["blue", "red"]},
        {"kind": "flag", "name": "happy", "missing": 1},
        {"kind": "text", "name": "note", "missing": 1, "longest": 2, "bits": 8,
         "spelling": {"7": "free"}},
    ],
    "width": 263,
    "zero_based": False,
    "rows": 4,
}  # fmt: skip
"""The recipe of a model file, as every version since 0.1 has written it."""


def test_recipes_of_older_model_files_can_be_read_and_written(tmp_path):
    recipe = Recipe.from_dict(STORED, {"recipe.idf.3": np.ones(256, np.float32)})
    assert recipe.to_dict() == STORED
    assert list(recipe.arrays()) == ["recipe.idf.3"]
    X = matrix(recipe, people(tmp_path))
    assert X[:, :7].tolist() == [
        [-5.5, 0, 0, 1, 0, 1, 0],
        [0, 1, 1, 0, 0, 0, 0],
        [-1, 0, 0, 0, 1, 1, 0],
        [6.5, 0, 0, 1, 0, 0, 1],
    ]
    assert np.allclose((X[:, 7:] ** 2).sum(axis=1), [1, 1, 0, 1])
    assert recipe.feature_names[14] == 'note: "free"'


def test_a_damaged_recipe_is_a_value_error(tmp_path):
    recipe = Recipe.learn(people(tmp_path), target="label", text=["note"])
    good = recipe.to_dict()

    def damage(value, depth=0):
        """Every way to leave out or replace one part."""
        if isinstance(value, dict):
            for key in value:
                if key in ("spelling", "rows", "count", "missing"):
                    continue
                yield {k: v for k, v in value.items() if k != key}
                yield {**value, key: [object]}
                for part in damage(value[key]):
                    yield {**value, key: part}
        elif isinstance(value, list):
            for i, part in enumerate(value):
                for other in damage(part):
                    yield [*value[:i], other, *value[i + 1 :]]

    cases = list(damage(good))
    assert len(cases) > 40
    for case in cases:
        try:
            Recipe.from_dict(case, recipe.arrays())
        except ValueError:
            continue
        pytest.fail(f"taken for good: {case}")
    with pytest.raises(ValueError, match="damaged"):
        Recipe.from_dict(good, {})


def test_reordered_extra_missing_and_unseen_at_prediction(tmp_path):
    recipe = Recipe.learn(people(tmp_path), target="label", drop=["note"])
    other = "extra,happy,colour,age\n1,true,red,31\n2,false,mauve,\n3,true,7,40\n"
    got = matrix(recipe, people(tmp_path, other, "new.csv"))
    assert got[0].tolist() == matrix(recipe, people(tmp_path))[0].tolist()
    assert got[1].tolist() == [0, 1, 0, 0, 0, 0, 0]
    assert recipe.unseen() == "'colour' 2 unseen"
    with pytest.raises(
        DataError, match=r"new.csv: the model needs column 'colour', 'happy'.*there"
    ):
        recipe.bind(people(tmp_path, "age\n3\n", "new.csv"))
    # Types are those of learning, not of the new file's look.
    with pytest.raises(DataError, match=r"new.csv, line 2: 'age' is \"old\", not a number"):
        matrix(recipe, people(tmp_path, "age,colour,happy\nold,red,true\n", "new.csv"))
    ok = people(tmp_path, "age,colour,happy\n,,\n", "new.csv")
    assert matrix(recipe, ok).tolist() == [[0, 1, 0, 0, 1, 0, 1]]
    (tmp_path / "some.svm").write_text("1 1:2\n")
    with pytest.raises(DataError, match="learned from a table, this is svmlight"):
        recipe.bind(open_source(tmp_path / "some.svm"))


@pytest.mark.parametrize(
    ("content", "options", "reason"),
    [
        ("day,y\n2024-01-02,a\n2024-01-03,b\n", {}, "'day' holds dates.*--drop day"),
        ("a,y\n1,x\n", {"target": "z"}, "there is no column 'z'"),
        ("colour,y\n1,x\n", {"target": "y", "drop": ["color"]}, "Did you mean 'colour'"),
        ("y\nx\nz\n", {}, "no column is left"),
        ("a,y\n1,x\n2,\n", {}, "row 2: the target 'y' is missing"),
        ("a,y\n", {}, "no rows"),
        ("a,y\n,x\n,z\n", {}, "every column is empty"),
        ("a,y\ninf,x\n1,z\n", {}, "row 1: 'a' holds an infinite number; correct it"),
        ("a,y\n1e308,x\n-1e308,z\n", {}, "too large|infinite"),
        (
            "a,y\n" + "".join(f"name{i},x\n" for i in range(100)),
            {},
            "100 different values.*--text a",
        ),
        ("a,y\n" + "".join(f"{i % 7},{i / 3}\n" for i in range(3000)), {}, "these are not classes"),
        ("a,y\n1,2024-01-02\n", {}, "the target 'y' holds dates"),
        ("a,y\n1,x\n", {"classes": ["q"]}, "'x' is not among the given classes"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_what_cannot_be_learned_is_reported(tmp_path, content, options, reason):
    with pytest.raises(DataError, match=reason):
        Recipe.learn(people(tmp_path, content), **{"target": "y", **options})


def test_many_values_that_occur_again_are_categories(tmp_path):
    content = "town,y\n" + "".join(f"town {i % 60},{i % 2}\n" for i in range(180))
    recipe = Recipe.learn(people(tmp_path, content), target="y")
    assert recipe.feature_names == sorted(f"town=town {i}" for i in range(60))


def test_numbers_that_name_things(tmp_path):
    content = "zip,y\n" + "".join(f"{100 + i % 3},{i % 2}\n" for i in range(30))
    recipe = Recipe.learn(people(tmp_path, content), target="y", category=["zip"])
    assert recipe.feature_names == ["zip=100", "zip=101", "zip=102"]


def test_a_new_label_is_reported(tmp_path):
    recipe = Recipe.learn(people(tmp_path, "a,y\n1,x\n2,z\n"), target="y")
    source = people(tmp_path, "a,y\n1,x\n2,new\n")
    batch = next(source.batches(recipe.bind(source, target=True)))
    with pytest.raises(
        DataError, match=r'row 2: the label "new" does not occur in the training data'
    ):
        recipe.codes(batch)


@pytest.mark.parametrize("label", ["0", "2", "2.5", "7"])
def test_a_new_number_as_a_label_is_reported(tmp_path, label):
    """Also one between two that are known, where a search would put it."""
    recipe = Recipe.learn(people(tmp_path, "a,y\n1,1\n2,3\n"), target="y")
    assert recipe.classes.tolist() == [1, 3]
    source = people(tmp_path, f"a,y\n1,3\n2,{label}\n")
    batch = next(source.batches(recipe.bind(source, target=True)))
    with pytest.raises(DataError, match=r"row 2: the label .* does not occur in the training data"):
        recipe.codes(batch)


def test_the_same_table_in_parquet_gives_the_same_features(tmp_path):
    source = people(tmp_path)
    table = pa.Table.from_batches([b.table for b in source.batches()])
    table = table.set_column(1, "colour", table["colour"].dictionary_encode())
    pa.parquet.write_table(table, tmp_path / "people.parquet")
    one = Recipe.learn(source, target="label", drop=["note"])
    other = open_source(tmp_path / "people.parquet")
    two = Recipe.learn(other, target="label", drop=["note"])
    assert one.to_dict() == {**two.to_dict()}
    assert matrix(one, other).tobytes() == matrix(one, people(tmp_path)).tobytes()


TEXTS = [
    "Free, free prize!",
    "",
    "zwölf Ärzte und £5",
    None,
    "a b a b a",
    "x" * 3000 + " end",
    "0.5% of it",
]


@pytest.mark.parametrize("longest", [1, 2, 3])
def test_hashed_counts_are_counts_of_words(longest, monkeypatch):
    counted = CountVectorizer(ngram_range=(1, longest), token_pattern=r"(?a:\w|[^\x00-\x7f])+")
    want = counted.fit_transform([text or "" for text in TEXTS])
    results = []
    for chunk in (1 << 20, 16):  # cut into parts or not
        monkeypatch.setattr(ngrams, "CHUNK", chunk)
        results.append(ngrams.count_ngrams(pa.array(TEXTS), longest, bits=24))
    got = results[0]
    assert (got != results[1]).nnz == 0
    assert got.sum(axis=1).tolist() == np.asarray(want.sum(axis=1)).ravel().tolist()
    names = counted.get_feature_names_out()
    spelled = ngrams.spell_features(pa.array(TEXTS), np.unique(got.indices), longest, bits=24)
    # A feature for each n-gram, at these few: with the same counts.
    assert sorted(" ".join(s.split()) for s in spelled.values()) == sorted(_spelled(names, spelled))
    for row in range(len(TEXTS)):
        mine = sorted(got[[row]].data.tolist())
        assert mine == sorted(want[[row]].data.tolist())


def _spelled(names, spelled):
    """The n-grams of scikit-learn; ours keep the punctuation between words."""
    keys = {"".join(c if c.isalnum() or ord(c) > 127 else " " for c in s).split().__repr__(): s
            for s in spelled.values()}  # fmt: skip
    return [keys[name.split().__repr__()] for name in names]


def test_words_alone_are_features_unless_more_in_a_row_are_asked_for(tmp_path):
    options = {"target": "label", "text": ["note"], "drop": ["age", "colour", "happy"]}
    texts = next(people(tmp_path).batches())
    for longest, count in ((1, 2), (2, 3)):  # free, prize, free prize
        recipe = Recipe.learn(people(tmp_path), ngrams=longest, **options)
        assert recipe.transform(texts)[[0]].nnz == count
        again = Recipe.from_dict(recipe.to_dict(), recipe.arrays())
        assert (again.transform(texts) != recipe.transform(texts)).nnz == 0
    assert Recipe.learn(people(tmp_path), **options).columns[0].longest == 1
    for wrong in (0, 6):
        with pytest.raises(ValueError, match=f"ngrams={wrong} must be from 1 to 5"):
            Recipe.learn(people(tmp_path), ngrams=wrong, **options)


def test_texts_become_rows_of_length_one(tmp_path):
    recipe = Recipe.learn(
        people(tmp_path), target="label", text=["note"], drop=["age", "colour", "happy"], ngrams=2
    )
    X = recipe.transform(next(people(tmp_path).batches()), np.float64)
    assert X.shape == (4, 2**18)
    assert np.allclose(X.power(2).sum(axis=1), [1, 1, 0, 1])
    names = recipe.feature_names
    row = dict(zip([names[i] for i in X[[0]].indices], X[[0]].data, strict=True))
    assert set(row) == {'note: "free"', 'note: "prize"', 'note: "free prize"'}
    # "free" stands in two of the four texts, the others in one.
    assert row['note: "free"'] / row['note: "prize"'] == pytest.approx(
        (np.log(5 / 3) + 1) / (np.log(5 / 2) + 1), rel=1e-6
    )


@needs_shared
def test_adult_equals_scikit_learn():
    X, y, names = read(SHARED / "tabular" / "adult.data.gz", target=-1)
    table = pd.read_csv(
        SHARED / "tabular" / "adult.data.gz", header=None, skipinitialspace=True, na_values="?"
    )
    assert y.tolist() == table[14].tolist()
    assert X.shape == (32_561, 108) == (32_561, len(names))
    assert sum(name.endswith(" missing") for name in names) == 3
    numbers = [i for i in range(14) if table[i].dtype.kind in "if"]
    scaled = StandardScaler().fit_transform(table[numbers])
    columns = [names.index(f"column{i + 1}") for i in numbers]
    assert np.allclose(X[:, columns].toarray(), scaled, atol=1e-5)
    hot = OneHotEncoder(handle_unknown="ignore").fit(table[[3]])
    mine = [names.index(f"column4={value}") for value in hot.categories_[0]]
    assert (X[:, mine].toarray() == hot.transform(table[[3]]).toarray()).all()


def test_reading_needs_neither_numba_nor_scikit_learn(tmp_path):
    people(tmp_path)
    (tmp_path / "some.svm").write_text("1 1:2\n-1 2:3\n")
    code = (
        "import sys; from rosenblatt.data import read\n"
        f"read({str(tmp_path / 'some.svm')!r})\n"
        f"read({str(tmp_path / 'people.csv')!r}, target='label', text=['note'])\n"
        "print([m for m in ('numba', 'sklearn', 'matplotlib') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
