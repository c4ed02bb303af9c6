"""Errors: what a query refuses, in a form every face can pass on.

Owns: stable codes, sentences that say what to do, the facts that go with them.
Must not know: JSON-RPC, exit codes, tool results.
Invariant: a code never changes its meaning; a message names nothing outside the workspace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class GraphError(Exception):
    """A refusal: a stable code, a sentence for people, facts for programs."""

    def __init__(self, code: str, message: str, data: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data: Mapping[str, object] = data or {}


class UnknownSymbol(GraphError):
    """Nothing in the graph has that name or id."""

    def __init__(self, text: str, candidates: Sequence[str] = (), *, entries: bool = False) -> None:
        otherwise = "The list of entries has their names." if entries else "Search for a part of the name first."
        hint = f"Did you mean {', '.join(candidates[:5])}?" if candidates else otherwise
        words = f"{'No route, tool, command or job' if entries else 'Nothing'} is called {text!r}. {hint}"
        if text.startswith("n:"):
            words = f"The symbol with the id {text} is gone: it was renamed, moved or removed. Ask for it by its name."
        super().__init__("graphls.unknownSymbol", words, {"candidates": list(candidates)})
        self.candidates = tuple(candidates)


class OutsideSymbol(GraphError):
    """What stands at a position is not of the workspace."""

    def __init__(self, position: str, dotted: str) -> None:
        super().__init__("graphls.unknownSymbol", f"The name at {position} is {dotted}, outside the workspace.")


class AmbiguousSymbol(GraphError):
    """Several things have that name; the caller chooses, never graphls."""

    def __init__(self, text: str, candidates: Sequence[str]) -> None:
        listing = ", ".join(candidates[:5]) + (", ..." if len(candidates) > 5 else "")
        super().__init__(
            "graphls.ambiguousSymbol",
            f"{text!r} may mean {len(candidates)} things: {listing}. Ask again with one of these.",
            {"candidates": list(candidates)},
        )
        self.candidates = tuple(candidates)


class NotInGraph(GraphError):
    """The file is not part of the graph."""

    def __init__(self, path: str) -> None:
        super().__init__(
            "graphls.outsideWorkspace",
            f"{path!r} is not a file of the graph. Give a path relative to the root of the workspace.",
            {"file": path},
        )


class BadRequest(GraphError):
    """The parameters make no sense together."""

    def __init__(self, message: str) -> None:
        super().__init__("graphls.badParams", message)
