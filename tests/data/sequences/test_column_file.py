"""Column files: what a naive reader of lines reads, and one sentence on what is wrong."""

from __future__ import annotations

import gzip
import random
import re
import resource
import time
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data import ColumnFile, Corpus, DataError
from tests.data.tables import SHARED, needs_shared

PLAIN = "He PRP B-NP\nruns VBZ B-VP\n\nNow RB B-ADVP\n"


def written(folder, content: str | bytes, name: str = "some.conll", **options) -> ColumnFile:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return ColumnFile(path, **options)


def sentences(corpus: Corpus) -> list[list[tuple[str, ...]]]:
    """Columns and label of every token."""
    if corpus.label_codes is None:
        return list(corpus)
    return [
        [(*token, label) for token, label in zip(tokens, labels, strict=True)]
        for tokens, labels in zip(corpus, corpus.labels, strict=True)
    ]


def naive(content: str, tabs: bool = False) -> list[list[tuple[str, ...]]]:
    """Sentences of a file, line by line; blanks are those of ASCII."""
    found: list[list[tuple[str, ...]]] = [[]]
    for line in content.split("\n"):
        blank = " \t\r\v\f"
        cells = line.split("\t") if tabs else re.split(f"[{blank}]+", line.strip(blank))
        if not line.strip(blank) or re.match(r"-DOCSTART-(\s|$)", line):
            found.append([])
        else:
            found[-1].append(tuple(cell.strip(" \r") for cell in cells))
    return [sentence for sentence in found if sentence]


def test_columns_and_labels(tmp_path):
    file = written(tmp_path, PLAIN)
    corpus = file.read()
    assert corpus.labels == [["B-NP", "B-VP"], ["B-ADVP"]]
    assert list(corpus) == [[("He", "PRP"), ("runs", "VBZ")], [("Now", "RB")]]
    assert (file.width, file.cells, file.target) == (2, 3, 2)
    assert file.bytes_read == len(PLAIN)
    first = written(tmp_path, PLAIN, target=0).read()
    assert first.labels == [["He", "runs"], ["Now"]]
    assert first[0] == [("PRP", "B-NP"), ("VBZ", "B-VP")]
    bare = written(tmp_path, PLAIN, target=None).read()
    assert bare.label_codes is None
    assert bare.width == 3


odd = st.characters(codec="utf-8", exclude_characters="\0\t\n\r\v\f ")
cells = st.text(st.sampled_from("ab#é\u00a0\u2028-1.") | odd, min_size=1, max_size=6)


@given(
    st.lists(st.lists(st.tuples(cells, cells), min_size=1, max_size=4), min_size=1, max_size=5),
    st.sampled_from([" ", "  ", "\t", " \t "]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["{0}", "{0}{0}", " {0}\t{0}", "{0}-DOCSTART- -X-{0}{0}"]),
    st.booleans(),
)
def test_reads_what_is_written(tmp_path_factory, written_sentences, gap, end, between, mark):
    text = between.format(end).join(
        "".join(f"{a}{gap}{b}{end}" for a, b in sentence) for sentence in written_sentences
    )
    path = tmp_path_factory.getbasetemp() / "given.conll"
    path.write_bytes((b"\xef\xbb\xbf" if mark else b"") + text.encode())
    read = ColumnFile(path, comments=False).read()
    assert sentences(read) == naive(text, "\t" in gap) == written_sentences


@needs_shared
def test_a_real_corpus(tmp_path):
    with zipfile.ZipFile(SHARED / "sequence" / "conll2000.zip") as archive:
        content = archive.read("conll2000/test.txt")
    want = naive(content.decode())
    file = written(tmp_path, gzip.compress(content), "test.txt.gz", block_size=5000)
    corpus = file.read()
    assert sentences(corpus) == want
    assert (len(corpus), corpus.tokens) == (2012, 47377)
    parts = list(file.batches())
    assert len(parts) > 100
    assert [s for part in parts for s in sentences(part)] == want
    assert max(part.tokens for part in parts) < 1000


def test_several_files_and_no_end_of_line(tmp_path):
    (tmp_path / "a.conll").write_text("a X\nb Y")
    (tmp_path / "b.conll").write_text("\n\nc Z\n\n\n")
    corpus = ColumnFile(tmp_path).read()
    assert sentences(corpus) == [[("a", "X"), ("b", "Y")], [("c", "Z")]]


def test_comments(tmp_path):
    universal = "# text = du\n1-2\tdu\t_\n1\tde\tADP\n1.1\tx\tX\n2\tle\tDET\n\n# next\n1\t#\tSYM\n"
    want = [[("1", "de", "ADP"), ("2", "le", "DET")], [("1", "#", "SYM")]]
    assert sentences(written(tmp_path, universal, "some.conllu").read()) == want
    tabs = "# a comment\n#\tSYM\nb\tX\n# another\nc\tY\n"
    want = [[("#", "SYM"), ("b", "X"), ("c", "Y")]]
    assert sentences(written(tmp_path, tabs).read()) == want
    blanks = "# #\nb X\n\n# #\nc Y\n"
    want = [[("#", "#"), ("b", "X")], [("#", "#"), ("c", "Y")]]
    assert sentences(written(tmp_path, blanks).read()) == want
    assert sentences(written(tmp_path, blanks, comments=True).read()) == [
        [("b", "X")],
        [("c", "Y")],
    ]
    assert sentences(written(tmp_path, "# #\n# X\n").read()) == [[("#", "#"), ("#", "X")]]
    # A comment inside a sentence does not end it.
    corpus = written(tmp_path, "a X\n# between\nb Y\n", comments=True).read()
    assert sentences(corpus) == [[("a", "X"), ("b", "Y")]]


