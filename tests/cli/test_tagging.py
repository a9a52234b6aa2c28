"""Column files at the command line: from sentences to a tagger, its labels and its measures."""

from __future__ import annotations

import random

import pytest

import rosenblatt as library
from rosenblatt.evaluation import SpanScores
from tests.cli.terminal import rosenblatt, told

TEMPLATES = """# words and tags
U00:%x[0,0]
U01:%x[-1,1]/%x[0,1]
U02:%suffix[0,0,2-3]
U03:%x[-1,0]
U04:%x[-2,0]/%x[-1,1]
B
"""


def names(path, sentences=80, seed=0, gap=" "):
    """Sentences in which capitals are names, and those after Mr are persons."""
    draw = random.Random(seed)
    blocks = []
    for _ in range(sentences):
        lines = []
        for _ in range(draw.randint(1, 4)):
            kind = draw.choice(("PER", "ORG", "O", "O"))
            if kind == "O":
                word = draw.choice(("runs", "sees", "and", "there"))
                lines.append((word, "w", "O"))
                continue
            lines.append(("Mr" if kind == "PER" else "The", "w", "O"))
            for n in range(draw.randint(1, 2)):
                lines.append((f"Name{draw.randint(0, 9)}", "N", f"{'BI'[n]}-{kind}"))
        blocks.append("".join(gap.join(line) + "\n" for line in lines))
    path.write_text("\n".join(blocks))
    return path


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder with sentences, templates and a model that the tests share and do not change."""
    folder = tmp_path_factory.mktemp("tagging")
    names(folder / "train.conll")
    names(folder / "new.conll", 30, seed=1)
    (folder / "some.templates").write_text(TEMPLATES)
    told(
        "fit", folder / "train.conll", "--templates", folder / "some.templates", "--passes", "5",
        "--out", folder / "names.rbt",
    )  # fmt: skip
    return folder


def test_a_tagger_is_learned_measured_and_used(work, tmp_path):
    out = tmp_path / "m.rbt"
    shown = rosenblatt(
        "fit", work / "train.conll", "--templates", work / "some.templates", "--validate",
        work / "new.conll", "--passes", "5", "--out", out,
    ).stdout  # fmt: skip
    assert "80 sentences · " in shown
    assert "sentences mistaken: " in shown
    assert "held out:\ntype  precision  recall" in shown
    tagger = library.load(out)
    corpus = library.data.ColumnFile(work / "new.conll").read()
    scores = SpanScores.of(corpus.labels, tagger.predict(corpus))
    assert scores.all.f1 > 0.9
    assert told("evaluate", out, work / "new.conll") == scores.to_dict()
    assert str(scores) in rosenblatt("evaluate", out, work / "new.conll").stdout
    predicted = tmp_path / "out.conll"
    rosenblatt("predict", out, work / "new.conll", "-o", predicted)
    again = library.data.ColumnFile(predicted).read()
    assert again.labels == tagger.predict(corpus)
    assert [[token[:2] for token in sentence] for sentence in again] == list(corpus)
    assert [[token[2] for token in sentence] for sentence in again] == corpus.labels


@pytest.mark.parametrize("gap", [" ", "\t"])
def test_files_without_labels_are_labelled(work, tmp_path, gap):
    lines = (work / "new.conll").read_text().split("\n")
    bare = tmp_path / "bare.conll"
    bare.write_text("\n".join(gap.join(line.split()[:2]) for line in lines))
    labelled = rosenblatt("predict", work / "names.rbt", work / "new.conll").stdout
    plain = rosenblatt("predict", work / "names.rbt", bare).stdout
    expected = [line.split() for line in labelled.split("\n")]
    assert [line.split(gap) if line else [] for line in plain.split("\n")] == [
        cells[:2] + cells[3:] for cells in expected
    ]
    told_of = told("predict", work / "names.rbt", bare, "-o", tmp_path / "o.conll")
    assert told_of["tokens"] == sum(map(bool, expected))


def test_the_label_may_be_in_another_column(work, tmp_path):
    moved = tmp_path / "moved.conll"
    lines = (line.split() for line in (work / "train.conll").read_text().split("\n"))
    moved.write_text("\n".join(" ".join([*line[2:], *line[:2]]) for line in lines))
    out = tmp_path / "m.rbt"
    templates = work / "some.templates"
    told(
        "fit", moved, "--target", "0", "--templates", templates, "--passes", "5", "--out", out
    )  # fmt: skip
    first = rosenblatt("predict", out, moved).stdout.split("\n")[0].split()
    assert first[1:3] == (work / "train.conll").read_text().split()[:2]
    assert told("evaluate", out, moved) == told(
        "evaluate", work / "names.rbt", work / "train.conll"
    )


def test_inspect_shows_features_for_and_against_labels(work):
    shown = rosenblatt("inspect", work / "names.rbt", "-k", "2").stdout
    assert "strongest transitions: " in shown
    assert "U01:" in shown
    record = told("inspect", work / "names.rbt", "-k", "2")
    assert {"B-PER", "O"} <= record["top_features"].keys()


def test_same_seed_same_file(work, tmp_path):
    for name in ("a.rbt", "b.rbt"):
        rosenblatt(
            "fit", work / "train.conll", "--passes", "2", "--seed", "3", "--out", tmp_path / name
        )
    models = [library.load(tmp_path / name) for name in ("a.rbt", "b.rbt")]
    assert (models[0].coef_ == models[1].coef_).all()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["fit", "train.conll", "--target", "chunk"], "the columns of a column file have no names"),
        (["fit", "train.conll", "--target", "7"], "train.conll: there is no column 7"),
        (["fit", "train.conll", "--text", "a"], "--text is for tables, not for sentences"),
        (["fit", "train.conll", "--model", "arow"], "--model arow is for tables"),
        (["fit", "train.conll", "--set", "rule=arow"], "the rule Arow is for two classes"),
        (["fit", "train.conll", "--templates", "absent"], "absent: the templates cannot be read"),
        (["fit", "train.conll", "--templates", "train.conll"], "train.conll, line 1: "),
        (["fit", "ragged.conll"], "ragged.conll, line 2: 1 cells"),
        (["predict", "names.rbt", "wide.conll"], "lines have 5 cells, but the model needs 2"),
        (["evaluate", "names.rbt", "bare.conll"], "2 columns and the label in column 2"),
        (["predict", "names.rbt", "train.conll", "--scores"], "--scores is for tables"),
        (["report", "names.rbt", "-o", "r.html"], "no report on a model that labels sentences"),
    ],
)
def test_what_does_not_fit_is_one_sentence(work, arguments, reason):
    (work / "ragged.conll").write_text("a b c\nd\n")
    (work / "wide.conll").write_text("a b c d e\n")
    (work / "bare.conll").write_text("a b\n")
    assert reason in rosenblatt(*arguments, cwd=work, code=2).stderr
