"""Identity: ids and names of nodes, and the way back from what people write.

Owns: node, edge and external ids, symbol spelling, the search for a spelled symbol.
Must not know: records, edges, positions of an editor.
Invariant: an ambiguous name is answered with its candidates, never with a silent choice.
"""

from __future__ import annotations

from base64 import b32decode
from collections.abc import Iterator
from difflib import get_close_matches

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.addresses import (
    EdgeId,
    NodeId,
    addresses,
    declared_package,
    digest_of,
    home_of,
    known_addresses,
    local_digest,
    spelled,
)
from graphls.graph.derivation import Derived
from graphls.graph.errors import AmbiguousSymbol, UnknownSymbol
from graphls.graph.nodes import is_node, node_row, qualified_name, rows_named
from graphls.graph.snapshot import Place, Snapshot


def node_id(snapshot: Snapshot, place: Place) -> NodeId:
    """Id of a node; of a variable of a function too. For a plain file it is the file's own."""
    if not snapshot.shards[place.file].language:
        return file_id(snapshot, place.file)
    digest = addresses(snapshot, place.file).digest(place.definition)
    return NodeId(spelled("n", digest or local_digest(snapshot, place.file, place.definition)))


def end_id(snapshot: Snapshot, end: Place | Derived | str) -> NodeId:
    """Id of what stands at the end of an edge."""
    if isinstance(end, str):
        return external_id(end)
    return derived_id(snapshot, end) if isinstance(end, Derived) else node_id(snapshot, end)


def derived_id(snapshot: Snapshot, derived: Derived) -> NodeId:
    """Id of what no binding site stands for: its home, kind and name, and which of several equals it is."""
    home = home_of(snapshot, derived.file)
    kind = f"{derived.kind}.{derived.subkind}"
    return NodeId(spelled("n", digest_of(home, derived.name, kind, str(derived.ordinal))))


def file_id(snapshot: Snapshot, path: FilePath) -> NodeId:
    """Id of a file, by its path."""
    return NodeId(spelled("n", digest_of(declared_package(snapshot, path), path, "file")))


def range_of(snapshot: Snapshot, path: FilePath, start: int, end: int) -> tuple[int, int, int, int]:
    """Lines and byte columns of two offsets, in a plain file too."""
    if snapshot.shards[path].language:
        facts = snapshot.facts(path)
        return (*facts.line_column(start), *facts.line_column(end))
    text = snapshot.text(path) or b""
    line, last = text.count(b"\n", 0, start), text.count(b"\n", 0, end)
    return line, start - text.rfind(b"\n", 0, start) - 1, last, end - text.rfind(b"\n", 0, end) - 1


def external_id(dotted: str) -> NodeId:
    """Id of something outside the workspace."""
    return NodeId(spelled("n", digest_of("", dotted, "external")))


def edge_id(source: str, target: str, kind: str, provenance: str) -> EdgeId:
    """Id of an edge between two node ids."""
    return EdgeId(spelled("e", digest_of(source, target, kind, provenance)))


def end_name(snapshot: Snapshot, end: Place | Derived | str) -> str:
    """How people write what stands at the end of an edge."""
    if isinstance(end, str):
        return end
    return f"{end.kind} {end.name}" if isinstance(end, Derived) else symbol_name(snapshot, end)


def symbol_name(snapshot: Snapshot, place: Place) -> str:
    """`module.path:Class.method`; the module name alone for a module, the path for a plain file."""
    if not snapshot.shards[place.file].language:
        return place.file
    module = snapshot.module_name(place.file).dotted or place.file
    if place.definition < 0:
        return module
    return f"{module}:{qualified_name(snapshot.facts(place.file), place.definition)}"


def find_symbol(snapshot: Snapshot, text: str) -> tuple[Place, ...]:
    """All places that an id, `module:name`, `path:name`, dotted or bare name may mean. The id of what a framework's
    rule derives (a route, a tool) stands for what handles it. Raises UnknownSymbol."""
    text = text.strip()
    if text.startswith("n:"):
        found = tuple(_by_id(snapshot, text)) or tuple(_handling(snapshot, text))
    elif ":" in text:
        module, _, name = text.partition(":")
        found = tuple(_in_modules(snapshot, module, name))
    else:
        found = tuple(_by_dotted(snapshot, text)) or tuple(_by_name(snapshot, text))
    if not found:
        raise UnknownSymbol(text, _close(snapshot, text))
    return tuple(dict.fromkeys(_final(snapshot, place) for place in found))