def test_other_encodings(tmp_path):
    content = "Zürich LOC\n\nÉté O\n".encode("latin-1")
    corpus = written(tmp_path, content, encoding="latin-1").read()
    assert sentences(corpus) == [[("Zürich", "LOC")], [("Été", "O")]]
    with pytest.raises(DataError, match=r"^some\.conll, line 1: byte 0xfc is not utf-8"):
        written(tmp_path, content).read()
    with pytest.raises(ValueError, match="the encoding 'klingon' is unknown"):
        written(tmp_path, content, encoding="klingon")
    with pytest.raises(ValueError, match="files in utf-16 cannot be read"):
        written(tmp_path, content, encoding="utf-16")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "there are no tokens"),
        (b"\n \n\t\n", "there are no tokens"),
        (b"-DOCSTART- -X-\n\n", "there are no tokens"),
        (b"a b c\nd e\n", 'line 2: 2 cells ("d e"), but the first token has 3'),
        (b"a b\n\n\nc d e\r\n", 'line 4: 3 cells ("c d e"), but the first token has 2'),
        (b"a\tb\nc d\n", 'line 2: 1 cells ("c d"), but the first token has 2'),
        (b"a\tb\nc\t\n", "line 2: cell 1 is empty; write _ for nothing"),
        (b"a\tb\n\n\n\tb\n", "line 4: cell 0 is empty"),
        (b"a b\nc\xff d\n", "line 2: byte 0xff is not utf-8: give the encoding"),
        ("a b\n".encode("utf-16"), "line 1: there is a zero byte: this is not text"),
        (b"a b\nc\0d e\n", "line 2: there is a zero byte"),
        (b"a b\rc d\r", "line 1: there is a carriage return inside a line"),
        (b"word\nother\n", "there is no label: lines have one cell"),
        (b"a b\n" + b"x" * (10 << 20) + b" y\n", "line 2: longer than 1 MB: this is not the line"),
        (b"x" * (10 << 20), "line 1: longer than 1 MB"),
        (b"x" * (40 << 20), "line 1: longer than 16 MB"),
        (b"a b\n\n\x1b[2J c d\n", r'line 3: 3 cells ("\x1b[2J c d")'),
    ],
)
def test_what_is_wrong_is_reported_with_file_and_line(tmp_path, content, reason):
    with pytest.raises(DataError) as error:
        written(tmp_path, content).read()
    assert re.fullmatch(r"some\.conll(, line \d+)?: .*", str(error.value))
    assert reason in str(error.value)


def test_lines_are_counted_over_blocks(tmp_path):
    with pytest.raises(DataError, match=r'line 7,001: 1 cells \("last"\)'):
        written(tmp_path, "a b\n\n" * 3500 + "last\n", block_size=1000).read()


def test_a_target_that_is_not_there(tmp_path):
    for target in (3, -4):
        with pytest.raises(
            DataError, match=f"no column {target} for the label: lines have 3 cells"
        ):
            written(tmp_path, PLAIN, target=target)


def test_a_file_without_ends_of_sentences_is_no_flood(tmp_path):
    with pytest.raises(DataError, match="a sentence of more than 1,000,000 tokens: blank lines"):
        written(tmp_path, "a b\n" * 1_500_000).read()


def test_batches_take_bounded_memory(tmp_path):
    """Thirty megabytes of distinct words in little more than the blocks take."""
    path = tmp_path / "some.conll"
    with open(path, "w") as file:
        for n in range(300_000):
            file.write(f"word{n} tag{n}\nother{n} tag{n}\nlast{n} X\n\n")
    next(iter(ColumnFile(path).batches()))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tokens = sum(corpus.tokens for corpus in ColumnFile(path).batches())
    assert tokens == 900_000
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10 < 60


def test_damaged_files_are_read_or_rejected_in_bounded_time(tmp_path):
    draw = random.Random(0)
    seeds = [PLAIN.encode() * 20, PLAIN.replace(" ", "\t").replace("\n", "\r\n").encode() * 20]
    seeds.append(gzip.compress(seeds[0]))
    outcomes = set()
    start = time.perf_counter()
    for _ in range(400):
        content = bytearray(draw.choice(seeds))
        for _ in range(draw.choice((1, 1, 2, 8))):
            place = draw.randrange(len(content))
            many = draw.choice((0, 1, 1, 4))
            content[place : place + many] = draw.choice(
                (b"\n", b"\t", b" ", b"\r", b"\0", b"#", b"\xff", b"\xc3\xa9", b"", b"-DOCSTART-")
            )
        name = draw.choice(("some.conll", "some.conllu"))
        try:
            corpus = written(tmp_path, bytes(content), name).read()
        except DataError as raised:
            error = str(raised)
        else:
            error = ""
            assert corpus.tokens == corpus.lengths.sum() > 0
            assert len(corpus.labels) == len(corpus)
        outcomes.add(error.partition(":")[0].partition(",")[0])
        assert "\n" not in error
    assert outcomes == {"", "some.conll", "some.conllu"}
    assert time.perf_counter() - start < 30
