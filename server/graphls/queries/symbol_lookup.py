"""Symbol lookup: the way back from what people write to the places it may mean.

Owns: the search for a spelled symbol: ids, `module:name`, paths, dotted and bare names, inherited members.
Must not know: records, edges, positions of an editor, the resolution order of any language.
Invariant: an ambiguous name is answered with its candidates, never with a silent choice.
"""

from __future__ import annotations

from base64 import b32decode
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.diagnoses import diagnosis_edges
from graphls.graph.errors import AmbiguousSymbol, UnknownSymbol
from graphls.graph.evidence import RawEdge
from graphls.graph.identity import derived_id, node_id, symbol_name
from graphls.graph.node_ids import node_with_id
from graphls.graph.node_table import declaring_files
from graphls.graph.nodes import container, is_node, node_rows, qualified_name, rows_named
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.spelling import rows_by_spelling, sources_first, without_number
from graphls.languages.registry import is_stub
from graphls.queries.document_uses import declared_entries, entries_named, entry_above
from graphls.queries.find import FindQuery, find
from graphls.queries.findable import names_in
from graphls.queries.redeclarations import definitions_of, redeclarations
from graphls.queries.rows import name_of, written_name
from graphls.queries.symbol import canonical
from graphls.queries.symbol_notation import read_notation
from graphls.queries.symbol_preference import by_preference, is_main, overload_names, overloads, with_parameters
from graphls.queries.type_hierarchy import all_supertypes, is_class, member

MOST_CLOSE = 5
_MOST_SPLITS = 8
"""Places where a dotted name is cut into a package and a name in it."""
_SHORTEST = 3
"""Letters that a name has from which others are offered."""
_LONGER = 2
"""Letters that a name which is spelled alike has more or less."""
_ALIKE = 0.8


def find_symbol(snapshot: Snapshot, text: str) -> tuple[SymbolRef, ...]:
    """All places that an id, `module:name`, `path:name`, dotted or bare name may mean; `Class.name` also means what the
    class inherits under that name. What is called nothing like the text is read as other notations write names
    (`read_notation`), and with the folder, the file or the package before it that holds it. The id of what a rule of a
    framework derives (a route, a tool) stands for what handles it. None: nothing is called that."""
    text = text.strip()
    if text.startswith("n:"):
        # A candidate may be printed as an id with the name behind it.
        text = text.partition(" ")[0]
        found = tuple(_by_id(snapshot, text)) or tuple(_handlers_of(snapshot, text))
    else:
        found = _spelled(snapshot, text)
        name = read_notation(text).name
        if not found and name != text:
            found = _spelled(snapshot, name)
        # What others call a package may be the folder of some test.
        if not found or (":" not in text and not any(is_main(snapshot, place) for place in found)):
            found = (*found, *_below_package(snapshot, name))
        found = found or tuple(_as_written(snapshot, name))
    return tuple(dict.fromkeys(canonical(snapshot, place) for place in found))


def _spelled(snapshot: Snapshot, text: str) -> tuple[SymbolRef, ...]:
    """What has the name; what a class inherits under it too where the program itself has nothing."""
    found = tuple(_by_spelling(snapshot, text))
    enough = bool(found) if ":" in text else any(is_main(snapshot, place) for place in found)
    return found if enough else (*found, *_of_classes(snapshot, text))


def _below_package(snapshot: Snapshot, text: str) -> tuple[SymbolRef, ...]:
    """`com.acme.Cart.total`, `server/lease.NewLessor`, `db.c:lookup`, `typeorm.DataSource`: with a part of the path or
    the name of the package before it."""
    for before, name in _splits(text):
        if not before or not name:
            continue
        near = tuple(place for place in _spelled(snapshot, name) if _stands_in(snapshot, place.file, before))
        if near:
            return near
    return ()


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """What may name a package and what is in it, the longest package first."""
    before, colon, name = text.rpartition(":")
    if colon:
        yield before, name
        return
    start = text.rfind("/") + 1
    cuts = [at for at in range(start, len(text)) if text[at] == "."]
    for at in reversed(cuts[-_MOST_SPLITS:]):
        yield text[:at], text[at + 1 :]


