"""Svg: the modules of a graph as a picture.

Owns: nothing but the choice: a whole graph is drawn as modules.
Must not know: snapshots.
Invariant: bounded, whatever the size of the graph; what is not shown is said in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphls.graph import drawing
from graphls.graph.drawing.modules import modules
from graphls.graph.records import Record


def svg(records: Iterable[Record]) -> Iterator[str]:
    """One `svg` document."""
    return drawing.svg(modules(records))
