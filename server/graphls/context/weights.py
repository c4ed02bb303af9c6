"""Weights: every number that a ranking depends on, in one place.

Owns: the defaults and what each number means.
Must not know: how the numbers are used.
Invariant: a pack names the weights that differ from these.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import attrs

from graphls.graph.errors import BadRequest

_TOKENS: Final = ("item",)
_WHOLE: Final = ("reach", *_TOKENS)
EDGES: Final[Mapping[str, float]] = MappingProxyType({
    "calls": 1.0, "instantiates": 1.0, "overrides": 1.0, "implements": 1.0, "extends": 1.0, "decorates": 1.0,
    "type_ref": 1.0, "accesses": 1.0, "references": 1.0,
})  # fmt: skip


@attrs.frozen(kw_only=True)
class Weights:
    """All merits are on one scale: the declaration whose words fit best has 1 for them."""

    saturation: float = 1.2
    """BM25 k1: how soon more of the same word stops to count."""
    length: float = 0.1
    """BM25 b: how much a long declaration is held back. Little: long ones are what tasks are about."""
    cover: float = 0.3
    """How much it counts to hold many of the task's words, rather than one of them often."""
    quoted: float = 1.5
    """A word that the task writes as code, over one of prose."""
    title: float = 1.25
    """A word of the first line, over one further down."""
    called: float = 0.32
    """A declaration whose whole name consists of words of the task."""
    place: float = 0.37
    """The file whose words fit the task best."""
    inside: float = 0.21
    """Being a member of the class whose head fits best."""
    size: float = 0.165
    """A declaration of 150 characters; one of 22,000 has twice as much."""
    graph: float = 0.44
    """The declaration that has most links with declarations whose words fit."""
    history: float = 0.4
    """A declaration in the file that commits with the words of the task changed most."""
    recent: float = 0.35
    """The declaration that the last commits touched most."""
    exact: float = 0.1
    """A declaration whose name the task spells as code; shared by all that have the name."""
    path: float = 1.0
    """A symbol or position that the task spells in full, or a line of a stack trace."""
    file: float = 0.25
    """A declaration in a file that the task names."""
    given: float = 2.0
    """A node or file that the request names."""
    feedback: float = 0.3
    """A declaration that somebody found useful for the same task; as much against one found not useful."""
    test: float = 0.25
    """Factor for tests, examples and documentation, unless the task is about them."""
    tests_meant: float = 0.7
    """The same when the task is about them: a fix with a test is still about the fix."""
    generated: float = 0.3
    """Factor for code that a tool wrote."""
    copy: float = 0.5
    """Factor for a declaration that repeats another one word for word."""
    sharpness: float = 2.9
    """How much likelier one merit makes a declaration: e to this power."""
    rank: float = 0.48
    """How much less likely each further place in the ranking is: the place to this power."""
    unlikely: float = 16.0
    """A declaration that is less likely than so many tokens are of the budget is not shown unless all have room."""
    item: int = 70
    """Tokens that an item costs the reader besides its text: more makes fewer and larger items."""
    least: float = 0.15
    """The part of the budget that windows of a long declaration take, or more: less is only its head."""
    part: float = 0.6
    """The part of the budget that one declaration may take while others wait."""
    tests_named: float = 0.01
    """The part of the budget for tests that cover what is shown."""
    left_out: float = 0.01
    """The part of the budget for names of what found no room."""
    edges: Mapping[str, float] = attrs.field(factory=lambda: dict(EDGES))
    """What a link of a kind counts; a kind that is not named counts nothing."""
    reach: int = 36
    """How many of the best declarations have the links of their files looked at."""

    def changed(self) -> Mapping[str, object]:
        """The numbers that differ from the defaults, by name."""
        plain = Weights()
        names = [field.name for field in attrs.fields(Weights)]
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(plain, name)}


def weights_of(given: Mapping[str, float]) -> Weights:
    """Weights with these numbers changed; `edges.calls` names an entry of `edges`. Raises BadRequest."""
    plain = Weights()
    edges = dict(plain.edges)
    known = {field.name for field in attrs.fields(Weights)} - {"edges"}
    numbers: dict[str, float] = {}
    for name, value in given.items():
        most = 10_000 if name in _TOKENS else 100
        if not 0 <= value <= most:
            raise BadRequest(f"The weight {name!r} must be a number from 0 to {most}.")
        if name.startswith("edges."):
            edges[name.removeprefix("edges.")] = value
        elif name in known:
            numbers[name] = value
        else:
            raise BadRequest(f"There is no weight {name!r}. Known: {', '.join(sorted(known))}, edges.KIND.")
    return _with(plain, edges, numbers)


def _with(plain: Weights, edges: Mapping[str, float], numbers: Mapping[str, float]) -> Weights:
    whole = {name: int(value) for name, value in numbers.items() if name in _WHOLE}
    rest = {name: value for name, value in numbers.items() if name not in _WHOLE}
    return attrs.evolve(plain, edges=edges, **rest, **whole)
