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

EDGES: Final[Mapping[str, float]] = MappingProxyType({
    "calls": 1.0, "instantiates": 0.8, "overrides": 0.8, "implements": 0.8, "extends": 0.7, "matches_pattern": 0.5,
    "decorates": 0.4, "type_ref": 0.4, "accesses": 0.4, "references": 0.2, "tests": 0.3, "contains": 0.2,
})  # fmt: skip


@attrs.frozen(kw_only=True)
class Weights:
    """All shares are of the best lexical score, which is 1."""

    saturation: float = 1.2
    """BM25 k1: how soon more of the same word stops to count."""
    length: float = 0.75
    """BM25 b: how much a long declaration is held back."""
    quoted: float = 1.5
    """A word that the task writes as code, over one of prose."""
    title: float = 1.25
    """A word of the first line, over one further down."""
    exact: float = 0.3
    """A declaration whose name the task spells as code; shared by all that have the name."""
    path: float = 1.0
    """A symbol or position that the task spells in full, or a line of a stack trace."""
    file: float = 0.25
    """A declaration in a file that the task names."""
    given: float = 2.0
    """A node or file that the request names."""
    graph: float = 0.25
    """The declaration that the links of the seeds lead to most, when it has no other merit."""
    feedback: float = 0.3
    """A declaration that somebody found useful for the same task; as much against one found not useful."""
    hold: float = 0.25
    """How much of the walk returns to the seeds at each step."""
    test: float = 0.25
    """Tests, examples and documentation, unless the task is about them."""
    generated: float = 0.3
    """Code that a tool wrote."""
    share: float = 0.2
    """The most of the budget that one declaration may take."""
    names: float = 0.12
    """The part of the budget that lists further declarations by their first line."""
    edges: Mapping[str, float] = attrs.field(factory=lambda: dict(EDGES))
    """How readily the walk follows an edge of a kind; a kind that is not named is not followed."""
    backward: float = 0.7
    """Following an edge against its direction, over following it."""
    reach: int = 60
    """How many declarations the walk may leave from."""

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
        if not 0 <= value <= 100:
            raise BadRequest(f"The weight {name!r} must be a number from 0 to 100.")
        if name.startswith("edges."):
            edges[name.removeprefix("edges.")] = value
        elif name in known:
            numbers[name] = value
        else:
            raise BadRequest(f"There is no weight {name!r}. Known: {', '.join(sorted(known))}, edges.KIND.")
    return _with(plain, edges, numbers)


def _with(plain: Weights, edges: Mapping[str, float], numbers: Mapping[str, float]) -> Weights:
    whole = {name: int(value) for name, value in numbers.items() if name == "reach"}
    rest = {name: value for name, value in numbers.items() if name != "reach"}
    return attrs.evolve(plain, edges=edges, **rest, **whole)
