"""Snippets: a piece of code that stands in no file yet, as a question takes it.

Owns: its language, the symbols in it, the workspace with it.
Must not know: what is asked of it, where the code comes from.
Invariant: nothing is written, and no file of the workspace is replaced.
"""

from __future__ import annotations

from collections.abc import Collection
from textwrap import dedent
from typing import Final

import attrs

from graphls.facts.kinds import ProblemKind
from graphls.facts.paths import FilePath, ending_of
from graphls.graph.errors import BadRequest
from graphls.graph.nodes import node_rows
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import provider_for, providers
from graphls.session.proposed import with_proposed
from graphls.settings import Settings

MOST_CHARACTERS: Final = 2_000_000


@attrs.frozen(eq=False)
class Snippet:
    """The workspace with a snippet. `places`: its symbols, or the snippet as a whole; `why_whole`: why the latter."""

    snapshot: Snapshot
    places: tuple[SymbolRef, ...]
    why_whole: str


def with_snippet(
    live: Snapshot, code: str, settings: Settings, folders: Collection[str], *, language: str = "", path: str = ""
) -> Snippet:
    """Reads code in a language, which the file where it is to stand may tell. Refuses a language that nobody reads."""
    if len(code) > MOST_CHARACTERS:
        raise BadRequest(f"Code has at most {MOST_CHARACTERS} characters.")
    at = _free_path(live, _ending(language, path), path)
    snapshot, _ = with_proposed(live, {at: dedent(code)}, settings, folders)
    facts = snapshot.facts(at)
    rows = tuple(SymbolRef(at, row) for row in node_rows(facts) if facts.definitions.body[row] >= 0)
    broken = ProblemKind.SYNTAX in facts.problems.kind
    if broken or not rows:
        why = "the code does not parse" if broken else "the code declares nothing with a body"
        return Snippet(snapshot, (SymbolRef(at, -1),), f"{why}, so it was compared as one piece")
    return Snippet(snapshot, rows, "")


def _ending(language: str, path: str) -> str:
    known = providers()
    if language:
        if language not in known:
            raise BadRequest(f"{language!r} is no language that graphls reads. Use one of: {', '.join(sorted(known))}.")
        return next(iter(known[language].capabilities.files))
    provider = provider_for(FilePath(path)) if path else None
    if provider is None:
        raise BadRequest(
            f"Give the language of the code, or the path where it is to stand. Languages: {', '.join(sorted(known))}."
        )
    ending = ending_of(path)
    return ending if ending in provider.capabilities.files else next(iter(provider.capabilities.files))


def _free_path(live: Snapshot, ending: str, path: str) -> FilePath:
    """A name that no file has, in the folder where the code is to stand."""
    folder = f"{path.rpartition('/')[0]}/" if "/" in path else ""
    number = 0
    while FilePath(f"{folder}snippet{number or ''}{ending}") in live.shards:
        number += 1
    return FilePath(f"{folder}snippet{number or ''}{ending}")
