"""Templates: the notation of CRF++, its extension, and what is wrong with a line."""

from __future__ import annotations

import pytest

from rosenblatt.data import DataError, Templates


def test_lines_of_the_notation():
    templates = Templates.parse(
        "# comment\r\n\r\nU00:%x[-2,0]\r\n  U01:%x[0,0]/%x[+1,1]  \nU\nB\nB01\n"
    )
    assert templates.transitions
    assert [t.texts for t in templates.each] == [("U00:", ""), ("U01:", "/", ""), ("U",)]
    assert [[a.offset for a in t.atoms] for t in templates.each] == [[-2], [0, 1], []]
    assert (templates.reach, templates.width) == (2, 2)
    assert not Templates.parse("U00:%x[0,0]").transitions
    assert len(Templates.parse("B")) == 0


def test_several_lengths_are_several_templates():
    templates = Templates.parse("U0:%prefix[0,0,1-3]/%suffix[1,0,2-3]")
    lengths = [tuple(atom.cells.length for atom in t.atoms) for t in templates.each]
    assert lengths == [(1, 2), (1, 3), (2, 2), (2, 3), (3, 2), (3, 3)]
    assert len({t.kind for t in templates.each}) == 6


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("X00:%x[0,0]", '"X00:%x[0,0]" is no template: it begins with U, or is B alone'),
        ("%x[0,0]", "is no template"),
        ("Bigram", '"Bigram" is no template'),
        ("B00:%x[0,0]", "B learns pairs of labels only; it takes no cells"),
        ("U00:%y[0,0]", "%y is unknown; there are %x, %lower, %prefix"),
        ("U00:%x[0]", 'of the form %x[row,column]'),
        ("U00:%x[0,0,2]", 'of the form %x[row,column]'),
        ("U00:%x[0,a]", "row and column are whole numbers"),
        ("U00:%x[0,-1]", "columns from 0"),
        ("U00:%x[99,0]", "rows are from -16 to 16"),
        ("U00:%x[9999999999999999999,0]", "row and column are whole numbers"),
        ("U00:%x[0,0", '"%x[0,0" is not of the form'),
        ("U00:%x(0,0)", '"%x(0,0)" is not of the form'),
        ("U00:%suffix[0,0]", "of the form %suffix[row,column,length]"),
        ("U00:%suffix[0,0,0]", "a length is a number such as 3 or a range such as 1-4, up to 32"),
        ("U00:%suffix[0,0,4-2]", "a length is"),
        ("U00:%suffix[0,0,1-99]", "a length is"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported_with_its_line(line, reason, tmp_path):
    path = tmp_path / "some.templates"
    path.write_text(f"# first\nU00:%x[0,0]\n{line}\nB\n")
    with pytest.raises(DataError) as error:
        Templates.read(path)
    assert str(error.value).startswith("some.templates, line 3: ")
    assert reason in str(error.value)
    with pytest.raises(DataError, match=r"^templates, line 1: "):
        Templates.parse(line)


def test_files_that_are_no_templates(tmp_path):
    path = tmp_path / "some.templates"
    path.write_bytes(b"# nothing\n\n")
    with pytest.raises(DataError, match=r"some\.templates: there is no template"):
        Templates.read(path)
    path.write_bytes(b"U0:%x[0,0]\xff\n")
    with pytest.raises(DataError, match=r"some\.templates: templates must be text in UTF-8"):
        Templates.read(path)
    with pytest.raises(DataError, match=r"absent: the templates cannot be read \(No such file"):
        Templates.read(tmp_path / "absent")


@pytest.mark.parametrize("width", [1, 2, 4])
def test_default_templates_use_every_column(width):
    templates = Templates.default(width)
    assert {cells.column for cells in templates.cells} == set(range(width))
    assert templates.transitions
    assert len({t.kind for t in templates.each}) == len(templates)
    templates.check_width(width)


def test_a_column_that_is_not_there():
    templates = Templates.parse("U0:%x[0,2]")
    with pytest.raises(DataError, match="needs column 2, but tokens have columns 0 to 1"):
        templates.check_width(2)
    with pytest.raises(DataError, match="needs column 2, but tokens have only column 0"):
        templates.check_width(1)