def _stands_in(snapshot: Snapshot, path: FilePath, before: str) -> bool:
    """Whether a file is of what somebody calls so: of a folder or a file whose path ends so, of a package with this
    name, or of a folder of a package."""
    stem, folder = path.rpartition(".")[0], path.rpartition("/")[0]
    tail = before if "/" in before else before.replace(".", "/")
    if any(f"/{one}".endswith(f"/{end}") for one in (path, stem, folder) for end in (before, tail)):
        return True
    package = snapshot.package_of(path)
    if before in (package, package.rpartition("/")[2], _clause(snapshot, path)):
        return True
    root = snapshot.package_folder(path)
    inside = before.removeprefix(f"{package}/")
    return inside != before and f"{root}/{inside}".strip("/") in (stem, folder)


def _clause(snapshot: Snapshot, path: FilePath) -> str:
    """The package that a file says it belongs to; "" in a language where files say nothing."""
    known = snapshot.capabilities(path)
    if known is None or not known.package_clauses:
        return ""
    facts = snapshot.facts(path)
    return next(
        (facts.strings[facts.occurrences.name[row]] for row in rows_with(facts.occurrences.role, Role.EXPORT)), ""
    )


def _as_written(snapshot: Snapshot, text: str) -> Iterator[SymbolRef]:
    """`User.find` and `path:User.find`, where the code declares it by `User.find = function () {}`."""
    path, _, dotted = text.rpartition(":")
    for match in find(snapshot, FindQuery(dotted, "exact")).matches if "." in dotted else ():
        written = written_name(snapshot.facts(match.place.file), match.place.definition)
        if path in ("", match.place.file) and written == dotted:
            yield match.place


def one_symbol(snapshot: Snapshot, text: str) -> SymbolRef:
    """The one place that is meant (see `by_preference`); of a function of several signatures all are. Raises
    UnknownSymbol or AmbiguousSymbol."""
    text = text.strip()
    found = find_symbol(snapshot, text)
    if not found:
        raise UnknownSymbol(text, _close(snapshot, text))
    notation = read_notation(text)
    groups = by_preference(snapshot, notation.name.rpartition(":")[2], _without_declarations(snapshot, found))
    meant = groups[0]
    if len(meant) > 1:
        raise AmbiguousSymbol(text, _candidates(snapshot, [place for group in groups for place in group]))
    exact = ":" in text or bool(without_number(notation.name)[1])
    if text.startswith("n:") or (exact and notation.parameters is None):
        return meant[0]
    same = with_parameters(snapshot, overloads(snapshot, meant[0]), notation)
    if len(same) > 1:
        raise AmbiguousSymbol(text, list(overload_names(snapshot, same)))
    return same[0]


def _candidates(snapshot: Snapshot, places: Sequence[SymbolRef]) -> list[str]:
    names = [symbol_name(snapshot, place) for place in places]
    # Equal names are told apart by their ids.
    return [
        name if names.count(name) == 1 else f"{node_id(snapshot, place)} ({name})"
        for name, place in zip(names, places, strict=True)
    ]


def namesakes(snapshot: Snapshot, text: str, place: SymbolRef) -> tuple[str, ...]:
    """What else a text may mean that `one_symbol` reads as this place, as it is asked for; without what is in it, as a
    constructor that is called like its class."""
    places, same = find_symbol(snapshot, text), redeclarations(snapshot, place)

    def is_inside(other: SymbolRef) -> bool:
        return other.file == place.file and container(snapshot.facts(other.file), other.definition) == place.definition

    others = [other for other in places if other not in same and not is_inside(other)]
    return tuple(_candidates(snapshot, others)) if place in places else ()


def one_node(snapshot: Snapshot, text: str) -> SymbolRef | DerivedNode:
    """The same, or an entry of a document: by its id, `path:name`, or by its name where no code is called that and the
    document declares things (tables, types of a schema). Raises UnknownSymbol or AmbiguousSymbol."""
    text = text.strip()
    path, _, name = text.partition(":")
    if text.startswith("n:"):
        identifier = text.partition(" ")[0]
        # Most ids are of code: only where none has it is every document read.
        found = [] if any(_by_id(snapshot, identifier)) else list(_entry_by_id(snapshot, identifier))
    else:
        # What code itself declares comes before what a document inside of it does.
        shard = snapshot.shards.get(FilePath(path))
        document = bool(name) and shard is not None and not shard.language
        found = entries_named(snapshot, FilePath(path), name) if document else []
    if not found:
        try:
            return one_symbol(snapshot, text)
        except UnknownSymbol:
            found = entries_named(snapshot, FilePath(path), name) if name else list(declared_entries(snapshot, text))
            above = entry_above(snapshot, FilePath(path), name) if name and not found else None
            if above is not None:
                raise UnknownSymbol(text, [f"{above.file}:{above.name}"]) from None
            if not found:
                raise
    if len(found) != 1:
        raise AmbiguousSymbol(text, [f"{node.file}:{node.name}" for node in found])
    return found[0]


