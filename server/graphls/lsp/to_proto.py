"""To the protocol: values of queries as LSP types.

Owns: one function a type; kinds, links, symbols, hierarchy items.
Must not know: how values were found, requests.
Invariant: every range goes through Positions, every URI through Uris.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, NamedTuple

import attrs
from lsprotocol import types
from pygls.uris import from_fs_path

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.addresses import format_id
from graphls.graph.edge_refs import Key, node_of
from graphls.graph.identity import end_id, node_id
from graphls.graph.node_table import NodeSummaries
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.spelling import module_spelling
from graphls.languages.registry import constructors
from graphls.linking.libraries import LibraryDefinition
from graphls.lsp.positions import ClientPositions, LineTable
from graphls.lsp.uris import Uris
from graphls.queries.call_hierarchy import CallSite
from graphls.queries.definition import DefinitionLocation, Destinations, location
from graphls.queries.document_symbols import OutlineItem

_KINDS = {
    DefinitionKind.FUNCTION: types.SymbolKind.Function,
    DefinitionKind.METHOD: types.SymbolKind.Method,
    DefinitionKind.CLASS: types.SymbolKind.Class,
    DefinitionKind.VARIABLE: types.SymbolKind.Variable,
    DefinitionKind.CONSTANT: types.SymbolKind.Constant,
    DefinitionKind.FIELD: types.SymbolKind.Field,
    DefinitionKind.PROPERTY: types.SymbolKind.Property,
    DefinitionKind.PARAMETER: types.SymbolKind.Variable,
    DefinitionKind.TYPE_PARAMETER: types.SymbolKind.TypeParameter,
    DefinitionKind.TYPE_ALIAS: types.SymbolKind.Class,
    DefinitionKind.ENUM_MEMBER: types.SymbolKind.EnumMember,
    DefinitionKind.IMPORT: types.SymbolKind.Module,
    DefinitionKind.INTERFACE: types.SymbolKind.Interface,
    DefinitionKind.ENUM: types.SymbolKind.Enum,
    DefinitionKind.NAMESPACE: types.SymbolKind.Namespace,
}


def symbol_kind(kind: DefinitionKind, flags: DefinitionFlag = DefinitionFlag.NONE, name: str = "") -> types.SymbolKind:
    """The client's icon for a definition."""
    if kind == DefinitionKind.METHOD and name in constructors():
        return types.SymbolKind.Constructor
    return _KINDS[kind]


class FileHome(NamedTuple):
    """What the nodes of one file have in common."""

    module: str
    """"" in a plain file."""
    prefix: str
    """What symbols of the file begin with."""
    package: str
    language: str
    uri: str
    """"" where the client shows cells of it: each has its own."""
    written: str
    """Members of each node's JSON: module, package, language, file and, where all have one, uri."""


