"""Viewing: pictures of the graph as pages that a browser shows.

Owns: what a picture holds, the page around it, serving it on this machine.
Must not know: other faces; how the view draws (assets/, built from editors/vscode/view).
Invariant: a page holds everything it needs and asks no other host for anything.
"""

from __future__ import annotations
