"""Templates: which cells around a token make its features, in the notation of CRF++."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rosenblatt.data.errors import DataError, excerpt
from rosenblatt.data.sequences.word_functions import FUNCTIONS

FARTHEST = 16
"""Tokens before and after that a template may look at."""
LONGEST_AFFIX = 32

_MACRO = re.compile(r"%(\w+)\[([^\]]*)\]")
_WHOLE = re.compile(r"[-+]?\d{1,6}")
_LENGTHS = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


class Cells(NamedTuple):
    """What a function makes of the cells of a column; `length` is that of an affix, else 0."""

    function: str
    column: int
    length: int

    @property
    def kind(self) -> str:
        """The function with its length: equal texts of one kind are the same value."""
        return f"{self.function}{self.length or ''}"

    def apply(self, texts: Sequence[str]) -> Sequence[str | None]:
        """Return the values of cells, None for those that have none."""
        if self.function == "x":
            return texts
        function, length = FUNCTIONS[self.function].function, self.length
        return [function(text, length) for text in texts]


class Atom(NamedTuple):
    """Cells at an offset from the token."""

    cells: Cells
    offset: int


@dataclass(frozen=True)
class Template:
    """Values at offsets, joined to a feature: `texts` are what stands around the atoms.

    Features of two templates are the same if their texts, functions and values are.
    """

    texts: tuple[str, ...]
    atoms: tuple[Atom, ...]

    @property
    def kind(self) -> str:
        """What tells features of this template from others of the same values."""
        kinds = (atom.cells.kind for atom in self.atoms)
        return "\0".join(
            part for pair in zip(self.texts, (*kinds, ""), strict=True) for part in pair
        )

    def spell(self, values: list[str]) -> str:
        """Return the name of a feature with these values."""
        marks = ("" if a.cells.kind == "x" else f"{a.cells.kind}=" for a in self.atoms)
        parts = (
            f"{text}{mark}{value}"
            for text, mark, value in zip(self.texts, marks, values, strict=False)
        )
        return "".join(parts) + self.texts[-1]


@dataclass(frozen=True)
class Templates:
    """Templates of features of tokens, and whether labels that follow each other are learned.

    `Templates.parse` reads the notation:

    - `U01:%x[-1,0]`: the cell of the token before, in column 0; `U02:` and the like keep features
      apart;
    - `U03:%x[-1,0]/%x[0,0]`: two cells together;
    - `B`: pairs of labels that follow each other;
    - `U04:%suffix[0,0,1-3]`: a function of a cell; affixes have a length, or several;
    - lines that begin with # are comments.

    Before and after a sentence, the cells are `_B-1`, `_B-2`, ... and `_B+1`, `_B+2`, ...

    Example
    -------
    >>> templates = Templates.parse("U00:%x[0,0]\\nU01:%x[-1,1]/%suffix[0,0,2]\\nB\\n")
    >>> len(templates), templates.reach, templates.width, templates.transitions
    (2, 1, 2, True)
    """

    text: str
    each: tuple[Template, ...]
    transitions: bool

    @classmethod
    def parse(cls, text: str, file: str | None = None) -> Templates:
        """Read templates; an error names the line."""
        each: list[Template] = []
        transitions = False
        for number, line in enumerate(text.split("\n"), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            try:
                if line.startswith("B"):
                    _check_transitions(line)
                    transitions = True
                else:
                    each += _templates(line)
            except ValueError as error:
                place = "templates" if file is None else file
                raise DataError(str(error), file=place, line=number) from None
        if not each and not transitions:
            raise DataError("there is no template.", file=file or "templates")
        return cls(text, tuple(each), transitions)

    @classmethod
    def read(cls, path: str | Path) -> Templates:
        """Read a file of templates."""
        name = Path(path).name
        try:
            return cls.parse(Path(path).read_text("utf-8-sig"), name)
        except UnicodeDecodeError:
            raise DataError("templates must be text in UTF-8.", file=name) from None
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise DataError(f"the templates cannot be read ({reason}).", file=name) from None

    @classmethod
    def default(cls, width: int) -> Templates:
        """Return templates for tokens with this number of columns, the first being the word."""
        lines = ["# the word, its neighbours and pairs of these"]
        lines += [f"U{n:02d}:%x[{offset},0]" for n, offset in enumerate(range(-2, 3))]
        lines += ["U05:%x[-1,0]/%x[0,0]", "U06:%x[0,0]/%x[1,0]", "U07:%lower[0,0]"]
        lines += ["# how words are written"]
        lines += ["U08:%prefix[0,0,1-4]", "U09:%suffix[0,0,1-4]"]
        lines += [
            f"U{n}:%shape[{offset},0]" for n, offset in zip((10, 11, 12), (-1, 0, 1), strict=True)
        ]
        lines += ["U13:%suffix[-1,0,3]", "U14:%suffix[1,0,3]"]
        for column in range(1, width):
            lines += [f"# column {column}"]
            lines += [
                f"U{column}_{n}:%x[{offset},{column}]" for n, offset in enumerate(range(-2, 3))
            ]
            pairs = [(-2, -1), (-1, 0), (0, 1), (1, 2)]
            lines += [
                f"U{column}_{n}:%x[{a},{column}]/%x[{b},{column}]"
                for n, (a, b) in enumerate(pairs, 5)
            ]
        return cls.parse("\n".join([*lines, "B", ""]))

    def __len__(self) -> int:
        return len(self.each)

    @property
    def reach(self) -> int:
        """The largest distance of a cell from its token."""
        return max((abs(atom.offset) for one in self.each for atom in one.atoms), default=0)

    @property
    def width(self) -> int:
        """How many columns a token must have."""
        return max((atom.cells.column + 1 for one in self.each for atom in one.atoms), default=0)

    @property
    def cells(self) -> list[Cells]:
        """The distinct functions of columns, in the order in which they first occur."""
        return list(dict.fromkeys(atom.cells for one in self.each for atom in one.atoms))

    def check_width(self, columns: int) -> None:
        """Raise an error if a template needs a column that tokens do not have."""
        if self.width > columns:
            has = "only column 0" if columns == 1 else f"columns 0 to {columns - 1}"
            raise DataError(f"a template needs column {self.width - 1}, but tokens have {has}.")


def _check_transitions(line: str) -> None:
    if "%" in line:
        raise ValueError(f'"{excerpt(line)}": B learns pairs of labels only; it takes no cells.')
    if line.rstrip(":0123456789") != "B":
        raise ValueError(f'"{excerpt(line)}" is no template: it begins with U, or is B alone.')


def _templates(line: str) -> list[Template]:
    """Return the template of a line, or one for each length of an affix."""
    if not line.startswith("U"):
        raise ValueError(f'"{excerpt(line)}" is no template: it begins with U, or is B alone.')
    texts, choices, end = [], [], 0
    for match in _MACRO.finditer(line):
        texts.append(line[end : match.start()])
        choices.append(_atoms(*match.groups()))
        end = match.end()
    texts.append(line[end:])
    odd = next((text for text in texts if "%" in text), None)
    if odd is not None:
        raise ValueError(f'"{excerpt(odd[odd.index("%") :])}" is not of the form %x[row,column].')
    made: list[tuple[Atom, ...]] = [()]
    for several in choices:
        made = [(*atoms, atom) for atoms in made for atom in several]
    return [Template(tuple(texts), atoms) for atoms in made]


def _atoms(function: str, inside: str) -> list[Atom]:
    """Return the atoms of a macro: one, or one for each length."""
    if function not in FUNCTIONS:
        raise ValueError(
            f"%{function} is unknown; there are {', '.join(f'%{n}' for n in FUNCTIONS)}."
        )
    parts = [part.strip() for part in inside.split(",")]
    macro = f"%{function}[{inside}]"
    takes_length = FUNCTIONS[function].takes_length
    if len(parts) != 2 + takes_length:
        form = "row,column,length" if takes_length else "row,column"
        raise ValueError(f'"{excerpt(macro)}" is not of the form %{function}[{form}].')
    if not all(_WHOLE.fullmatch(part) for part in parts[:2]):
        raise ValueError(f'"{excerpt(macro)}": row and column are whole numbers.')
    offset, column = int(parts[0]), int(parts[1])
    if abs(offset) > FARTHEST or column < 0:
        raise ValueError(
            f'"{excerpt(macro)}": rows are from -{FARTHEST} to {FARTHEST}, columns from 0.'
        )
    lengths = _lengths(parts[2], macro) if takes_length else range(1)
    return [Atom(Cells(function, column, length), offset) for length in lengths]


def _lengths(text: str, macro: str) -> range:
    match = _LENGTHS.fullmatch(text)
    if match:
        first = int(match[1])
        last = int(match[2] or first)
        if 1 <= first <= last <= LONGEST_AFFIX:
            return range(first, last + 1)
    raise ValueError(
        f'"{excerpt(macro)}": a length is a number such as 3 or a range such as 1-4, up to '
        f"{LONGEST_AFFIX}."
    )
