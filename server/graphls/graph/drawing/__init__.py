"""Drawing: boxes and lines as a picture that needs no program to be made and none to be looked at but a browser.

Owns: what is drawn (`scheme`), where it goes (`layers`), how it looks (`svg`), modules as boxes (`modules`).
Must not know: snapshots, how anything was found.
Invariant: the same scheme gives the same bytes.
"""

from __future__ import annotations

from graphls.graph.drawing.scheme import Box, Line, Scheme, Trust
from graphls.graph.drawing.svg import svg

__all__ = ["Box", "Line", "Scheme", "Trust", "svg"]