@attrs.frozen
class ToProto:
    """Conversion of the answers of one request."""

    snapshot: Snapshot
    uris: Uris
    positions: ClientPositions
    _ids: dict[Key, str] = attrs.field(factory=dict["Key", str], init=False, repr=False, eq=False)
    _nodes: dict[FilePath, tuple[NodeSummaries, LineTable]] = attrs.field(
        factory=dict[FilePath, "tuple[NodeSummaries, LineTable]"], init=False, repr=False, eq=False
    )
    _homes: dict[FilePath, FileHome] = attrs.field(factory=dict[FilePath, "FileHome"], init=False, repr=False, eq=False)

    def id_of(self, key: Key) -> str:
        """Id of a node; most nodes of an answer are at the end of several edges."""
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = end_id(self.snapshot, node_of(key))
        return known

    def id_in(self, nodes: NodeSummaries, place: SymbolRef) -> str:
        """The same of a place in a file whose nodes are at hand."""
        key = (place.file, place.definition)
        known = self._ids.get(key)
        if known is None:
            digest = nodes.ids.digest(place.definition)
            known = self._ids[key] = format_id("n", digest) if digest else node_id(self.snapshot, place)
        return known

    def uri(self, path: FilePath, offset: int = 0) -> str:
        """The URI of the document that a place of a file is in: of a notebook that the client shows a cell's."""
        cells = self.positions.cells(path)
        cell = cells.document_at(offset) if cells is not None else None
        return self.uris.uri(path) if cell is None else cell.key

    def is_in(self, uri: str, path: FilePath, offset: int) -> bool:
        """Whether a place of a file is in the document that a request names: a cell has a part of its notebook."""
        return self.positions.cells(path) is None or self.uri(path, offset) == uri

    def location(self, path: FilePath, start: int, end: int) -> types.Location:
        """A stretch of a file."""
        return types.Location(self.uri(path, start), self.positions.range(path, start, end))

    def spelled(self, path: FilePath, start: int, end: int) -> Mapping[str, object]:
        """A location as it is on the wire: thousands of them take a fraction of the time of checked objects."""
        return {"uri": self.uri(path, start), "range": self.stretch(path, start, end)}

    def stretch(self, path: FilePath, start: int, end: int) -> Mapping[str, Mapping[str, int]]:
        """A range as it is on the wire."""
        line, character, last, behind = self.positions.numbers(path, start, end)
        return {"start": {"line": line, "character": character}, "end": {"line": last, "character": behind}}

    def nodes(self, path: FilePath) -> tuple[NodeSummaries, LineTable]:
        """What is shown of the nodes of a file, and where its lines are."""
        known = self._nodes.get(path)
        if known is None:
            known = self._nodes[path] = NodeSummaries(self.snapshot, path), self.positions.lines(path)
        return known

    def written(self, lines: LineTable, start: int, end: int) -> str:
        """A range as JSON."""
        line, character, last, behind = lines.stretch(start, end, self.positions.encoding)
        return f'{{"start":{{"line":{line},"character":{character}}},"end":{{"line":{last},"character":{behind}}}}}'

    def home(self, path: FilePath) -> FileHome:
        """What the nodes of a file have in common."""
        known = self._homes.get(path)
        if known is None:
            snapshot = self.snapshot
            language = snapshot.shards[path].language
            module = snapshot.module_name(path).dotted if language else ""
            package = snapshot.package_of(path)
            uri = self.uris.uri(path) if self.positions.cells(path) is None else ""
            written = (
                f'"module":{quoted(module)},"package":{quoted(package)},"language":{quoted(language)},'
                f'"file":{quoted(path)}'
            )
            if uri:
                written += f',"uri":{quoted(uri)}'
            prefix = module_spelling(snapshot, path) if language else path
            known = self._homes[path] = FileHome(module, prefix, package, language, uri, written)
        return known

    def outside(self, found: Destinations) -> Sequence[LibraryDefinition]:
        """Where libraries define a name, as far as graphls reads them."""
        return [place for name in found.externals if (place := self.snapshot.outside(name)) is not None]

    def destinations(
        self, found: Destinations, outside: Sequence[LibraryDefinition], *, links: bool
    ) -> list[types.LocationLink] | list[types.Location]:
        """Where a name leads, with the range of the name itself when the client takes links. What brings a name into
        the file is no place to go where `outside` says where it is."""
        own = () if outside and all(place.file == found.origin.file for place in found.places) else found.places
        if not links:
            inside = [self.location(place.file, place.start, place.end) for place in own]
            return inside + [self._outside(place) for place in outside]
        origin = self.positions.range(found.origin.file, found.origin.start, found.origin.end)
        beyond = [self._outside(place) for place in outside]
        return [self._link(origin, place) for place in own] + [
            types.LocationLink(there.uri, there.range, there.range, origin) for there in beyond
        ]

    def _outside(self, place: LibraryDefinition) -> types.Location:
        """A place in the file of a library."""
        return types.Location(
            from_fs_path(place.path) or "", self.positions.stretch(place.text, place.start, place.end)
        )

    def _link(self, origin: types.Range, place: DefinitionLocation) -> types.LocationLink:
        whole = (min(place.full_start, place.start), max(place.full_end, place.end))
        return types.LocationLink(
            target_uri=self.uri(place.file, place.start),
            target_range=self.positions.range(place.file, *whole),
            target_selection_range=self.positions.range(place.file, place.start, place.end),
            origin_selection_range=origin,
        )

    def document_symbol(self, path: FilePath, entry: OutlineItem) -> types.DocumentSymbol:
        """One entry of an outline, with all below it."""
        return types.DocumentSymbol(
            name=entry.name,
            kind=symbol_kind(entry.kind, entry.flags, entry.name),
            range=self.positions.range(path, entry.full_start, entry.full_end),
            selection_range=self.positions.range(path, entry.start, entry.end),
            detail=entry.detail or None,
            children=[self.document_symbol(path, child) for child in entry.children],
        )

    def flat_symbols(
        self, path: FilePath, entries: Iterable[OutlineItem], container: str = ""
    ) -> list[types.SymbolInformation]:
        """An outline for clients without hierarchical symbols."""
        flat: list[types.SymbolInformation] = []
        for entry in entries:
            where = self.location(path, entry.full_start, entry.full_end)
            kind = symbol_kind(entry.kind, entry.flags, entry.name)
            flat.append(types.SymbolInformation(where, entry.name, kind, container_name=container or None))
            flat.extend(self.flat_symbols(path, entry.children, entry.name))
        return flat

    def call_item(self, place: SymbolRef, uri: str = "") -> types.CallHierarchyItem:
        """A callable, class or module in a call hierarchy. `uri`: the cell whose code a module's is."""
        item = types.CallHierarchyItem(**self._item(place))
        if uri and item.uri != uri and place.definition == NONE:
            item.uri = uri
            item.range = item.selection_range = types.Range(types.Position(0, 0), types.Position(0, 0))
        return item

    def ranges(self, sites: Iterable[CallSite]) -> dict[str, list[types.Range]]:
        """Ranges by document: several where code stands in several cells of a notebook."""
        found: dict[str, list[types.Range]] = {}
        for site in sites:
            where = self.positions.range(site.file, site.start, site.end)
            found.setdefault(self.uri(site.file, site.start), []).append(where)
        return found

    def type_item(self, place: SymbolRef) -> types.TypeHierarchyItem:
        """A class in a type hierarchy."""
        return types.TypeHierarchyItem(**self._item(place))

    def _item(self, place: SymbolRef) -> dict[str, Any]:
        where = location(self.snapshot, place)
        name, kind = place.file.rpartition("/")[2], types.SymbolKind.Module
        if place.definition != NONE:
            facts = self.snapshot.facts(place.file)
            name = facts.strings[facts.definitions.name[place.definition]]
            kind = symbol_kind(DefinitionKind(facts.definitions.kind[place.definition]), name=name)
        return {
            "name": name,
            "kind": kind,
            "uri": self.uri(place.file, where.start),
            "range": self.positions.range(place.file, where.full_start, where.full_end),
            "selection_range": self.positions.range(place.file, where.start, where.end),
            "detail": self.snapshot.module_name(place.file).dotted,
            "data": {"node": node_id(self.snapshot, place)},
        }
