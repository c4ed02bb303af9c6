"""Documents: what configuration and prose name in the workspace.

Owns: from a reference by text to the one file, entry or definition that it means.
Must not know: formats and schemas, output.
Invariant: a reference that may mean two things means none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from posixpath import normpath
from typing import Final, TypeAlias

from graphls.analysis.frameworks.built_images import BUILDING_FORMATS, BuiltImages, built_images
from graphls.analysis.frameworks.dbt_models import declared_in_project, model_named
from graphls.analysis.frameworks.dependency_recorder import rest_on_format
from graphls.analysis.frameworks.document_entries import MANIFEST, SQL, document_of, entry_nodes
from graphls.analysis.frameworks.graphql_schema import GraphqlSchema, graphql_schema
from graphls.analysis.frameworks.nesting import Nesting
from graphls.analysis.frameworks.sql_tables import SqlTables, sql_tables
from graphls.analysis.frameworks.strings import resolve_dotted, resolve_inside
from graphls.facts.cached_property import cached_property
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.evidence import RawEdge
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.build_files import INCLUDED
from graphls.languages.config.databases import COLUMN, TABLE
from graphls.languages.config.dbt import MACRO, SOURCE
from graphls.languages.config.document import ConfigReference, ReferenceKind
from graphls.languages.config.markup import own_anchor, slug
from graphls.languages.config.reading import format_of
from graphls.languages.json_text import read_json

_PROSE: Final = frozenset(("markdown", "rst", "text"))
_Place: TypeAlias = "SymbolRef | DerivedNode"


def document_edges(snapshot: Snapshot, whole: Snapshot, path: FilePath) -> Iterator[RawEdge]:
    """Edges to what a document names. `snapshot` notes what is looked at, `whole` does not."""
    return _Resolving(snapshot, whole, path, entry_nodes(snapshot, path)).edges()


class _Resolving:
    """References of one document."""

    def __init__(self, snapshot: Snapshot, whole: Snapshot, path: FilePath, nodes: Sequence[DerivedNode]) -> None:
        self._snapshot, self._whole, self._path = snapshot, whole, path
        self._nodes = nodes
        self._folder = path.rpartition("/")[0]
        self._prose = format_of(path) in _PROSE

    def edges(self) -> Iterator[RawEdge]:
        """Edges to what the document names."""
        for one in document_of(self._snapshot, self._path).references:
            place = self._place(one)
            if place is not None:
                yield from self._edge(one, place)
            elif one.kind == ReferenceKind.IMAGE:
                for found, sure in self._images.built(self._path, one):
                    yield from self._edge(one, found, possible=not sure)

    def _edge(self, one: ConfigReference, place: _Place, *, possible: bool = False) -> Iterator[RawEdge]:
        source, whole = self._around(one.start), SymbolRef(self._path, -1)
        if place != whole:
            yield RawEdge(
                source=whole if place == source else source,
                target=place,
                kind=self._kind(place),
                provenance=MANIFEST,
                resolution="name",
                confidence=0.5 if possible else 1.0,
                ambiguous=possible,
                sites=((self._path, one.start, one.end),),
                attributes={"via": "document"},
            )

    def _kind(self, place: _Place) -> str:
        """Prose documents what is no prose."""
        return "documents" if self._prose and format_of(place.file) not in _PROSE else "references"

    def _around(self, at: int) -> _Place:
        """The innermost entry around an offset."""
        number = self._nesting.around(at)
        return SymbolRef(self._path, -1) if number < 0 else self._nodes[number]

    @cached_property
    def _nesting(self) -> Nesting:
        return Nesting((node.full_start, node.full_end, number) for number, node in enumerate(self._nodes))

    def _place(self, one: ConfigReference) -> _Place | None:
        if one.kind in (ReferenceKind.FILE, ReferenceKind.PROGRAM):
            return self._file(one.text, one.also)
        if one.kind == ReferenceKind.NEAR:
            return self._near(one)
        if one.kind == ReferenceKind.DOTTED:
            return self._dotted(one.text, one.also)
        if one.kind == ReferenceKind.ENTRY:
            return self._entry(one)
        if one.kind == ReferenceKind.SCRIPT:
            return self._script(one)
        if one.kind == ReferenceKind.MODEL:
            return self._model(one)
        if one.kind in (ReferenceKind.SOURCE, ReferenceKind.MACRO):
            return self._of_dbt(one)
        if one.kind == ReferenceKind.IMPORTED:
            return self._imported(one)
        if one.kind == ReferenceKind.DECLARED:
            return self._declared(one)
        if one.kind == ReferenceKind.WAY:
            return self._schema.named(one.base, one.text, self._path)
        if one.kind in (ReferenceKind.IMAGE, ReferenceKind.FOLDER):
            return None  # each may be many things
        return self._link(one) if one.kind == ReferenceKind.LINK else self._span(one)

    @cached_property
    def _images(self) -> BuiltImages:
        """Images that all documents build; whatever one of these says may make another answer."""
        for form in BUILDING_FORMATS:
            rest_on_format(self._snapshot, form)
        return built_images(self._whole)

    def _file(self, path: str, also: Sequence[str] = ()) -> SymbolRef | None:
        """The file of a path, or what stands for the folder."""
        for more in (*also, ""):
            found = self._there(f"{path}{more}".lstrip("/"))
            if found is not None:
                return SymbolRef(found, -1)
        return None

    def _there(self, path: str) -> FilePath | None:
        """The file of a path, which may lead through symbolic links of the workspace."""
        if path in self._whole.shards:
            return FilePath(path)
        links = next((table.links for table in self._whole.modules.values() if table.links), None)
        real = _without_links(path, links) if links is not None else path
        return FilePath(real) if real in self._whole.shards else None

    def _script(self, one: ConfigReference) -> DerivedNode | None:
        """A script of the one package of a name."""
        rest_on_format(self._snapshot, "json")  # whatever a manifest says may make another answer
        homes = _packages(self._whole)
        found = homes.get(one.base, ())
        if not found and "scope" in one.also and not one.base.startswith("@"):
            found = [file for name, files in homes.items() if name.endswith(f"/{one.base}") for file in files]
        for folder in one.also if not found else ():
            path = self._there(f"{folder}/{PACKAGE}")
            found = [path] if path is not None else []
        nodes = entry_nodes(self._snapshot, found[0]) if len(found) == 1 else ()
        return next((node for node in nodes if node.name == one.text), None)

    def _model(self, one: ConfigReference) -> SymbolRef | None:
        """The model of a name; whatever file comes or goes may make another answer."""
        for form in ("sql", "yaml"):
            rest_on_format(self._snapshot, form)
        found = model_named(self._whole, one.text, self._path, one.base, *one.also)
        return None if found is None else SymbolRef(found, -1)

    def _of_dbt(self, one: ConfigReference) -> DerivedNode | None:
        """A macro or a source of the project; likewise."""
        for form in ("sql", "yaml"):
            rest_on_format(self._snapshot, form)
        kind = MACRO if one.kind == ReferenceKind.MACRO else SOURCE
        return declared_in_project(self._whole, kind, one.text, self._path, one.base)

    def _near(self, one: ConfigReference) -> SymbolRef | None:
        """What a path leads to from the folder of the document and from the top, where that is one thing."""
        endings = tuple(more for more in one.also if more not in ("exact", "up"))
        folders = [one.base, ""]
        if "up" in one.also:
            parts = one.base.split("/") if one.base else []
            folders = ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]
        found: dict[SymbolRef, None] = {}
        for folder in folders:
            path = normpath(f"{folder}/{one.text}" if folder else one.text)
            place = None if path.startswith("..") else self._file(path, endings)
            if place is not None:
                found[place] = None
                if "up" in one.also:
                    break
        dotted = one.text.startswith(("./", "../")) and "exact" in one.also
        return next(iter(found)) if len(found) == 1 or (dotted and found) else None

    def _dotted(self, text: str, also: Sequence[str] = ()) -> SymbolRef | None:
        place = resolve_dotted(self._snapshot, text, self._path, words="module" in also)
        if place is not None and "module" in also and place.definition >= 0:
            return None
        if place is None or "module" not in also:
            return place
        main = FilePath(f"{place.file.rpartition('/')[0]}/__main__.py".lstrip("/"))
        package = place.file.rpartition("/")[2].startswith("__init__.")
        return SymbolRef(main, -1) if package and main in self._whole.shards else place

    def _entry(self, one: ConfigReference) -> _Place | None:
        """An entry of the document, or of another one; a file where a target may be one."""
        path = self._there(one.base) if one.base else self._path
        if path is None:
            return None
        own = path == self._path
        nodes = self._nodes if own else entry_nodes(self._snapshot, path)
        found = [node for node in nodes if node.name == one.text and self._fits(node, one)]
        if "before" in one.also:
            found = [node for node in found if node.start < one.start][-1:]
        elif "label" in one.also and not found:
            return self._label(one.text)
        if len(found) == 1:
            return found[0]
        brought = (more.removeprefix(INCLUDED) for more in one.also if more.startswith(INCLUDED))
        there = [node for file in brought for node in self._entries_of(FilePath(file)) if node.name == one.text]
        if not found and len(there) == 1:
            return there[0]
        files = [more for more in one.also if more not in ("before", "label") and not more.startswith(INCLUDED)]
        return self._file(files[0]) if files and not found and not there else None

    def _entries_of(self, path: FilePath) -> Sequence[DerivedNode]:
        return entry_nodes(self._snapshot, path) if path in self._whole.shards else ()

    def _imported(self, one: ConfigReference) -> DerivedNode | None:
        """The entry that the text names in a document that is brought in: with the package of that, or within one."""
        packages = one.base.split(".") if one.base else []
        found: list[DerivedNode] = []
        for file in one.also:
            brought = self._near(ConfigReference(ReferenceKind.NEAR, file, 0, 0, self._folder, also=("up",)))
            if brought is None or self._whole.shards[brought.file].language:
                continue
            package = document_of(self._snapshot, brought.file).package
            outer = (".".join(packages[:count]) for count in range(len(packages), -1, -1))
            names = {f"{before}.{one.text}".lstrip(".") for before in outer}
            nodes = entry_nodes(self._snapshot, brought.file)
            found += [node for node in nodes if f"{package}.{node.name}".lstrip(".") in names]
        return found[0] if len(found) == 1 else None

    def _declared(self, one: ConfigReference) -> DerivedNode | None:
        """What the statements of all files declare under a name; of the tables that a column may be of, the first."""
        if one.base != COLUMN:
            return self._table_entry(one, one.text, one.base)
        for before in (True, False) if format_of(self._path) == SQL else (False,):
            for holder in one.also:
                found = self._table_entry(one, f"{holder}.{one.text}", COLUMN, before=before)
                if found is not None or self._table_entry(one, holder, TABLE) is None:
                    return found  # of a table that nobody declares the column may be as well
        return None

    def _table_entry(
        self, one: ConfigReference, name: str, kind: str, *, before: bool = False
    ) -> DerivedNode | None:  # fmt: skip
        """What a name means at its place in a migration, which may have to be declared `before` it; in other documents,
        what it means after all of them."""
        if before:
            return self._tables.before(kind, name, (self._path, one.start))
        if format_of(self._path) == SQL:
            return self._tables.named(kind, name, (self._path, one.start))
        found, unsure = self._tables.current(name, self._path, column=kind == COLUMN)
        return found[0] if found and not unsure else None

    @cached_property
    def _tables(self) -> SqlTables:
        """Declarations of all files; whatever one of these says may make another answer."""
        rest_on_format(self._snapshot, "sql")
        return sql_tables(self._whole, self._snapshot)

    @cached_property
    def _schema(self) -> GraphqlSchema:
        """Declarations of all files; likewise, and of code and configuration that speak of a schema."""
        rest_on_format(self._snapshot, "graphql")
        return graphql_schema(self._whole, self._snapshot)

    def _fits(self, node: DerivedNode, one: ConfigReference) -> bool:
        return (node.subkind == "label") == ("label" in one.also) and node.subkind != "heading"

    def _label(self, name: str) -> DerivedNode | None:
        """The one label of any document."""
        for form in _PROSE:
            rest_on_format(self._snapshot, form)  # whatever one of them says may make another answer
        found = _labels(self._whole).get(name, ())
        return found[0] if len(found) == 1 else None

    def _link(self, one: ConfigReference) -> _Place | None:
        path, sign, anchor = one.text.partition("#")
        file = self._there(path)
        if sign and file is not None and (file == self._path or not self._whole.shards[file].language):
            nodes = self._nodes if file == self._path else entry_nodes(self._snapshot, file)
            named = _by_anchor(nodes, self._snapshot.text(file) or b"").get(anchor.lower())
            if named is not None or file == self._path:
                return named
        if sign and file is not None and (symbol := self._symbol(SymbolRef(file, -1), anchor)) is not None:
            return symbol
        return self._file(path, ("", *one.also))

    def _symbol(self, file: SymbolRef, name: str) -> SymbolRef | None:
        """What a file of code declares under a qualified name."""
        if not name or not self._whole.shards[file.file].language:
            return None
        return resolve_inside(self._snapshot, file.file, name.removesuffix("()").replace(":", ".").split("."))

    def _span(self, one: ConfigReference) -> SymbolRef | None:
        """Code of prose: a path with a slash, or a qualified name that is one as a whole."""
        text = one.text
        if "role" in one.also:
            names = (*one.also[1:], text) if text else ()
            return next((place for name in names if (place := self._dotted(name, ("role",))) is not None), None)
        if "/" in text:
            path, sign, symbol = text.partition("#")
            near = self._near(ConfigReference(ReferenceKind.NEAR, path.rstrip("/"), one.start, one.end, one.base))
            return self._symbol(near, symbol) if sign and near is not None else near
        return self._dotted(text) if self._is_public(text) else None

    def _is_public(self, text: str) -> bool:
        """Whether a name begins with a package that every file sees: `app.run` of an example is nobody's."""
        first = text.partition(":")[0].partition(".")[0]
        for table in self._whole.modules.values():
            for file in table.files.get(first, ()):
                name = table.names[file]
                if not name.local and name.package:
                    return True
            if first in table.namespaces:
                return True
        return False