def _without_declarations(snapshot: Snapshot, found: Sequence[SymbolRef]) -> tuple[SymbolRef, ...]:
    """Without declarations of which a definition was found too: what that has is theirs."""
    others = {one for place in found for one in redeclarations(snapshot, place) if one != place}
    return tuple(place for place in found if place not in others or not definitions_of(snapshot, place))


def _entry_by_id(snapshot: Snapshot, text: str) -> Iterator[DerivedNode]:
    derivation = snapshot.derivation
    for path in snapshot.shards if derivation is not None else ():
        if derivation is not None and not snapshot.shards[path].language:
            yield from (node for node in derivation.nodes(snapshot, path) if derived_id(snapshot, node) == text)
    yield from (edge.source for edge in _diagnosis(snapshot, text) if isinstance(edge.source, DerivedNode))


def _diagnosis(snapshot: Snapshot, text: str) -> Iterator[RawEdge]:
    edges = (edge for path in snapshot.shards for edge in diagnosis_edges(snapshot, path))
    yield from (edge for edge in edges if isinstance(edge.source, DerivedNode) and edge.source.anchor == text)


def _handlers_of(snapshot: Snapshot, text: str) -> Iterator[SymbolRef]:
    """What handles the derived node of an id, or what a diagnostic is about; where nothing does, the module that
    declares it."""
    derivation = snapshot.derivation
    for derived in derivation.all_nodes(snapshot) if derivation is not None else ():
        if derivation is not None and derived_id(snapshot, derived) == text:
            edges = derivation.edges_from(snapshot, derived.file)
            handled = (edge for edge in edges if edge.source == derived and not derived.in_document)
            targets = [edge.target for edge in handled if isinstance(edge.target, SymbolRef)]
            yield from targets or [SymbolRef(derived.file, -1)]
    yield from (edge.target for edge in _diagnosis(snapshot, text) if isinstance(edge.target, SymbolRef))


def _by_id(snapshot: Snapshot, text: str) -> Iterator[SymbolRef]:
    letters = text[2:].upper()
    if len(letters) != 26:
        return
    try:
        digest = b32decode(letters + "======")
    except ValueError:
        return
    found = node_with_id(snapshot, digest)
    if found is not None:
        yield found


def _files_of_module(snapshot: Snapshot, module: str) -> tuple[FilePath, ...]:
    path = FilePath(module)
    if path in snapshot.shards and snapshot.shards[path].language:
        return (path,)
    return tuple(file for table in snapshot.modules.values() for file in table.files.get(module, ()))


def _in_modules(snapshot: Snapshot, module: str, name: str) -> Iterator[SymbolRef]:
    files = sources_first(_files_of_module(snapshot, module))
    found: set[str] = set()
    for path in files:
        rows = rows_by_spelling(snapshot.facts(path), name) if name else (-1,)
        # What a stub says of a module the module says itself.
        if rows and not (is_stub(path) and path.rpartition(".")[0] in found):
            found.add(path.rpartition(".")[0])
            yield from (SymbolRef(path, row) for row in rows)


def _by_dotted(snapshot: Snapshot, text: str) -> Iterator[SymbolRef]:
    """Every split of `a.b.c` into a module and a name inside it, the longest module first; what is called like a
    module is that module, whatever a package around it binds under the name."""
    parts = text.split(".")
    whole = tuple(_in_modules(snapshot, text, ""))
    yield from whole
    for cut in range(len(parts) - 1, 0, -1) if not whole else ():
        yield from _in_modules(snapshot, ".".join(parts[:cut]), ".".join(parts[cut:]))


def _by_spelling(snapshot: Snapshot, text: str) -> tuple[SymbolRef, ...]:
    if ":" in text:
        module, _, name = text.partition(":")
        return tuple(_in_modules(snapshot, module, name))
    return tuple(_by_dotted(snapshot, text)) or tuple(_by_name(snapshot, text))


