"""Symbol deltas: what edits did to each symbol: lines before and after, signatures, what others can see of it.

Owns: which symbol of before is which one of now, what counts as a change of the public API.
Must not know: version control, what is affected.
Invariant: symbols are the same where file and qualified name are; nothing is said of a file whose earlier text is
    unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Final, Literal

import attrs

from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.identity import symbol_name
from graphls.graph.node_records import FileNodes
from graphls.graph.nodes import is_lasting, is_node, is_test_file, qualified_name
from graphls.graph.records import Node
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.changed import ChangedImpact
from graphls.queries.reexports import reexported_names

Action = Literal["added", "deleted", "modified"]
Drift = Literal["", "removed", "hidden", "signature"]
_EXPORT: Final = "export"
API_MEMBER: Final = "api_member"
RE_EXPORT: Final = "re-export"
"""The kind of a name that a module gave on from another and no longer does."""


@attrs.frozen(kw_only=True)
class SymbolState:
    """Where a symbol stands, with decorators: lines from 1, the last is included. `hash`: of its text, as in records;
    None where the text is gone."""

    start_line: int
    end_line: int
    lines: int
    hash: str | None


@attrs.frozen(kw_only=True)
class SymbolDelta:
    """One symbol. `line`: of now, or of before where it is gone; `drift`: how what other code can see of it changed."""

    file: FilePath
    symbol: str
    kind: str
    action: Action
    line: int
    before: SymbolState | None
    after: SymbolState | None
    name: str = ""
    node_kind: str = ""
    language: str = ""
    drift: Drift = ""
    signature_before: str | None = None
    signature_after: str | None = None
    place: SymbolRef | None = None
    """Where it is now."""

    @property
    def lines_before(self) -> int | None:
        """Lines that it had; None where it was not there."""
        return None if self.before is None else self.before.lines

    @property
    def lines_after(self) -> int | None:
        """Lines that it has; None where it is gone."""
        return None if self.after is None else self.after.lines

    @property
    def delta(self) -> int:
        """Lines more than before."""
        return (self.lines_after or 0) - (self.lines_before or 0)


def deltas_in_time(
    past: Callable[[], Snapshot], after: Snapshot, found: ChangedImpact
) -> tuple[SymbolDelta, ...] | None:
    """The same; None where a request has no time left for the graph of before, whose answer holds without it."""
    try:
        return symbol_deltas(past(), after, found) if found.files else ()
    except BudgetSpentError:
        return None


def symbol_deltas(before: Snapshot, after: Snapshot, found: ChangedImpact) -> tuple[SymbolDelta, ...]:
    """What became of the symbols that edits touched, by file and place; the gone ones of a file come last."""
    old = {file.edit.path: file.edit.old_path or file.edit.path for file in found.files if file.edit.before is not None}
    rows = {path: _rows(before, former) for path, former in old.items()}
    deltas = [_of_now(before, after, node.place, old, rows) for node in found.nodes]
    for path, former in old.items():
        gone = {name.qualified for name in found.removed if name.file == path}
        left = _declared(after, path)
        whole = {name for name in gone if "." not in name or name.rpartition(".")[0] in left}
        deltas += _gone(before, former, sorted((rows[path][name], name in whole) for name in gone & rows[path].keys()))
    deltas += _given_on_no_more(before, after, old)
    return tuple(sorted(deltas, key=lambda one: (one.file, one.action == "deleted", one.line, one.symbol)))


def _of_now(
    before: Snapshot,
    after: Snapshot,
    place: SymbolRef,
    old: Mapping[FilePath, FilePath],
    rows: Mapping[FilePath, Mapping[str, int]],
) -> SymbolDelta:
    now = FileNodes(after, place.file).node(place.definition)
    facts = after.facts(place.file)
    name = qualified_name(facts, place.definition) if place.definition >= 0 else ""
    row = -1 if place.definition < 0 else rows.get(place.file, {}).get(name, -2)
    known = place.file in old and row >= -1 and before.shards[old[place.file]].language
    then = FileNodes(before, old[place.file]).node(row) if known else None
    public = then is not None and then.exported and not is_test_file(place.file)
    hidden = public and not now.exported
    drifted = hidden or (then is not None and public and _differs(then, now))
    return SymbolDelta(
        file=place.file,
        symbol=symbol_name(after, place),
        kind=now.subkind or now.kind,
        action="added" if then is None else "modified",
        line=now.range[0] + 1 if now.range else 1,
        before=None if then is None else _state(then),
        after=_state(now),
        name=now.name,
        node_kind=now.kind,
        language=now.language or "",
        drift="hidden" if hidden else "signature" if drifted else "",
        signature_before=then.signature if drifted and then is not None else None,
        signature_after=now.signature if drifted else None,
        place=place,
    )


def _declared(snapshot: Snapshot, path: FilePath) -> Set[str]:
    """What a file declares itself: a name that it imports may stand for what was declared here before."""
    if path not in snapshot.shards:
        return frozenset()
    kinds = snapshot.facts(path).definitions.kind if snapshot.shards[path].language else ()
    return {name for name, row in _rows(snapshot, path).items() if kinds[row] != DefinitionKind.IMPORT}


def _gone(before: Snapshot, path: FilePath, rows: Sequence[tuple[int, bool]]) -> Iterator[SymbolDelta]:
    """With each row whether it is a change of the interface: what goes with its class, or moves with it, is part of
    that change."""
    nodes = FileNodes(before, path)
    for row, whole in rows:
        seen = whole and not is_test_file(path)
        then = nodes.node(row)
        yield SymbolDelta(
            file=path,
            symbol=symbol_name(before, SymbolRef(path, row)),
            kind=then.subkind or then.kind,
            action="deleted",
            line=then.range[0] + 1 if then.range else 1,
            before=_state(then),
            after=None,
            name=then.name,
            node_kind=then.kind,
            language=then.language or "",
            drift="removed" if seen and (then.exported or then.kind == API_MEMBER) else "",
            signature_before=then.signature,
        )


def _given_on_no_more(before: Snapshot, after: Snapshot, old: Mapping[FilePath, FilePath]) -> Iterator[SymbolDelta]:
    """Names that edited modules gave on from others, and no longer do; and what a list of exports no longer has."""
    for path, former in old.items():
        shard = after.shards.get(path)
        if shard is None or not shard.language or former not in before.shards or is_test_file(path):
            continue
        module = symbol_name(after, SymbolRef(path, -1))
        for name in sorted(reexported_names(before, former) - {*_rows(after, path), *reexported_names(after, path)}):
            yield SymbolDelta(
                file=path,
                symbol=f"{module}:{name}",
                kind=RE_EXPORT,
                action="deleted",
                line=1,
                before=None,
                after=None,
                name=name,
                node_kind="import",
                language=shard.language,
                drift="removed",
            )
        yield from _unlisted(before, after, path, former)


def _unlisted(before: Snapshot, after: Snapshot, path: FilePath, former: FilePath) -> Iterator[SymbolDelta]:
    """What is there as before, but for its name in the list of what a module exports."""
    listed = set(before.surface(former).exports or ()) - set(after.surface(path).exports or ())
    if not listed:
        return
    then, now = _rows(before, former), _rows(after, path)
    for name in sorted(listed & now.keys() & then.keys()):
        place = SymbolRef(path, now[name])
        node, had = FileNodes(after, path).node(now[name]), FileNodes(before, former).node(then[name])
        if had.exported and not node.exported and had.content_hash == node.content_hash:
            yield SymbolDelta(
                file=path,
                symbol=symbol_name(after, place),
                kind=node.subkind or node.kind,
                action="modified",
                line=node.range[0] + 1 if node.range else 1,
                before=_state(had),
                after=_state(node),
                name=node.name,
                node_kind=node.kind,
                language=node.language or "",
                drift="hidden",
                signature_before=had.signature,
                signature_after=node.signature,
                place=place,
            )


def _differs(then: Node, now: Node) -> bool:
    """Variables have their value in the signature: another value is no other interface."""
    if API_MEMBER in (then.kind, now.kind):
        return False
    if then.kind not in ("callable", "method") or now.kind not in ("callable", "method"):
        return then.kind != now.kind
    # By which of its ways a name is exported makes no other interface.
    return _plain(then) != _plain(now)


def _plain(node: Node) -> tuple[str, tuple[str, ...]]:
    """Signature and modifiers but for what exports it there."""
    words = tuple(word for word in node.modifiers or () if word != _EXPORT)
    return (node.signature or "").removeprefix(f"{_EXPORT} "), words


def _state(node: Node) -> SymbolState:
    lines, first = _lines(node), node.full_range[0] + 1 if node.full_range else 1
    return SymbolState(start_line=first, end_line=first + max(lines, 1) - 1, lines=lines, hash=node.content_hash)


def _lines(node: Node) -> int:
    if node.full_range is None:
        return 0
    first, _, last, column = node.full_range
    return last - first + (column > 0 or last == first)


def _rows(snapshot: Snapshot, path: FilePath) -> Mapping[str, int]:
    """The first symbol of each qualified name."""
    shard = snapshot.shards.get(path)
    if shard is None or not shard.language:
        return {}
    facts, found = snapshot.facts(path), dict[str, int]()
    for row in range(len(facts.definitions)):
        if is_lasting(facts, row) and is_node(facts, row):
            found.setdefault(qualified_name(facts, row), row)
    return found
