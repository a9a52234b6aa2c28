"""Requests and answers of the lab; web/generate.py makes TypeScript types of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

POINTS, FEATURES, CLASSES, LARGEST = 2000, 20, 10, 1e6
SEEDS = 2**31 - 1

Coordinate = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Point = Annotated[list[Coordinate], Field(min_length=1, max_length=FEATURES)]
Label = Annotated[int, Field(ge=-1000, le=1000)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Value = bool | int | Number | str | None
Seed = Annotated[int, Field(ge=0, le=SEEDS)]
Name = Annotated[str, Field(max_length=64)]


class Strict(BaseModel):
    """A request without unknown fields."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """An error, in one sentence."""

    detail: str


class Table(Strict):
    """Labelled points."""

    points: list[Point] = Field(min_length=2, max_length=POINTS)
    labels: list[Label] = Field(min_length=2, max_length=POINTS)

    @model_validator(mode="after")
    def _whole(self) -> Table:
        if len(self.points) != len(self.labels):
            raise ValueError(
                f"there are {len(self.points)} points but {len(self.labels)} labels; give one "
                "label per point."
            )
        if len({len(point) for point in self.points}) > 1:
            raise ValueError(
                "some points have more coordinates than others; give all the same number."
            )
        classes = len(set(self.labels))
        if classes < 2:
            raise ValueError("all points have the same label; a classifier needs two classes.")
        if classes > CLASSES:
            raise ValueError(f"{classes} classes are too many for the lab; at most {CLASSES}.")
        return self


class DataRequest(Strict):
    """A toy set to draw."""

    generator: Name
    parameters: dict[Name, Number] = Field(default={}, max_length=20)
    seed: Seed = 0


class Start(Strict):
    """Weights to continue from, one row per score."""

    coef: list[Point] = Field(min_length=1, max_length=CLASSES)
    intercept: list[Coordinate] = Field(min_length=1, max_length=CLASSES)


class RunRequest(Strict):
    """An algorithm to run on points."""

    data: Table
    algorithm: Name
    parameters: dict[Name, Value] = Field(default={}, max_length=40)
    seed: Seed = 0

    @field_validator("parameters")
    @classmethod
    def _short(cls, given: dict[str, Any]) -> dict[str, Any]:
        if any(isinstance(v, str) and len(v) > 64 for v in given.values()):
            raise ValueError("a parameter has more than 64 characters; shorten it.")
        return given


class ContinueRequest(RunRequest):
    """An algorithm to continue from given weights, on points that may have changed."""

    start: Start


class CertifyRequest(Strict):
    """Points to prove separable or inseparable."""

    data: Table
    fit_intercept: bool = True
    intercept_scaling: float = Field(default=1.0, ge=1e-6, le=1e6, allow_inf_nan=False)


class OrdersRequest(CertifyRequest):
    """Points to learn in many orders."""

    orders: int = Field(default=200, ge=1, le=500)
    seed: Seed = 0


# --- answers ----------------------------------------------------------------------------------


class Bounds(BaseModel):
    """What a number must be: greater than, at least, less than, at most."""

    above: Number | None = None
    least: Number | None = None
    below: Number | None = None
    most: Number | None = None
    infinite: bool = False


class Parameter(BaseModel):
    """A parameter of an algorithm or a generator, with what its control needs."""

    name: str
    kind: Literal["number", "integer", "boolean", "choice"]
    default: Value  # "inf" stands for infinity
    text: str
    choices: list[Value] = []
    nullable: bool = False
    bounds: Bounds | None = None
    low: Number | None = None
    high: Number | None = None
    step: Number | None = None


class Algorithm(BaseModel):
    """A member of the family."""

    name: str
    text: str
    parameters: list[Parameter]
    common: list[Parameter]  # those that most members have
    classes: Literal["two", "many"]
    restarts: str | None  # why it cannot continue from given weights; null if it can
    proof: bool  # whether the convergence proof is about its steps
    fixed: dict[str, None]  # parameters that the lab sets in every run


class Drawer(BaseModel):
    """A generator of toy sets."""

    name: str
    text: str
    parameters: list[Parameter]


class Limits(BaseModel):
    """Limits of the lab."""

    points: int
    features: int
    classes: int
    updates: int
    seconds: Number
    largest: float


class Registry(BaseModel):
    """Algorithms, readouts, generators and limits."""

    library: str
    algorithms: list[Algorithm]
    readouts: list[str]
    generators: list[Drawer]
    limits: Limits


class Drawn(BaseModel):
    """A toy set, and what is known of it."""

    points: list[list[Number]]
    labels: list[int]
    margin: Number | None
    radius: Number | None
    separator: list[Number] | None
    noise: Number | None


MOST = 2**53  # counts from which on a page cannot tell one from the next


def _require(condition: bool, message: str) -> None:
    """Raise a ValueError unless a condition holds."""
    if not condition:
        raise ValueError(message)


def _are_below(numbers: list[int], limit: int) -> bool:
    return all(0 <= number < limit for number in numbers)


class Updates(BaseModel):
    """Updates as parallel lists: at visit t, w <- c·w + a·(signed example i).

    With many classes, r is the rival that loses the update.
    """

    t: list[int]
    i: list[int]
    r: list[int]
    a: list[Number]
    c: list[Number]
    g: list[Number] | None = None  # where weights have variances: S^-1 grows by g·xx'

    @model_validator(mode="after")
    def _parallel(self) -> Updates:
        columns = (self.t, self.i, self.r, self.a, self.c, self.t if self.g is None else self.g)
        _require(len(set(map(len, columns))) == 1, "the columns of updates differ in length.")
        _require(_are_below(self.t, MOST) and self.t == sorted(self.t), "updates.t must ascend.")
        return self


class Space(BaseModel):
    """The space of the hypotheses."""

    kind: Literal["linear", "rows", "mirror", "diagonal", "full", "kernel"]
    prior: Number | None = None
    shrinks: bool | None = None  # the mean shrinks as its variance does
    p: Number | None = None  # null in a mirror: multiplicative steps
    kernel: str | None = None
    degree: Number | None = None
    gamma: Number | None = None
    coef0: Number | None = None
    constant: Number | None = None


class Started(BaseModel):
    """The hypothesis before the first update."""

    w: list[list[Number]]
    counters: dict[str, Number | None]


class Passes(BaseModel):
    """One number for each pass."""

    visits: list[int]
    updates: list[int]
    mistakes: list[int]
    errors: list[int]

    @model_validator(mode="after")
    def _parallel(self) -> Passes:
        columns = self.visits, self.updates, self.mistakes, [max(n, 0) for n in self.errors]
        _require(len(set(map(len, columns))) == 1, "the columns of passes differ in length.")
        _require(all(_are_below(column, MOST) for column in columns), "passes must be counts.")
        return self


class Checkpoints(BaseModel):
    """Hypotheses after k updates, from which a replay can start."""

    k: list[int]
    w: list[list[list[Number]]]

    @model_validator(mode="after")
    def _parallel(self) -> Checkpoints:
        _require(len(self.k) == len(self.w), "checkpoints need a hypothesis for each k.")
        _require(_are_below(self.k, MOST), "checkpoints.k must be counts.")
        return self


class Reads(BaseModel):
    """What a readout gave at some moments, for a page that cannot fold it itself."""

    t: list[int]  # visits done, ascending
    w: list[list[list[Number]]]  # a row of weights for each score, as in checkpoints

    @model_validator(mode="after")
    def _parallel(self) -> Reads:
        _require(len(self.t) == len(self.w), "reads need a hypothesis for each t.")
        _require(_are_below(self.t, MOST), "reads.t must be counts.")
        return self


class Entries(BaseModel):
    """One run: its start, every update, every pass."""

    format: Literal["rosenblatt-journal/1"]
    config: dict[str, Any]
    data: dict[str, Any]
    start: Started
    updates: Updates
    checkpoints: Checkpoints
    passes: Passes
    counters: dict[str, Number | None]
    reads: Reads | None = None


class Config(BaseModel):
    """The configuration of a run."""

    rule: str
    parameters: dict[str, Any]
    bias: Number
    from_zero: bool
    algorithm: str
    settings: dict[str, Any]
    readout: str
    drawn: int | None = None  # the visit whose hypotheses a random readout takes
    order: str | None = None  # of the visits, by name; "given" for an array
    seed: int | None
    problem: Literal["binary", "native", "ovr"]
    space: Space
    library: str


class Data(BaseModel):
    """The examples of a run."""

    labels: list[int]  # as the run saw them: signs, or class numbers
    points: list[list[Number]]
    targets: list[int]  # class numbers
    classes: list[Any]
    bias: Number
    offset: Number

    @model_validator(mode="after")
    def _parallel(self) -> Data:
        lengths = {len(self.labels), len(self.points), len(self.targets)}
        _require(len(lengths) == 1, "data needs a label and a target per point.")
        _require(len({len(point) for point in self.points}) == 1, "the points differ in width.")
        _require(_are_below(self.targets, len(self.classes)), "data.targets must number classes.")
        return self


class Result(BaseModel):
    """The result of a run and what is proved of it."""

    coef: list[list[Number]] | None
    intercept: list[Number] | None
    updates: int
    passes: int
    converged: bool
    radius: Number
    margin_bracket: list[Number | None]
    pass_mistakes: list[int]
    pass_errors: list[int]
    errors: int
    summary: str


class Document(BaseModel):
    """A run with its examples, complete enough to be replayed: `rosenblatt-journal/1`."""

    format: Literal["rosenblatt-journal/1"]
    config: Config
    data: Data
    start: Started
    updates: Updates
    checkpoints: Checkpoints
    passes: Passes
    counters: dict[str, Number | None]
    reads: Reads | None = None
    others: list[Entries]
    result: Result
    cut: str | None = None  # why the run was stopped early

    @model_validator(mode="after")
    def _whole(self) -> Document:
        self._check_run(self)
        for other in self.others:
            self._check_run(other)
        return self

    def _check_run(self, run: Document | Entries) -> None:
        """Reject a run that refers to points, classes or weights that are not there."""
        labels = run.data.labels if isinstance(run, Document) else run.data.get("labels")
        count, rows = len(self.data.points), len(run.start.w)
        whole = isinstance(labels, list) and all(type(label) is int for label in labels)
        _require(whole and len(labels or ()) == count, "a run needs a label for each point.")
        _require(_are_below(run.updates.i, count), "updates.i must number the points.")
        _require(_are_below(run.updates.r, rows), "updates.r must number the rows of start.w.")
        _require(
            rows == 1 or _are_below(labels or [], rows), "labels must number the rows of start.w."
        )
        hypotheses = [run.start.w, *run.checkpoints.w, *(run.reads.w if run.reads else ())]
        shapes = {tuple(map(len, hypothesis)) for hypothesis in hypotheses}
        _require(rows > 0 and len(shapes) == 1, "all hypotheses of a run need the same shape.")
        _require(len(set(*shapes)) == 1, "all rows of a hypothesis need the same length.")


class Verdict(BaseModel):
    """What is proved about points."""

    verdict: Literal["separable", "inseparable", "undecided"]
    statement: str
    margin: Number | None
    margin_bracket: list[Number | None]
    radius: Number
    mistake_bound: Number | None
    weights: list[list[Number]] | None
    intercept: list[Number] | None
    support: list[int]
    rivals: list[int]
    coefficients: list[str]  # fractions, exact
    shares: list[Number]  # the same, rounded


class Orders(BaseModel):
    """Updates over many orders of the same points."""

    updates: list[int]
    converged: list[bool]
    bound: Number | None
    margin: Number | None
    radius: Number


class Alive(BaseModel):
    """The server is running."""

    library: str


class Sheet(BaseModel):
    """A table as text: columns of numbers, then one of labels."""

    names: list[str]
    rows: list[list[str]]
    lines: list[int]


class Opening(BaseModel):
    """What the lab was opened with."""

    document: Document | None = None
    verdict: Verdict | None = None
    data: Drawn | None = None
    sheet: Sheet | None = None
    name: str | None = None
