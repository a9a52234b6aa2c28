"""The members of the family: what completes an estimator class, and the table of all of them.

A class declares its parameters; its constructor, signature and documentation are made from them.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from rosenblatt.estimators.parameters import Parameter, Result, declared, unknown

Estimator = TypeVar("Estimator", bound=type)

MEMBERS: dict[str, Any] = {}
"""Every estimator class by its public name, in the order of the documentation."""

_DESCRIPTIONS: dict[type, Description] = {}


class Description(NamedTuple):
    """What the author of an estimator wrote about it."""

    summary: str  # one line
    about: str  # the summary and the paragraphs under it
    examples: str
    results: tuple[Result, ...]


def described(estimator: type) -> Description:
    """Return what is written about a member, without the parts that its parameters give."""
    return _DESCRIPTIONS[estimator]


def member(estimator: Estimator, positional: Sequence[str] = ()) -> Estimator:
    """Complete an estimator class and enter it in the table of members."""
    MEMBERS[estimator.__name__] = complete(estimator, positional)
    return estimator


def complete(estimator: Estimator, positional: Sequence[str] = ()) -> Estimator:
    """Give an estimator class the constructor and docstring that it declares.

    Parameters are keyword-only but for those named in `positional`. The results are those of the
    attribute `declared_results`.
    """
    parameters = declared(estimator)
    about, _, examples = inspect.cleandoc(estimator.__doc__ or "").partition(
        "\n\nExamples\n--------\n"
    )
    results: tuple[Result, ...] = estimator.declared_results  # type: ignore[attr-defined]
    summary = about.partition("\n")[0]
    _DESCRIPTIONS[estimator] = Description(summary, about, examples, results)
    estimator.__doc__ = "\n\n".join([
        about,
        section("Parameters", parameters.values()),
        section("Attributes", results),
        f"Examples\n--------\n{examples}\n",
    ])  # fmt: skip
    estimator.__init__ = _constructor(estimator, positional)  # type: ignore[misc]
    return estimator


def _constructor(estimator: type, positional: Sequence[str]) -> Callable[..., None]:
    """Return the constructor of an estimator, which does nothing but keep its parameters."""
    parameters = declared(estimator)
    defaults = {name: parameter.default for name, parameter in parameters.items()}

    def construct(self: Any, *values: Any, **given: Any) -> None:
        if len(values) > len(positional):
            raise TypeError(
                f"{type(self).__name__} takes parameters by name, as in "
                f"{type(self).__name__}({next(iter(parameters))}=...)."
            )
        for name, value in zip(positional, values, strict=False):
            if name in given:
                raise TypeError(f"{type(self).__name__} got {name} twice, by place and by name.")
            given[name] = value
        for name in given:
            if name not in defaults:
                raise TypeError(unknown(type(self), name))
        vars(self).update(defaults | given)

    construct.__name__, construct.__qualname__ = "__init__", f"{estimator.__qualname__}.__init__"
    construct.__module__ = estimator.__module__
    construct.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *(
                inspect.Parameter(
                    name,
                    inspect.Parameter.POSITIONAL_OR_KEYWORD
                    if name in positional
                    else inspect.Parameter.KEYWORD_ONLY,
                    default=parameter.default,
                )
                for name, parameter in parameters.items()
            ),
        ]
    )
    return construct


def section(heading: str, entries: Iterable[Parameter | Result]) -> str:
    """Return a section of a docstring in numpydoc's form."""
    lines = [heading, "-" * len(heading)]
    for entry in entries:
        lines.append(f"{entry.name} : {entry.words}")
        lines += textwrap.wrap(entry.text, 92, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)
