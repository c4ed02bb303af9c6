"""Records: nodes, edges and the header, as every face of graphls hands them out.

Owns: the fields of each record, their order and what they mean; `docs/graph-schema.md` is written from here.
Must not know: how records are encoded, how they are derived from a snapshot.
Invariant: the order of fields is that of keys on the wire; a new field is a minor version, other changes a major one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import attrs

SCHEMA_VERSION = "1.3"

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
"""What attributes may hold."""

Attributes: TypeAlias = "Mapping[str, Json]"

Range: TypeAlias = tuple[int, int, int, int]
"""Start line, start column, end line, end column; the end is not part of it."""

NODE_KINDS = (
    "package", "workspace", "file", "module", "declaration", "api_member", "import", "external", "diagnostic",
    "callable", "method", "field", "enum_variant", "trait_requirement", "reference_site", "call_site",
    "match_dispatch", "dispatch_pattern", "test", "artifact", "generated_source", "stdlib_item", "rust_item",
    "architecture_finding", "risk_signal", "coverage_report", "decision_record", "route", "tool", "process",
    "community", "person",
)  # fmt: skip
EDGE_KINDS = (
    "contains", "defines", "imports", "references", "documents", "diagnoses",
    "calls", "instantiates", "accesses", "type_ref", "extends", "implements", "overrides", "decorates", "renders",
    "exports", "aliases", "requires", "tests", "generated_from", "materializes", "uses_stdlib_item",
    "uses_rust_item", "dispatches_on", "matches_pattern", "mentions", "rationale_for", "handles",
    "evidences", "co_changes_with", "owned_by", "covered_by", "governed_by", "similar_to",
    "step_of", "member_of",
)  # fmt: skip
PROVENANCES = (
    "compiler_checked", "compiler_unchecked", "scip_imported", "lsp_resolved", "syntax_inferred",
    "manifest_declared", "generated", "external", "derived_advisory", "process_observed",
)  # fmt: skip
RESOLUTIONS = ("lexical", "import", "member", "inferred", "name")
MODES = ("checked", "allow-errors")
VERIFY = ("none", "available", "complete")


def about(doc: str, *known: str) -> Mapping[str, object]:
    """Metadata of a field: its document, and the words known today where a reader must accept others."""
    return {"doc": doc, "known": known}


@attrs.frozen
class Extensible:
    """A record, or a part of one, that a later version may have given fields that this one does not know."""

    extra: Attributes = attrs.field(default=MappingProxyType[str, Json]({}), kw_only=True)
    """These fields: no field of this name is on the wire, they stand behind the known ones."""


def wire_fields(kind: type[attrs.AttrsInstance]) -> Iterator[attrs.Attribute[object]]:
    """The fields of a class that are keys of its object, in order."""
    apart = attrs.fields_dict(Extensible)
    return (field for field in attrs.fields(kind) if field.name not in apart)


@attrs.frozen
class Decorator(Extensible):
    """A decorator as written."""

    name: str = attrs.field(metadata=about("Dotted name, as written."))
    arguments: tuple[str, ...] = attrs.field(
        default=(),
        metadata=about(
            "Arguments of literals, names and lists of those (none that is called or worked out), as written, a string"
            " without its quotes; `name=text` for keywords. One of more than 200 characters is left out."
        ),
    )


@attrs.frozen
class Site(Extensible):
    """One place in the text where an edge can be seen, and how the name there was resolved."""

    file: str = attrs.field(metadata=about("Path of the file."))
    range: Range = attrs.field(metadata=about("Where in the file."))
    provenance: str | None = attrs.field(
        default=None,
        metadata=about("Where the fact comes from; null where resolution and all are those of the edge.", *PROVENANCES),
    )
    resolution: str | None = attrs.field(
        default=None, metadata=about("By which rule the name was resolved; null where none had to be.", *RESOLUTIONS)
    )
    confidence: float | None = attrs.field(default=None, metadata=about("From 0 to 1."))


@attrs.frozen
class Node(Extensible):
    """A thing of the graph."""

    id: str = attrs.field(
        metadata=about(
            "`n:` and 26 letters; the same for as long as package, module, qualified name and kind stay, and where a "
            "file has several of one name and kind, what is around this one and in it."
        )
    )
    kind: str = attrs.field(metadata=about("What it is.", *NODE_KINDS))
    subkind: str | None = attrs.field(default=None, metadata=about("A finer kind: `class`, `enum`, `property` ..."))
    name: str = attrs.field(default="", metadata=about("Last part of the name."))
    qualified_name: str = attrs.field(
        default="",
        metadata=about(
            "Dotted name inside the module; the full name of modules, files and externals. The setter and the deleter "
            "of a property `A.x` are `A.<set>x` and `A.<delete>x`."
        ),
    )
    module: str | None = attrs.field(default=None, metadata=about("Name of the module it is in."))
    package: str | None = attrs.field(
        default=None, metadata=about("Name of the package whose manifest is nearest above the file.")
    )
    language: str | None = attrs.field(default=None, metadata=about("Language of the file, null for a plain file."))
    file: str | None = attrs.field(default=None, metadata=about("Path of the file, null for what is in none."))
    range: Range | None = attrs.field(default=None, metadata=about("Where the name is."))
    full_range: Range | None = attrs.field(default=None, metadata=about("The whole statement, with decorators."))
    signature: str | None = attrs.field(default=None, metadata=about("Declaration as written, on one line."))
    doc: str | None = attrs.field(default=None, metadata=about("First paragraph of its documentation."))
    visibility: str | None = attrs.field(
        default=None, metadata=about("By the rules of the language.", "public", "internal", "private")
    )
    exported: bool = attrs.field(default=False, metadata=about("Part of what the module offers on purpose."))
    modifiers: tuple[str, ...] = attrs.field(
        default=(), metadata=about("`async`, `static`, `abstract`, `readonly`, `optional`, `override` ...")
    )
    decorators: tuple[Decorator, ...] = attrs.field(default=(), metadata=about("In source order."))
    provenance: str = attrs.field(default="syntax_inferred", metadata=about("Where the fact comes from.", *PROVENANCES))
    confidence: float = attrs.field(default=1.0, metadata=about("From 0 to 1."))
    content_hash: str | None = attrs.field(
        default=None, metadata=about("128 bits of BLAKE2b over its text, wherever that stands; hexadecimal.")
    )
    attributes: Attributes = attrs.field(factory=dict[str, Json], metadata=about("What only some kinds have."))


@attrs.frozen
class Edge(Extensible):
    """A relation between two nodes.

    Provenance, resolution and confidence are those of its weakest site: of the sites of the lowest tier the one of the
    least confidence. Each site has its own, so one edge tells which of its sites were settled.
    """

    id: str = attrs.field(metadata=about("`e:` and 26 letters, from source, target, kind and provenance."))
    kind: str = attrs.field(metadata=about("What holds between the two; read as `source kind target`.", *EDGE_KINDS))
    source: str = attrs.field(metadata=about("Id of a node."))
    target: str = attrs.field(metadata=about("Id of a node."))
    provenance: str = attrs.field(default="syntax_inferred", metadata=about("Where the fact comes from.", *PROVENANCES))
    resolution: str | None = attrs.field(
        default=None,
        metadata=about("By which rule a name was resolved; null where none had to be.", *RESOLUTIONS),
    )
    confidence: float = attrs.field(default=1.0, metadata=about("From 0 to 1."))
    ambiguous: bool = attrs.field(default=False, metadata=about("At every site it is one of several possible targets."))
    sites: tuple[Site, ...] = attrs.field(default=(), metadata=about("Where it can be seen, at most 20."))
    site_count: int = attrs.field(default=0, metadata=about("How many sites there are in all."))
    attributes: Attributes = attrs.field(
        factory=dict[str, Json],
        metadata=about(
            "What only some kinds have: `access` of `accesses`; `implicit` of `calls` whose sites are constructs;"
            " `state`: `earlier` of those that were found before the last edits and not looked for since."
        ),
    )


@attrs.frozen
class Generator(Extensible):
    """The program that wrote the records."""

    name: str = attrs.field(metadata=about("Its name."))
    version: str = attrs.field(metadata=about("Its version."))


@attrs.frozen
class WorkspaceName(Extensible):
    """The workspace and its packages."""

    name: str = attrs.field(metadata=about("Name of the workspace."))
    packages: tuple[str, ...] = attrs.field(default=(), metadata=about("Names of its packages, sorted."))


@attrs.frozen
class PositionUnit(Extensible):
    """How ranges are counted."""

    unit: str = attrs.field(default="byte", metadata=about("What a column counts.", "byte", "utf-16", "utf-32"))
    base: int = attrs.field(default=0, metadata=about("Number of the first line and of the first column."))


@attrs.frozen
class ProviderName(Extensible):
    """What produced the facts of one language."""

    language: str = attrs.field(metadata=about("Name of the language."))
    engine: str = attrs.field(metadata=about("What resolves names."))
    version: str = attrs.field(metadata=about("Version of the engine."))
    recipe: str = attrs.field(metadata=about("Digest of grammar, queries and extractor."))
    checker: str | None = attrs.field(
        default=None,
        metadata=about(
            "Checker whose answers are part of the graph; with its version where all answers were asked for."
        ),
    )


@attrs.frozen
class LibrariesName(Extensible):
    """What names that lead out of the workspace were looked up in."""

    language: str = attrs.field(metadata=about("Name of the language."))
    version: str = attrs.field(metadata=about("Version of the language that libraries are read for."))
    platform: str = attrs.field(metadata=about("System that libraries are read for."))
    distributions: int = attrs.field(metadata=about("How many packages are installed."))
    digest: str = attrs.field(
        metadata=about("Of the contents of what is installed, wherever that is; takes part in `snapshot`.")
    )


@attrs.frozen
class Skipped(Extensible):
    """A file that is not in the graph, or only in part."""

    file: str = attrs.field(metadata=about("Path of the file."))
    reason: str = attrs.field(
        metadata=about("Why. `not linked:` begins it for a file that is in the graph without what it uses.")
    )


@attrs.frozen
class Counts(Extensible):
    """How many records follow."""

    nodes: int = attrs.field(metadata=about("Nodes other than diagnostics."))
    edges: int = attrs.field(metadata=about("Edges."))
    diagnostics: int = attrs.field(metadata=about("Diagnostics."))
    unresolved_sites: int = attrs.field(metadata=about("Uses of a name that no rule resolves; they are no edges."))


@attrs.frozen
class Verified(Extensible):
    """How far a checker vouches for the graph."""

    verify: str = attrs.field(
        metadata=about("What was asked for: the answers at hand, or all of them.", "available", "complete")
    )
    uncertain: int = attrs.field(metadata=about("Uses of names that graphls is not sure of."))
    left_out: int = attrs.field(metadata=about("Those of them that no checker answered; 0 when it is complete."))
    modules: int = attrs.field(metadata=about("Modules that a checker judged as a whole."))
    clean: int = attrs.field(metadata=about("Those of them without an error."))


@attrs.frozen
class Header(Extensible):
    """The first record: what the others are about."""

    schema_version: str = attrs.field(metadata=about("Major and minor version of these records."))
    generator: Generator = attrs.field(metadata=about("The program that wrote the records."))
    mode: str = attrs.field(metadata=about("Whether files that do not parse are refused or reported.", *MODES))
    snapshot: str = attrs.field(metadata=about("`s:` and 26 letters: equal ids, equal graphs."))
    revision: int | None = attrs.field(metadata=about("Revision of the live graph, where one was asked for."))
    workspace: WorkspaceName = attrs.field(metadata=about("The workspace and its packages."))
    root: str = attrs.field(default=".", metadata=about("What paths are relative to."))
    path_mode: str = attrs.field(default="workspace-relative-posix", metadata=about("How paths are written."))
    position: PositionUnit = attrs.field(default=PositionUnit(), metadata=about("How ranges are counted."))
    languages: tuple[str, ...] = attrs.field(default=(), metadata=about("Languages in the graph, sorted."))
    providers: tuple[ProviderName, ...] = attrs.field(default=(), metadata=about("What produced the facts."))
    libraries: tuple[LibrariesName, ...] = attrs.field(
        default=(), metadata=about("What was installed, by language; none where nothing outside is read.")
    )
    dirty: tuple[str, ...] = attrs.field(
        default=(), metadata=about("Files that stand in the graph as an editor holds them, unsaved.")
    )
    degraded: bool = attrs.field(
        default=False, metadata=about("Some file does not parse, is missing or waits to be read.")
    )
    problems: tuple[Skipped, ...] = attrs.field(
        default=(), metadata=about("Files that are not in the graph, or without what they use, and why.")
    )
    counts: Counts = attrs.field(default=Counts(0, 0, 0, 0), metadata=about("How many records follow."))
    verification: Verified | None = attrs.field(
        default=None, metadata=about("How far a checker vouches for the graph; null where none was asked.")
    )


@attrs.frozen
class Opaque:
    """A record of a kind that this version does not know: kept, and passed on as it is."""

    fields: Attributes


Record: TypeAlias = Header | Node | Edge | Opaque
KINDS: Mapping[str, type[Header] | type[Node] | type[Edge]] = {"header": Header, "node": Node, "edge": Edge}