def one_symbol(snapshot: Snapshot, text: str) -> Place:
    """The one place that is meant. Raises UnknownSymbol or AmbiguousSymbol."""
    found = find_symbol(snapshot, text)
    if len(found) != 1:
        names = [symbol_name(snapshot, place) for place in found]
        # Equal names are told apart by their ids.
        raise AmbiguousSymbol(
            text,
            [
                name if names.count(name) == 1 else f"{node_id(snapshot, place)} ({name})"
                for name, place in zip(names, found, strict=True)
            ],
        )
    return found[0]


def _handling(snapshot: Snapshot, text: str) -> Iterator[Place]:
    """What handles the derived node of an id; where nothing does, the module that declares it."""
    derivation = snapshot.derivation
    for derived in derivation.all_nodes(snapshot) if derivation is not None else ():
        if derivation is not None and derived_id(snapshot, derived) == text:
            edges = derivation.edges_from(snapshot, derived.file)
            targets = [edge.target for edge in edges if edge.source == derived and isinstance(edge.target, Place)]
            yield from targets or [Place(derived.file, -1)]


def _by_id(snapshot: Snapshot, text: str) -> Iterator[Place]:
    letters = text[2:].upper()
    if len(letters) != 26:
        return
    try:
        digest = b32decode(letters + "======")
    except ValueError:
        return
    for path, known in known_addresses(snapshot):
        row = known.row_of(digest)
        if row is not None:
            yield Place(path, row)
            return
    for path in snapshot.files():
        row = addresses(snapshot, path).row_of(digest)
        if row is not None:
            yield Place(path, row)
            return


def _files_of_module(snapshot: Snapshot, module: str) -> tuple[FilePath, ...]:
    path = FilePath(module)
    if path in snapshot.shards and snapshot.shards[path].language:
        return (path,)
    return tuple(file for table in snapshot.modules.values() for file in table.files.get(module, ()))


def _in_modules(snapshot: Snapshot, module: str, name: str) -> Iterator[Place]:
    for path in _files_of_module(snapshot, module):
        if not name:
            yield Place(path, -1)
        else:
            yield from (Place(path, row) for row in _rows_called(snapshot.facts(path), name))


def _rows_called(facts: FileFacts, name: str) -> Iterator[int]:
    try:
        index = facts.strings.index(name.rpartition(".")[2])
    except ValueError:
        return
    for row in rows_named(facts, index):
        if is_node(facts, row) and qualified_name(facts, row) == name:
            yield row


def _by_dotted(snapshot: Snapshot, text: str) -> Iterator[Place]:
    """Every split of `a.b.c` into a module and a name inside it, the longest module first."""
    parts = text.split(".")
    for cut in range(len(parts), 0, -1):
        yield from _in_modules(snapshot, ".".join(parts[:cut]), ".".join(parts[cut:]))


def _by_name(snapshot: Snapshot, text: str) -> Iterator[Place]:
    last = text.rpartition(".")[2]
    for path in snapshot.files_with_name(last):
        facts = snapshot.facts(path)
        try:
            index = facts.strings.index(last)
        except ValueError:
            continue
        for row in rows_named(facts, index):
            if facts.definitions.kind[row] == DefinitionKind.IMPORT or not is_node(facts, row):
                continue
            if f".{qualified_name(facts, row)}".endswith(f".{text}"):
                yield Place(path, row)


def _final(snapshot: Snapshot, place: Place) -> Place:
    """What an import binding names in the end; any other place stays."""
    facts = snapshot.facts(place.file)
    row = place.definition
    if row < 0 or facts.definitions.kind[row] != DefinitionKind.IMPORT:
        return Place(place.file, node_row(facts, row))
    for occurrence in imported_at(facts, row):
        for target in snapshot.targets(place.file, occurrence):
            if target.place is not None:
                return Place(target.place.file, node_row(snapshot.facts(target.place.file), target.place.definition))
    return place


def imported_at(facts: FileFacts, row: int) -> Iterator[int]:
    """Occurrences that spell what an import binding names: the last one inside its statement part."""
    rows = facts.imports.definition
    if row not in rows:
        return
    entry = rows.index(row)
    start, end = facts.imports.start[entry], facts.imports.end[entry]
    table = facts.occurrences
    name = facts.imports.name[entry]
    found = [
        occurrence
        for occurrence, (at, role) in enumerate(zip(table.start, table.role, strict=True))
        if role == Role.IMPORT and start <= at < end and (name < 0 or table.name[occurrence] == name)
    ]
    yield from reversed(found)


def _close(snapshot: Snapshot, text: str) -> list[str]:
    """Module names close to what was asked; spelling of names is the business of search."""
    module = text.partition(":")[0]
    known = [name for table in snapshot.modules.values() for name in table.files]
    return get_close_matches(module, known, n=5)
