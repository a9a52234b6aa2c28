"""Links of the page: what they contain, decoded and checked; nothing is fetched.

A link is the state as JSON, deflated, in the letters that addresses allow: `#s=...` or `?s=...`
after the address of any page of the lab. `web/src/link.ts` writes and reads the same.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from typing import Annotated, Literal

from pydantic import BaseModel, Field, ValidationError, model_validator

from rosenblatt.lab.addresses import end_of
from rosenblatt.lab.schema import CLASSES, POINTS, Coordinate, Label, Number, Seed
from rosenblatt.storage.json_values import parse_strictly

LONGEST, LARGEST = 200_000, 1_000_000  # characters of a link, bytes of what is in it
PANELS, VISITS = 9, 10**9
VALUE = "Value error, "  # before the words of a validator
GUIDE = re.compile(r"guide(/\d{1,2})?(\?[\w.%=&+~-]{0,4000})?")

Name = Annotated[str, Field(pattern=r"^[A-Za-z]\w{0,63}$")]
Text = Annotated[str, Field(max_length=64)]
XY = Annotated[list[Coordinate], Field(min_length=2, max_length=2)]
Row = Annotated[list[Number], Field(min_length=2, max_length=2)]
Count = Annotated[int, Field(ge=0, le=POINTS)]
Visits = Annotated[int, Field(ge=0, le=VISITS)]
Edit = tuple[Count, Count] | tuple[Coordinate, Coordinate, Label]


class Source(BaseModel):
    """A generator with its settings."""

    generator: Name
    parameters: dict[Name, Number] = Field(max_length=20)
    seed: Seed


class Panel(BaseModel):
    """An algorithm with its settings."""

    algorithm: Name
    parameters: dict[Name, bool | int | Number | Text | None] = Field(max_length=40)


class Branch(BaseModel):
    """The weights that runs begin with, and how far the order of visits has come."""

    at: Visits
    visits: Visits = 0
    coef: list[Row] = Field(min_length=1, max_length=CLASSES)
    intercept: list[Number] = Field(min_length=1, max_length=CLASSES)


class Link(BaseModel):
    """Everything that is seen; the points by their generator, with changes, or all of them."""

    v: Literal[1, 2]
    source: Source | None = None
    edits: list[Edit] | None = Field(None, min_length=1, max_length=POINTS)
    points: list[XY] | None = Field(None, max_length=POINTS)
    labels: list[Label] | None = Field(None, max_length=POINTS)
    panels: list[Panel] = Field(min_length=1, max_length=PANELS)
    seed: Seed = 0
    clock: Visits = 0
    focus: int = Field(0, ge=0, lt=PANELS)
    tab: Annotated[str, Field(max_length=20)] = "happened"
    branch: Branch | None = None
    hand: tuple[Number, Number, Number] | None = None
    held: Count = 0
    share: float = Field(0, ge=0, lt=1)
    names: dict[
        Annotated[str, Field(pattern=r"^-?\d{1,4}$")], Annotated[str, Field(max_length=200)]
    ] = Field({}, max_length=CLASSES)

    @model_validator(mode="after")
    def _whole(self) -> Link:
        if (self.points is None) != (self.labels is None):
            raise ValueError("it needs a label for each point")
        if self.points is not None and len(self.points) != len(self.labels or ()):
            raise ValueError("it needs a label for each point")
        if self.points is None and self.source is None:
            raise ValueError("it names no points")
        if self.edits is not None and (self.source is None or self.points is not None):
            raise ValueError("its field edits needs a source, and no points")
        if self.branch and len(self.branch.coef) != len(self.branch.intercept):
            raise ValueError("its field branch is not valid")
        return self


def checked_hash(address: str) -> str:
    """Return what follows the address of the page, `#s=...` or `#guide...`; check what is in it."""
    end = end_of(address)
    if GUIDE.fullmatch(end):
        return f"#{end}"
    if not end.startswith("s="):
        raise ValueError("this link contains no state of the lab; copy it from Share on the page.")
    decode(end[2:])
    return f"#{end}"


def decode(text: str) -> Link:
    """Return what is in a link, the part after `s=`."""
    if len(text) > LONGEST:
        raise ValueError("this link cannot be read; it is too long.")
    try:
        squeezed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        inflate = zlib.decompressobj(-15)
        content = inflate.decompress(squeezed, LARGEST)
        if inflate.unconsumed_tail:
            raise ValueError("this link cannot be read; it contains too much.")
        if not inflate.eof:
            raise ValueError("this link cannot be read; it may have been cut short.")
    except (binascii.Error, zlib.error, UnicodeError) as error:
        raise ValueError("this link cannot be read; it may have been cut short.") from error
    return _checked(content)


def _checked(content: bytes) -> Link:
    try:
        parse_strictly(content)
        return Link.model_validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        loc = first["loc"]
        why = f"its field {loc[0]} is not valid" if loc else str(first["msg"])
        raise ValueError(f"this link cannot be read; {why.removeprefix(VALUE)}.") from None
    except ValueError as error:
        raise ValueError(f"this link cannot be read; {error}.") from None
