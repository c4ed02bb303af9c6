"""Documented names: where the documentation of a function spells its parameters, links of comments name a symbol, and
classes list their members as strings.

Owns: the forms (`@param {T} name`, `:param T name:`, `{@link name}`, `__slots__`) and where they are looked for.
Must not know: what is done with the places.
Invariant: a place lies in the comment directly before a declaration, in the string that opens its body, in a link of a
    comment, or in an assignment that the language reads under its name; it spells the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import constructors
from graphls.queries.rows import TYPES, class_around, name_of, rows_with

_LONGEST: Final = 20_000
"""Bytes of a comment or a string that are looked through."""
_OPENS, _CLOSES, _QUOTED = b"/*", b"*/", 3
_PARAMETER: Final = (
    rb"(?:[@\\]param\s+(?:\{[^{}\n]*\}\s*)?\[?|:(?:param|parameter|arg|type)\s+(?:[\w.\[\], |]+\s+)?)(%s)\b"
)
_LINK: Final = re.compile(
    rb"(?:\{@link(?:code|plain)?\s+|@(?:see|throws|exception|uses|covers)\s+|\bcref=\"(?:[A-Z]:)?)([\w.#\\]+)"
)
_BRACKETED: Final = re.compile(rb"\[`?((?:\w|::|\.)+)(?:\(\))?`?\]")
_COMMENT: Final = re.compile(rb"/\*\*.*?\*/|^[ \t]*//[^\n]*", re.MULTILINE | re.DOTALL)
_PART: Final = re.compile(rb"(\w+)(\W*)")


def documented_parameter(snapshot: Snapshot, place: SymbolRef) -> Iterator[int]:
    """Where the documentation of its function, or of the class that it constructs, names a parameter."""
    facts = snapshot.facts(place.file)
    table, data = facts.definitions, snapshot.text(place.file) or b""
    owner = table.owner[place.definition]
    if table.kind[place.definition] != DefinitionKind.PARAMETER or owner == NONE:
        return
    owners = [owner]
    if name_of(facts, owner) in constructors() and class_around(facts, owner) != NONE:
        owners.append(class_around(facts, owner))
    pattern = re.compile(_PARAMETER % re.escape(name_of(facts, place.definition).encode()))
    for one in owners:
        for start, end in (_comment_before(data, table.full_start[one]), _string_inside(facts, data, one)):
            yield from (match.start(1) for match in pattern.finditer(data, start, end))


def linked_in_comments(snapshot: Snapshot, path: FilePath, place: SymbolRef) -> Iterator[int]:
    """Where comments of a file link to a symbol, by its name alone, behind that of its class, or as what another name
    begins with: `{@link Store#put}` for both."""
    facts, known = snapshot.facts(place.file), snapshot.capabilities(path)
    name, owner = name_of(facts, place.definition).encode(), class_around(facts, place.definition)
    data = snapshot.text(path) or b""
    holder = name_of(facts, owner).encode() if owner != NONE else b""
    own = range(0)
    if owner != NONE and path == place.file:
        own = range(facts.definitions.full_start[owner], facts.definitions.full_end[owner])
    is_type = facts.definitions.kind[place.definition] in TYPES
    for start, end in _links(data, bracketed=known is not None and known.bracket_links):
        before = b""
        for part in _PART.finditer(data, start, end):
            last = not part[2].strip(b".")
            if part[1] != name:
                pass
            elif holder and not is_type:
                if last and (before == holder or (not before and part.start() in own)):
                    yield part.start()
            elif (last or is_type) and (not before or not is_type or before in (name, holder) or before[:1].islower()):
                yield part.start()
            before = part[1]


def _links(data: bytes, *, bracketed: bool) -> Iterator[tuple[int, int]]:
    """The targets of links."""
    yield from (match.span(1) for match in _LINK.finditer(data))
    for comment in _COMMENT.finditer(data) if bracketed else ():
        yield from (match.span(1) for match in _BRACKETED.finditer(data, *comment.span()))


def listed_in_class(snapshot: Snapshot, place: SymbolRef) -> Iterator[int]:
    """Where the class of a member names it as a string, in what the language reads: `__slots__`, `__match_args__`."""
    facts, known = snapshot.facts(place.file), snapshot.capabilities(place.file)
    owner = class_around(facts, place.definition)
    if owner == NONE or known is None or known.is_implied_name is None:
        return
    table, data = facts.definitions, snapshot.text(place.file) or b""
    pattern = re.compile(rb"[\"'](%s)[\"']" % re.escape(name_of(facts, place.definition).encode()))
    for row in rows_with(table.scope, table.body[owner]):
        if table.body[row] == NONE and known.is_implied_name(name_of(facts, row)):
            yield from (match.start(1) for match in pattern.finditer(data, table.end[row], table.full_end[row]))


def _comment_before(data: bytes, start: int) -> tuple[int, int]:
    """The block comment that ends where a declaration begins."""
    end = len(data[max(0, start - _LONGEST) : start].rstrip()) + max(0, start - _LONGEST)
    if not data.endswith(_CLOSES, 0, end):
        return 0, 0
    opens = data.rfind(_OPENS, max(0, end - _LONGEST), end)
    return (opens, end) if opens >= 0 else (0, 0)


def _string_inside(facts: FileFacts, data: bytes, row: int) -> tuple[int, int]:
    """The string that documents a declaration from inside, where quotes of three stand around it."""
    table = facts.definitions
    first = facts.strings[table.doc[row]].partition("\n")[0].encode() if table.doc[row] != NONE else b""
    start = data.find(first, table.end[row], table.full_end[row]) if first else -1
    quotes = data[:start].rstrip()[-_QUOTED:] if start >= 0 else b""
    if len(set(quotes)) != 1 or quotes.isalnum():
        return 0, 0
    end = data.find(quotes, start, min(start + _LONGEST, table.full_end[row]))
    return start, end if end >= 0 else start
