"""Options: the arguments that several commands share.

Owns: their spelling and help.
Must not know: any particular command.
Invariant: the same option is spelled and explained the same way everywhere.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

WITHIN = 20.0
"""Seconds that a question about one symbol may take: who waits longer says so."""
EVERY = 1_000_000
"""More open uses than any answer has."""


class Format(StrEnum):
    """How an answer is written."""

    TEXT = "text"
    JSON = "json"


class Direction(StrEnum):
    """Which way edges are followed."""

    IN = "in"
    OUT = "out"
    BOTH = "both"


Root = Annotated[str, typer.Option("--root", "-r", metavar="FOLDER", help="Folder of the workspace.")]
At = Annotated[
    str, typer.Option("--at", metavar="REF", help="Ask the graph of a branch, tag or commit, without a checkout.")
]
AsFormat = Annotated[Format, typer.Option("--format", "-f", help="text for people, json for programs.")]
Symbol = Annotated[str, typer.Argument(metavar="SYMBOL", help="Id, module:name, dotted name or path.py:LINE[:COLUMN].")]
Scope = Annotated[str, typer.Argument(metavar="[SCOPE]", help="A file, folder, package or module; all when left out.")]
MinConfidence = Annotated[
    float, typer.Option("--min-confidence", min=0.0, max=1.0, help="Leave out edges that are less sure than this.")
]
Verify = Annotated[
    bool, typer.Option("--verify", help="Have the checker settle what matters for the answer; waits for it.")
]
Unresolved = Annotated[
    bool,
    typer.Option("--unresolved", "-u", help="List the uses that could not be resolved and may belong here."),
]
Within = Annotated[
    float,
    typer.Option(
        "--within", metavar="SECONDS", min=0.0, help="End with what was found after so much work; 0: with all there is."
    ),
]
EdgeKinds = Annotated[
    list[str] | None, typer.Option("--edge-kind", "-e", metavar="KIND", help="Follow this kind of edge only; repeat.")
]