PACKAGE: Final = "package.json"
_PACKAGES: Final = Memo["Mapping[str, Sequence[FilePath]]"]("packages by name", rests_on_links=False)
_ROUNDS: Final = 3
"""Links that lead through links are followed so often."""


def _packages(snapshot: Snapshot) -> Mapping[str, Sequence[FilePath]]:
    """Manifests of packages by the names that they give."""

    def gathered() -> Mapping[str, Sequence[FilePath]]:
        found: dict[str, list[FilePath]] = {}
        for path in snapshot.shards:
            if path.rpartition("/")[2] == PACKAGE:
                name = read_json(snapshot.text(path) or b"").get("name")
                if isinstance(name, str) and name:
                    found.setdefault(name, []).append(path)
        return found

    return _PACKAGES.once(snapshot, gathered)


def _without_links(path: str, links: Mapping[str, str]) -> str:
    """A path as the disk has it, without symbolic links in it."""
    for _ in range(_ROUNDS):
        end = len(path)
        while end > 0 and path[:end] not in links:
            end = path.rfind("/", 0, end)
        if end <= 0:
            break
        path = normpath(links[path[:end]] + path[end:])
    return path


_LABELLED: Final = (".rst", ".txt", ".md")
_LABELS: Final = Memo["Mapping[str, Sequence[DerivedNode]]"]("labels of documents", rests_on_links=False)


def _labels(snapshot: Snapshot) -> Mapping[str, Sequence[DerivedNode]]:
    """Labels of all documents, by name."""

    def gathered() -> Mapping[str, Sequence[DerivedNode]]:
        found: dict[str, list[DerivedNode]] = {}
        for path in snapshot.shards:
            for node in entry_nodes(snapshot, path) if path.endswith(_LABELLED) else ():
                if node.subkind == "label":
                    found.setdefault(node.name.lower(), []).append(node)
        return found

    return _LABELS.once(snapshot, gathered)


def _by_anchor(nodes: Sequence[DerivedNode], text: bytes) -> Mapping[str, DerivedNode]:
    """Headings by what links call them: what they say themselves, else their words; equal ones have a number behind."""
    found: dict[str, DerivedNode] = {}
    for node in nodes:
        if node.subkind == "heading":
            line_end = text.find(b"\n", node.end)
            own = own_anchor(text[node.end : line_end if line_end >= 0 else None])
            name, number = slug(node.name), 0
            while (f"{name}-{number}" if number else name) in found:
                number += 1
            for called in (own.lower(), f"{name}-{number}" if number else name):
                if called:
                    found.setdefault(called, node)
    return found