def _of_classes(snapshot: Snapshot, text: str) -> Iterator[SymbolRef]:
    """Members under the last part of a name, of the classes that the rest may mean: what an import binding brings in
    has members too, and so has a class that inherits them."""
    owner, _, name = text.rpartition(".")
    if not owner or owner.endswith(":"):
        return
    classes = (canonical(snapshot, place) for place in _by_spelling(snapshot, owner))
    for found in dict.fromkeys(classes):
        if is_class(snapshot, found):
            own = member(snapshot, found, name)
            yield from _inherited_members(snapshot, found, name) if own is None else [own]


def _inherited_members(snapshot: Snapshot, owner: SymbolRef, name: str) -> Iterator[SymbolRef]:
    """What bases bind under a name, without what another of them overrides. Which of several is taken is known to the
    language: here all of them are candidates."""
    holding = {
        base: found for base in all_supertypes(snapshot, owner) if (found := member(snapshot, base, name)) is not None
    }
    hidden = {above for base in holding for above in all_supertypes(snapshot, base)}
    yield from (found for base, found in holding.items() if base not in hidden)


def _by_name(snapshot: Snapshot, text: str) -> Iterator[SymbolRef]:
    text, number = without_number(text)
    last = text.rpartition(".")[2]
    # Most files that mention a name only use it.
    for path in declaring_files(snapshot, snapshot.files_with_name(last), last):
        facts = snapshot.facts(path)
        for name in _qualified_with(facts, last, text):
            for row in rows_by_spelling(facts, name + number):
                if facts.definitions.kind[row] != DefinitionKind.IMPORT:
                    yield SymbolRef(path, row)


def _qualified_with(facts: FileFacts, last: str, text: str) -> Iterator[str]:
    """Qualified names of nodes that end in a text."""
    try:
        index = facts.strings.index(last)
    except ValueError:
        return
    rows = (row for row in rows_named(facts, index) if is_node(facts, row))
    names = dict.fromkeys(qualified_name(facts, row) for row in rows)
    yield from (name for name in names if f".{name}".endswith(f".{text}"))


def _close(snapshot: Snapshot, text: str) -> list[str]:
    """What has the last part of the name; else what its owner has that is spelled alike, or what begins with a bare
    name or is spelled like it; else modules spelled alike."""
    owner, _, last = text.replace(":", ".").rpartition(".")
    alike = [symbol_name(snapshot, place) for place in _by_name(snapshot, last)]
    if not alike and owner:
        known = _members(snapshot, text[: len(owner)])
        alike = [known[name] for name in get_close_matches(last, known, n=MOST_CLOSE)]
    elif not alike and len(last) >= _SHORTEST and last == text:
        alike = _bare(snapshot, last)
    if alike:
        return sorted(alike)[:MOST_CLOSE]
    modules = [name for table in snapshot.modules.values() for name in table.files]
    return get_close_matches(text.partition(":")[0], modules, n=MOST_CLOSE)


def _bare(snapshot: Snapshot, text: str) -> list[str]:
    """What begins with a name; else what is spelled alike, of the names with its first letter and about its length."""
    begun = find(snapshot, FindQuery(text, mode="prefix", limit=MOST_CLOSE)).matches
    if begun:
        return [symbol_name(snapshot, match.place) for match in begun]
    near: set[str] = set()
    for path in snapshot.files():
        names = names_in(snapshot, path).text.split("\n")
        near.update(name for name in names if name[:1] == text[0] and abs(len(name) - len(text)) <= _LONGER)
    close = get_close_matches(text, sorted(near), n=MOST_CLOSE, cutoff=_ALIKE)
    return [symbol_name(snapshot, place) for name in close for place in _by_name(snapshot, name)][:MOST_CLOSE]


def _members(snapshot: Snapshot, owner: str) -> Mapping[str, str]:
    """Names that a class with its bases, or a module, binds -> how people write them."""
    found: dict[str, str] = {}
    for place in dict.fromkeys(canonical(snapshot, place) for place in _by_spelling(snapshot, owner)):
        for holder in (place, *(all_supertypes(snapshot, place) if is_class(snapshot, place) else ())):
            facts = snapshot.facts(holder.file)
            for row in node_rows(facts):
                if facts.definitions.owner[row] == holder.definition:
                    member = SymbolRef(holder.file, row)
                    found.setdefault(name_of(facts, row), symbol_name(snapshot, member))
    return found
