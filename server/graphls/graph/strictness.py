"""Strictness: what keeps a graph from being called checked, beside errors in the text and what checkers find.

Owns: files that are missing or were not linked, imports that lead nowhere, names that nothing binds.
Must not know: who exports, what becomes of a refusal.
Invariant: nothing is held against a name whose meaning only a package or a checker can tell, nor against one that the
    code itself expects to be missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ExpressionKind, OccurrenceFlag, Role, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.graph.addresses import digest_of, format_id
from graphls.graph.records import Node, Range
from graphls.graph.snapshot import Snapshot

SOURCE = "graph"
_MANY = ("folder cannot be read", "more files than")
"""Begin the reasons for which an unknown number of files is missing."""
_EXPECTED = int(OccurrenceFlag.CONDITIONAL)
_ASSETS = frozenset(
    (
        *("css", "scss", "sass", "less", "styl", "pcss", "svg", "png", "jpg", "jpeg", "gif", "webp", "avif", "ico"),
        *("woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4", "webm", "wav", "pdf", "json", "json5", "yaml", "yml"),
        *("toml", "txt", "md", "mdx", "html", "wasm", "graphql", "gql", "glsl", "node", "csv", "xml"),
    )
)
"""Endings of files that bundlers take in and that are no code."""


def obstacles(snapshot: Snapshot, files: Collection[FilePath], broken: Set[str | None]) -> Iterator[Node]:
    """What a checked export of these files is refused for, as diagnostics. Names in `broken` files, which have errors
    of their own, are no matter."""
    whole = len(files) == len(snapshot.shards)
    inside = {path.rpartition("/")[0] for path in files}
    for skipped in snapshot.skipped:
        near = whole or skipped.path.rpartition("/")[0] in inside
        if near and (snapshot.capabilities(skipped.path) is not None or skipped.reason.startswith(_MANY)):
            yield _diagnostic(skipped.path, "left_out", f"is not in the graph: {skipped.reason}", None)
    chosen = frozenset(files)
    for path, reason in snapshot.link_failures().items():
        if path in chosen:
            yield _diagnostic(path, "not_linked", f"what it uses is not known: {reason}", None)
    for path in files:
        if snapshot.shards[path].language and path not in broken:
            yield from _unresolved(snapshot, path)


def _unresolved(snapshot: Snapshot, path: FilePath) -> Iterator[Node]:
    """Imports that lead nowhere in the workspace, and names that nothing binds."""
    facts, table = snapshot.facts(path), snapshot.links(path).unresolved
    uses = facts.occurrences
    # Packages of such a language declare names for all files: only a checker can tell that there is none. What a
    # script calls may be a program, or a variable of the environment: only the machine can tell.
    known = snapshot.capabilities(path)
    decidable = known is None or (known.declares is None and not known.script)
    for row, reason in zip(table.occurrence, table.reason, strict=True):
        if uses.flags[row] & _EXPECTED:
            continue
        name = facts.strings[uses.name[row]]
        if uses.role[row] == Role.IMPORT and reason in _NOWHERE:
            if not _is_asset(facts, row):
                yield _at(facts, path, row, "unresolved_import", f"nothing in the workspace is what {name} imports")
        elif decidable and reason == UnresolvedReason.UNBOUND and uses.base[row] == NONE:
            yield _at(facts, path, row, "undefined_name", f"nothing binds {name}")


_NOWHERE = (UnresolvedReason.MISSING_MODULE, UnresolvedReason.MISSING_MEMBER)


def _is_asset(facts: FileFacts, use: int) -> bool:
    """Whether a name comes from a file that is no code: in an import, or as in `v = require("./package.json").v`."""
    module = _module_of(facts, use)
    return "?" in module or module.rpartition(".")[2].lower() in _ASSETS


def _module_of(facts: FileFacts, use: int) -> str:
    imports, offset = facts.imports, facts.occurrences.start[use]
    for row, (start, end) in enumerate(zip(imports.start, imports.end, strict=True)):
        if start <= offset < end:
            return facts.strings[imports.module[row]]
    defined, table = facts.definitions, facts.expressions
    value = next((defined.value[row] for row, start in enumerate(defined.start) if start == offset), NONE)
    while value != NONE and table.kind[value] == ExpressionKind.MEMBER:
        value = table.a[value]
    return facts.strings[table.a[value]] if value != NONE and table.kind[value] == ExpressionKind.MODULE else ""


def _at(facts: FileFacts, path: FilePath, row: int, code: str, message: str) -> Node:
    uses = facts.occurrences
    where = (*facts.line_column(uses.start[row]), *facts.line_column(uses.end[row]))
    return _diagnostic(path, code, message, where)


def _diagnostic(path: FilePath, code: str, message: str, where: Range | None) -> Node:
    return Node(
        id=format_id("n", digest_of(path, code, message, "diagnostic", str(where))),
        kind="diagnostic",
        name=code,
        qualified_name=code,
        file=path,
        range=where,
        full_range=where,
        attributes={"code": code, "severity": "error", "message": message, "source": SOURCE, "related": []},
    )
