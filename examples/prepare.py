"""Six well-known data sets as two files each: one to learn from, one to test on.

python3 examples/prepare.py DATA WORK [NAME...]

DATA holds tabular/adult.data.gz, tabular/adult.test.gz, tabular/covtype.csv.gz,
text/SMSSpamCollection.gz, text/20news-bydate.tar.gz, sparse/a9a.gz, sparse/a9a.t.gz and mnist/*.gz;
each set gets a folder of its own in WORK. Where a set comes with a test file, that is taken; of the
others a fifth of the rows is drawn, always the same.
"""

from __future__ import annotations

import gzip
import random
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

ADULT = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,"
    "sex,capital-gain,capital-loss,hours-per-week,native-country,income\n"
)


def adult(data: Path, work: Path) -> None:
    """No header there, and the labels of the test file end in a full stop."""
    for part, name in (("data", "train"), ("test", "test")):
        with (
            gzip.open(data / "tabular" / f"adult.{part}.gz", "rt") as source,
            open(work / f"{name}.csv", "w") as out,
        ):
            out.write(ADULT)
            for line in source:
                if line.strip() and not line.startswith("|"):
                    out.write(line.rstrip().removesuffix(".") + "\n")


def sms(data: Path, work: Path) -> None:
    drawn(data / "text" / "SMSSpamCollection.gz", work, "tsv", header=False)


def covtype(data: Path, work: Path) -> None:
    drawn(data / "tabular" / "covtype.csv.gz", work, "csv", header=True)


def drawn(path: Path, work: Path, suffix: str, header: bool) -> None:
    """The lines of a file, a fifth of them to test on."""
    draw = random.Random(0)
    with (
        gzip.open(path, "rb") as source,
        open(work / f"train.{suffix}", "wb") as train,
        open(work / f"test.{suffix}", "wb") as test,
    ):
        if header:
            first = source.readline()
            train.write(first)
            test.write(first)
        for line in source:
            (test if draw.random() < 0.2 else train).write(line)


def newsgroups(data: Path, work: Path) -> None:
    """A file for each post there, in a folder for each group."""
    tables: dict[str, dict[str, list[str]]] = {}
    with tarfile.open(data / "text" / "20news-bydate.tar.gz") as posts:
        for member in posts:
            if member.isfile():
                part, group = Path(member.name).parts[-3:-1]
                table = tables.setdefault(part.rsplit("-", 1)[-1], {"group": [], "post": []})
                file = posts.extractfile(member)
                assert file is not None
                table["group"].append(group)
                table["post"].append(file.read().decode("latin-1"))
    for part, table in tables.items():
        parquet.write_table(pa.table(table), work / f"{part}.parquet")


def a9a(data: Path, work: Path) -> None:
    linked(data / "sparse" / "a9a.gz", work / "train.svm.gz")
    linked(data / "sparse" / "a9a.t.gz", work / "test.svm.gz")


def mnist(data: Path, work: Path) -> None:
    for path in sorted((data / "mnist").glob("*-ubyte.gz")):
        linked(path, work / path.name)


def linked(path: Path, link: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(path.resolve(strict=True))


SETS: dict[str, Callable[[Path, Path], None]] = {
    "adult": adult, "sms": sms, "newsgroups": newsgroups, "a9a": a9a, "covtype": covtype,
    "mnist": mnist,
}  # fmt: skip


def main(data: str, work: str, *names: str) -> None:
    for name in names or SETS:
        folder = Path(work) / name
        folder.mkdir(parents=True, exist_ok=True)
        SETS[name](Path(data), folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
