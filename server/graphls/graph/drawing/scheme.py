"""Scheme: what a picture shows, before anything has a place.

Owns: boxes, lines, families that have a colour.
Must not know: places, sizes, colours.
Invariant: every line joins two boxes of its scheme.
"""

from __future__ import annotations

from typing import Literal

import attrs

Trust = Literal["sure", "inferred", "ambiguous"]
"""Confidence 1; less; one of several targets."""

_NODES = {
    "type": "class interface protocol struct enum trait type_alias",
    "callable": "function callable method property component",
    "test": "test",
    "module": "module file package workspace namespace",
    "value": "variable constant field parameter enum_variant",
}
_EDGES = {
    "calls": "calls instantiates renders handles",
    "tests": "tests",
    "types": "extends implements overrides type_ref",
    "imports": "imports exports aliases",
}
_NODE_FAMILY = {kind: family for family, kinds in _NODES.items() for kind in kinds.split()}
_EDGE_FAMILY = {kind: family for family, kinds in _EDGES.items() for kind in kinds.split()}


@attrs.frozen
class Box:
    """One node. `depth`: steps from what changed, where the picture is coloured by them."""

    id: str
    name: str
    under: str
    family: str
    root: bool = False
    outside: bool = False
    depth: int | None = None


@attrs.frozen
class Line:
    """All links from one node to another."""

    source: str
    target: str
    label: str = ""
    family: str = "uses"
    trust: Trust = "sure"


@attrs.frozen
class Scheme:
    """A picture. `down`: layers go down instead of to the right."""

    title: str
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    """What was left out, and what else a reader should know."""
    down: bool = False


def node_family(kind: str) -> str:
    """Which colour a kind of node has."""
    return _NODE_FAMILY.get(kind, "other")


def edge_family(kinds: frozenset[str]) -> str:
    """Which colour a line has: that of the kind that says most."""
    found = {_EDGE_FAMILY.get(kind, "uses") for kind in kinds}
    return next((family for family in ("calls", "types", "imports", "tests") if family in found), "uses")
