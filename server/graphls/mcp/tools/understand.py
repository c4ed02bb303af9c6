"""Understand: the tool that says what a symbol is.

Owns: understand.
Must not know: how edges are found.
Invariant: without `kinds` and `source` an answer has at most 600 tokens; every count is of all, whatever is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import Field

from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_refs import is_structure
from graphls.graph.edges import RawEdge, edges_to
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.mcp.paging import Reply
from graphls.mcp.requests import MOST_UNRESOLVED, CommitRequest, Subject
from graphls.mcp.results import EdgeReply, SymbolReply
from graphls.mcp.text_form import Row, TextAnswer, code_row, folded, open_rows
from graphls.mcp.tool_catalog import Query, ToolContext, ToolEntry
from graphls.mcp.wording import counted, headline, passing_lines, short
from graphls.queries.answer import Answer, answer
from graphls.queries.code_lines import CodeLine, CodeLines
from graphls.queries.completeness import used_outside
from graphls.queries.node import NodeAnswer, node
from graphls.queries.node_views import NodeView
from graphls.queries.processes import known_processes, process_name
from graphls.queries.symbol_lookup import namesakes
from graphls.session.process_report import known_community

Kind = Literal["members", "used_by", "uses", "unresolved"]
_STRUCTURE: Final = ("contains", "defines")
_MOST_SOURCE: Final = 12_000
_MOST_EDGES: Final = 1_000
_OVERRIDING: Final = ("implements", "overrides")
_USING: Final = frozenset(("calls", "accesses", "references"))
_MOST_TIES: Final = 4
_MEMBERS, _USERS, _USED = 500, 700, 300
"""Bytes of these that a short answer shows."""


class UnderstandRequest(CommitRequest):
    symbol: Subject
    kinds: Annotated[tuple[Kind, ...], Field(description="all of these, and not only the first")] = ()
    source: Annotated[bool, Field(description="add its text")] = False
    resend: Annotated[bool, Field(description="also text sent before")] = False
    limit: Annotated[int, Field(ge=1, le=_MOST_EDGES, description="json: edges of each kind and direction")] = 20


def understand(context: ToolContext, request: UnderstandRequest) -> Reply:
    """What a symbol is, who uses it, what it uses."""
    place = context.subjects.place(request.symbol)
    context = context.verified(place)
    limit = request.limit if request.format == "json" else _MOST_EDGES
    found = node(context.snapshot, place, limit)
    listed = MOST_UNRESOLVED if "unresolved" in request.kinds else 0
    envelope = answer(context.snapshot, found.coverage, listed=listed)
    return Reply(
        envelope,
        _contents(context, found, request) if request.format == "json" else _bare(context, found),
        lambda: _SymbolText(context, request, found, envelope).made(),
        "ties",
    )


def _bare(context: ToolContext, found: NodeAnswer[SymbolRef]) -> SymbolReply:
    return SymbolReply(node=context.things.node(found.place), source=None, members=(), counts={}, ties=())


def _contents(context: ToolContext, found: NodeAnswer[SymbolRef], request: UnderstandRequest) -> SymbolReply:
    ties = [
        _tie(context, edge, incoming=group.incoming)
        for group in found.groups
        if group.kind not in _STRUCTURE
        for edge in group.edges
        if not is_structure(edge)
    ]
    return SymbolReply(
        node=context.things.node(found.place),
        source=_source(context.snapshot, found.place) if request.source else None,
        namesakes=namesakes(context.snapshot, request.symbol, found.place),
        members=tuple(context.things.node(member) for member in found.members),
        counts={f"{'in' if group.incoming else 'out'} {group.kind}": group.count for group in found.groups},
        ties=tuple(ties),
    )


def _tie(context: ToolContext, edge: RawEdge, *, incoming: bool) -> EdgeReply:
    other = edge.source if incoming else edge.target
    return EdgeReply(
        direction="in" if incoming else "out", edge=context.things.edge(edge), node=context.things.node(other)
    )


def _source(snapshot: Snapshot, place: SymbolRef) -> str | None:
    text = snapshot.text(place.file)
    if text is None:
        return None
    if place.definition >= 0:
        table = snapshot.facts(place.file).definitions
        text = text[table.full_start[place.definition] : table.full_end[place.definition]]
    return text[:_MOST_SOURCE].decode("utf-8", "ignore")


class _SymbolText:
    """The text about one symbol."""

    def __init__(
        self, context: ToolContext, request: UnderstandRequest, found: NodeAnswer[SymbolRef], envelope: Answer
    ) -> None:
        self._context = context
        self._request = request
        self._found = found
        self._envelope = envelope
        self._node = context.things.node(found.place)

    def made(self) -> TextAnswer:
        users, used = self._users(), self._used()
        members = [self._context.things.node(one) for one in self._found.members]
        head = (
            f"{headline(self._node)}: used in {counted(len(users), 'line')} of "
            f"{counted(len({row.groups[-2] for row in users}), 'file')}, uses {counted(len(used), 'symbol')}, "
            f"{counted(len(members), 'member')}"
        )
        sections: Mapping[Kind, Sequence[Row]] = {
            "members": [_member_row(one) for one in members],
            "used_by": folded(users),
            "uses": [Row(name, ("uses",)) for name in used] if self._request.kinds else list(_on_one_line(used)),
            "unresolved": list(open_rows(self._envelope.unresolved, "unresolved, may be uses:")),
        }
        if self._request.kinds:
            rows = [row for kind in dict.fromkeys(self._request.kinds) for row in sections[kind]]
        else:
            rows = [
                *_some(sections["members"], "members", _MEMBERS),
                *_some(sections["used_by"], "used_by", _USERS),
                *sections["uses"],
            ]
        return TextAnswer(head, (*rows, *self._source()), tuple(self._about()))

    def _about(self) -> Iterator[str]:
        node = self._node
        if node.signature:
            yield f"is: {short(node.signature, 300)}"
        if node.doc:
            yield f"doc: {short(node.doc, 200)}"
        for kind, incoming, word in _TIES:
            ends = self._ends(kind, incoming=incoming)
            if ends:
                above = kind in _OVERRIDING and not incoming
                names = [
                    self._context.things.symbol(end) + (self._uses(end) if above else "") for end in ends[:_MOST_TIES]
                ]
                more = f" and {len(ends) - _MOST_TIES} more" if len(ends) > _MOST_TIES else ""
                yield f"{word}: {', '.join(names)}{more}"
        yield from self._decisions()
        yield from self._passing()
        others = namesakes(self._context.snapshot, self._request.symbol, self._found.place)
        if others:
            more = f" and {len(others) - 3} more" if len(others) > 3 else ""
            yield f"also called so: {', '.join(others[:3])}{more}"
        outside = used_outside(self._context.snapshot, self._found.place)
        if outside is not None:
            yield f"{_OUTSIDE[outside.how]} of {outside.dotted.removeprefix('?.')}, outside"

    def _decisions(self) -> Iterator[str]:
        if self._context.at:  # they are of what is checked out
            return
        for one in self._context.state.session.annotations.decisions(self._context.snapshot, self._found.place)[:2]:
            yield f"governed by: {short(one.title, 100)} ({one.status}), {one.file}:{one.line}"

    def _passing(self) -> Iterator[str]:
        """Chains of calls that it stands in, and the community of its file, as far as they are known."""
        snapshot, place = self._context.snapshot, self._found.place
        passing = known_processes(snapshot, (place,)) if place.definition >= 0 else None
        yield from passing_lines([process_name(snapshot, one) for one in passing or ()])
        community = known_community(snapshot, place.file)
        if community:
            yield f"community: {community}"

    def _uses(self, base: SymbolRef | DerivedNode | str) -> str:
        """In how many places what a method stands in for is used, any of which may run the method."""
        sites = _sites_of_users(self._context.snapshot, base) if isinstance(base, SymbolRef) else 0
        return f" (used in {counted(sites, 'place')})" if sites else ""

    def _ends(self, kind: str, *, incoming: bool) -> list[SymbolRef | DerivedNode | str]:
        return [
            edge.source if incoming else edge.target
            for group in self._found.groups
            if group.kind == kind and group.incoming == incoming
            for edge in group.edges
        ]

    def _users(self) -> list[Row]:
        """A row for each line of code that uses it; imports are not listed apart from the lines that have them."""
        lines, found = CodeLines(self._context.snapshot), dict[tuple[str, int], CodeLine]()
        for group in self._found.groups:
            if group.incoming and group.kind not in (*_STRUCTURE, "tests", "aliases"):
                for edge in group.edges:
                    owner = edge.source.definition if isinstance(edge.source, SymbolRef) else -1
                    for path, start, _ in edge.sites:
                        line = lines.at(path, start, owner)
                        found.setdefault((line.file, line.line), line)
        return [code_row(found[key], "used by") for key in sorted(found)]

    def _used(self) -> list[str]:
        names: dict[str, None] = {}
        for group in self._found.groups:
            if not group.incoming and group.kind not in (*_STRUCTURE, "aliases"):
                links = (edge for edge in group.edges if not is_structure(edge))
                names.update((self._context.things.symbol(edge.target), None) for edge in links)
        return list(names)

    def _source(self) -> Iterator[Row]:
        if not self._request.source:
            return
        context, node = self._context, self._node
        text = _source(context.snapshot, self._found.place) or ""
        number = context.sent.next_answer()
        before = context.sent.sent_in(number, node.file or "", node.line or 1, text)
        if before and not self._request.resend:
            context.sent.spare(text)
            yield Row(f"source: unchanged since answer {before} of this session (resend: true sends it again)")
        else:
            yield Row(text, ("source",), verbatim=True)


_TIES: Final = (
    ("extends", False, "extends"),
    ("implements", False, "implements"),
    ("overrides", False, "overrides"),
    ("extends", True, "extended by"),
    ("implements", True, "implemented by"),
    ("overrides", True, "overridden by"),
    ("handles", True, "handles"),
    ("tests", True, "tests"),
)

_OUTSIDE: Final = {
    "declares": "overrides a member",
    "looks up": "has a name that is looked up by methods",
    "unread": "may override a member",
}


def _sites_of_users(snapshot: Snapshot, place: SymbolRef) -> int:
    edges = (edge for edge in edges_to(snapshot, place) if edge.kind in _USING)
    return len({site[:2] for edge in edges for site in edge.sites})


def _member_row(node: NodeView) -> Row:
    return Row(
        f"{node.line}  {short(node.signature, 80) if node.signature else f'{node.what} {node.name}'}", ("members",)
    )


def _on_one_line(names: Sequence[str]) -> Iterator[Row]:
    room, shown = _USED, list[str]()
    for name in names:
        room -= len(name.encode()) + 2
        if room < 0:
            break
        shown.append(name)
    if names:
        more = f' and {len(names) - len(shown)} more: kinds ["uses"]' if len(shown) < len(names) else ""
        yield Row(f"uses: {', '.join(shown)}{more}")


def _some(rows: Sequence[Row], kind: Kind, room: int) -> Iterator[Row]:
    """The first rows, and how to get the others."""
    for number, row in enumerate(rows):
        room -= len(row.text.encode()) + sum(len(group.encode()) // 4 for group in row.groups) + 2
        if room < 0 and number:
            yield Row(f'and {len(rows) - number} more: kinds ["{kind}"]', row.groups[:1])
            return
        yield row


TOOL = ToolEntry(
    name="understand",
    title="Understand a symbol",
    description="What one symbol is, who uses it, what it uses, its members, in at most 600 tokens; source: true adds "
    "its text. An ambiguous name is answered with its candidates. Not for the list of all uses (change_plan).",
    queries=(Query(name="understand", request=UnderstandRequest, contents=SymbolReply, run=understand),),
    rank=1,
)
