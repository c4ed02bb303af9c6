"""Node records: what is said about one node.

Owns: the fields of a node's record, from facts.
Must not know: edges, encoding, which nodes are asked for.
Invariant: the record of a place is a function of its snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

import attrs

from graphls.facts.cached_property import cached_property
from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, ProblemKind, ScopeKind
from graphls.facts.paths import FilePath
from graphls.graph.addresses import Addresses, NodeId, addresses, digest_of, format_id, home_of
from graphls.graph.derivation import CONTENT_HASH, DIAGNOSTIC, DerivedNode
from graphls.graph.exported_rows import exported_rows
from graphls.graph.identity import derived_id, external_id, file_id, node_id, range_of
from graphls.graph.nodes import container, dotted_name, kind_of, qualified_name
from graphls.graph.records import Decorator, Json, Node, Range
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.spelling import external_name, module_title
from graphls.graph.verification import FileProblem, ModuleProblem
from graphls.graph.written_declarations import static_arguments, written_modifiers
from graphls.languages.capabilities import Exports
from graphls.languages.registry import providers

_MODIFIERS = {
    int(DefinitionFlag.ASYNC): "async",
    int(DefinitionFlag.STATIC): "static",
    int(DefinitionFlag.CLASSMETHOD): "classmethod",
    int(DefinitionFlag.ABSTRACT): "abstract",
    int(DefinitionFlag.OVERLOAD): "overload",
    int(DefinitionFlag.CONDITIONAL): "conditional",
    int(DefinitionFlag.TYPE_CHECKING): "type_checking",
    int(DefinitionFlag.INSTANCE): "instance",
    int(DefinitionFlag.GENERATOR): "generator",
    int(DefinitionFlag.STAR): "star",
    int(DefinitionFlag.GLOBAL): "global",
    int(DefinitionFlag.FINAL): "final",
    int(DefinitionFlag.CACHED): "cached",
    int(DefinitionFlag.DEFAULT_EXPORT): "default",
    int(DefinitionFlag.MAIN_GUARD): "main_guard",
}
_INFERRED, _CHECKED, _OBSERVED = "syntax_inferred", "compiler_checked", "process_observed"
"""Provenances of what is wrong with a file: its text shows it, a checker says it, a log of another tool does."""
_MEMBERS = (ScopeKind.CLASS, ScopeKind.NAMESPACE, ScopeKind.OBJECT)
_CODES = {
    ProblemKind.SYNTAX: ("syntax", "error"),
    ProblemKind.ENCODING: ("encoding", "error"),
    ProblemKind.DEPTH: ("nesting", "error"),
    ProblemKind.PARTIAL: ("partial", "warning"),
    ProblemKind.MINIFIED: ("minified", "information"),
}
"""Code and severity of each problem."""


def node_record(snapshot: Snapshot, place: SymbolRef) -> Node:
    """The record of one node."""
    return FileNodes(snapshot, place.file).node(place.definition)


def derived_record(snapshot: Snapshot, derived: DerivedNode) -> Node:
    """The record of what no binding site stands for."""
    path, digest = derived.file, dict(derived.attributes).get(CONTENT_HASH)
    return Node(
        id=derived_id(snapshot, derived),
        kind=derived.kind,
        subkind=derived.subkind or None,
        name=derived.name,
        qualified_name=derived.name,
        module=snapshot.module_name(path).dotted if snapshot.shards[path].language else None,
        package=snapshot.package_of(path),
        language=snapshot.shards[path].language or None,
        file=path,
        range=range_of(snapshot, path, derived.start, derived.end),
        full_range=range_of(snapshot, path, derived.full_start, derived.full_end),
        provenance=derived.provenance,
        confidence=derived.confidence,
        content_hash=digest if isinstance(digest, str) else None,
        attributes={
            name: list(value) if isinstance(value, tuple) else value
            for name, value in derived.attributes
            if name != CONTENT_HASH
        },
    )


def external_kind(snapshot: Snapshot, dotted: str) -> str:
    """The kind of something outside the workspace, by the languages that are in it."""
    known = providers()
    spoken = (known[language].capabilities.is_standard for language in snapshot.modules if language in known)
    found = any(is_standard is not None and is_standard(dotted) for is_standard in spoken)
    return "stdlib_item" if found else "external"


def external_record(snapshot: Snapshot, dotted: str) -> Node:
    """The record of something outside the workspace."""
    package, version = snapshot.distribution(dotted)
    return Node(
        id=external_id(dotted),
        kind=external_kind(snapshot, dotted),
        name=external_name(dotted),
        qualified_name=dotted,
        provenance="external",
        attributes={"package": package, "version": version} if package else {},
    )


def end_record(snapshot: Snapshot, end: SymbolRef | DerivedNode | str) -> Node:
    """The record of what stands at the end of an edge."""
    if isinstance(end, str):
        return external_record(snapshot, end)
    if isinstance(end, DerivedNode):
        return derived_record(snapshot, end)
    plain = not snapshot.shards[end.file].language
    return FileNodes(snapshot, end.file).file_node() if plain else node_record(snapshot, end)


def workspace_id() -> NodeId:
    """Id of the workspace: it has no name that is the same in every checkout."""
    return NodeId(format_id("n", digest_of("", "", "workspace")))


def package_id(package: str) -> NodeId:
    """Id of a package by its declared name; "" stands for files under no manifest."""
    return NodeId(format_id("n", digest_of(package, "", "package")))


@attrs.frozen
class Diagnosis:
    """A diagnostic with its offsets."""

    start: int
    end: int
    record: Node

    def node(self, path: FilePath) -> DerivedNode:
        """The same as a node that edges lead from."""
        record = self.record
        attributes = record.attributes.items()
        return DerivedNode(
            file=path,
            kind=DIAGNOSTIC,
            subkind="",
            name=record.name,
            start=self.start,
            end=self.end,
            full_start=self.start,
            full_end=self.end,
            anchor=record.id,
            provenance=record.provenance,
            confidence=record.confidence,
            attributes=tuple((name, value if isinstance(value, str) else ()) for name, value in attributes),
        )


class FileNodes:
    """Records of the nodes of one file. Made for one answer, then dropped."""

    def __init__(self, snapshot: Snapshot, path: FilePath) -> None:
        self._hashed = (-1, -1, "")
        self._snapshot = snapshot
        self.path = path
        self._shard = snapshot.shards[path]
        self._package = snapshot.package_of(path)

    @cached_property
    def facts(self) -> FileFacts:
        """Facts of the file."""
        return self._snapshot.facts(self.path)

    @cached_property
    def own(self) -> Addresses:
        """Ids of the file's nodes."""
        return addresses(self._snapshot, self.path)

    @cached_property
    def _text(self) -> bytes | None:
        return self._snapshot.text(self.path)

    @cached_property
    def _module(self) -> str:
        return self._snapshot.module_name(self.path).dotted

    @cached_property
    def _decorated(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = {}
        for entry, definition in enumerate(self.facts.decorators.definition):
            found.setdefault(definition, []).append(entry)
        return found

    def node(self, row: int) -> Node:
        """Record of the node a row of definitions belongs to; -1 is the module."""
        return self._module_node() if row < 0 else self._definition(self.own.rows[row])

    def id(self, row: int) -> NodeId:
        """Id of the node a row belongs to."""
        digest = self.own.digest(row)
        return NodeId(format_id("n", digest)) if digest else node_id(self._snapshot, SymbolRef(self.path, row))

    def file_node(self) -> Node:
        """Record of the file itself."""
        attributes: dict[str, Json] = {"size": self._shard.size}
        full = None
        if self._shard.language:
            full = self._whole()
            attributes["lines"] = len(self.facts.lines)
            if self.facts.generated:
                attributes["generated"] = True
            attributes.update(self._errors)
        return Node(
            id=file_id(self._snapshot, self.path),
            kind="file",
            name=self.path.rpartition("/")[2],
            qualified_name=self.path,
            package=self._package,
            language=self._shard.language or None,
            file=self.path,
            full_range=full,
            provenance="generated" if attributes.get("generated") else "syntax_inferred",
            content_hash=self._shard.content,
            attributes=attributes,
        )

    def rows(self, everything: bool) -> Iterator[int]:
        """Rows that stand for nodes, in source order; with variables of functions when `everything` is wanted."""
        own = self.own
        return (
            row
            for row, canonical in enumerate(own.rows)
            if canonical == row and (everything or own.slots[row] >= 0)
        )  # fmt: skip

    def diagnostics(self) -> Iterator[Diagnosis]:
        """What is wrong with the file's text, then with the module as a checker sees it, then what logs say."""
        equals: dict[tuple[str, str, str], int] = {}
        sources = (
            (_INFERRED, self._syntax()),
            (_CHECKED, self._checker_problems()),
            (_OBSERVED, self._reported()),
        )
        for provenance, found in ((provenance, one) for provenance, problems in sources for one in problems):
            key = (found.source, found.code, found.message)
            ordinal = equals[key] = equals.get(key, -1) + 1
            yield Diagnosis(found.start, found.end, self._diagnostic(found, provenance, ordinal))

    def _syntax(self) -> Iterator[FileProblem]:
        if not self._shard.language:
            return
        table, strings = self.facts.problems, self.facts.strings
        for row in range(len(table)):
            code, severity = _CODES[ProblemKind(table.kind[row])]
            message = strings[table.text[row]]
            yield FileProblem(table.start[row], table.end[row], code, severity, message, "syntax")

    def _checker_problems(self) -> Sequence[ModuleProblem]:
        verification = self._snapshot.verification
        if verification is None or not self._shard.language:
            return ()
        return verification.problems(self._snapshot, self._shard)

    def _reported(self) -> Sequence[ModuleProblem]:
        reports = self._snapshot.reports
        return () if reports is None else reports.problems(self._snapshot, self.path)

    def owner_at(self, offset: int) -> int:
        """Row of the innermost node whose full range holds an offset; -1 for the module, or a plain file."""
        if not self._shard.language:
            return -1
        table, found = self.facts.definitions, -1
        for row in self.rows(everything=False):
            if table.body[row] >= 0 and table.full_start[row] <= offset < table.full_end[row]:
                found = row
        return found

    def range(self, start: int, end: int) -> Range:
        """Lines and columns of two offsets."""
        return (*self.facts.line_column(start), *self.facts.line_column(end))

    # ---- parts

    def _whole(self) -> Range:
        return self.range(0, self.facts.size)

    def _module_node(self) -> Node:
        name = self._module or self.path
        return Node(
            id=NodeId(format_id("n", self.own.module)),
            kind="module",
            name=module_title(name, self.path),
            qualified_name=name,
            module=name,
            package=self._package,
            language=self._shard.language,
            file=self.path,
            range=(0, 0, 0, 0),
            full_range=self._whole(),
            doc=self.facts.doc or None,
            visibility=_visibility(module_title(name, self.path), False) if self._offering is None else "public",
            exported=self._offering is not None
            or not any(part.startswith("_") and part != "__main__" for part in name.split(".")),
            provenance=self._provenance(),
            content_hash=self._shard.content,
            attributes={**({"generated": True} if self.facts.generated else {}), **self._errors},
        )

    @cached_property
    def _errors(self) -> Mapping[str, Json]:
        """How many errors its text has, and what a checker found: what is said of such a module may be wrong."""
        count = sum(problem.severity == "error" for problem in (*self._syntax(), *self._checker_problems()))
        return {"errors": count} if count else {}

    def _definition(self, row: int) -> Node:
        facts, table = self.facts, self.facts.definitions
        name = facts.strings[table.name[row]]
        kind = kind_of(facts, self.path, row, self._shard.language)
        around = container(facts, row)
        in_class = around >= 0 and table.kind[around] in (DefinitionKind.CLASS, DefinitionKind.ENUM)
        decorators = tuple(self._decorators(row))
        return Node(
            id=self.id(row),
            kind=kind.kind,
            subkind=kind.subkind or None,
            name=name,
            qualified_name=qualified_name(facts, row),
            module=self._module,
            package=self._package,
            language=self._shard.language,
            file=self.path,
            range=self.range(table.start[row], table.end[row]),
            full_range=self.range(table.full_start[row], table.full_end[row]),
            signature=facts.strings[table.signature[row]] if table.signature[row] >= 0 else None,
            doc=facts.strings[table.doc[row]] if table.doc[row] >= 0 else None,
            visibility=self._visibility(name, in_class, row),
            exported=self._is_exported(row),
            modifiers=self._modifiers(row, decorators),
            decorators=decorators,
            provenance=self._provenance(),
            content_hash=self._hash(table.full_start[row], table.full_end[row]),
            attributes=self._attributes(row),
        )

    def _attributes(self, row: int) -> dict[str, Json]:
        table = self.facts.definitions
        found: dict[str, Json] = {}
        if self.facts.generated:
            found["generated"] = True
        if table.kind[row] == DefinitionKind.IMPORT:
            found.update(self._imported(row))
        if self.own.slots[row] < 0:
            found["local"] = True
        return found

    def _imported(self, row: int) -> Iterator[tuple[str, str]]:
        """The module an import binding comes from, as written, and the name it has there."""
        strings, imports = self.facts.strings, self.facts.imports
        value = self.facts.definitions.value[row]
        entry = self._import_entries.get(row, NONE)
        if entry != NONE:
            yield "from", "." * imports.level[entry] + strings[imports.module[entry]]
            if imports.name[entry] >= 0:
                yield "imported", strings[imports.name[entry]]
        elif value >= 0 and self.facts.expressions.kind[value] == ExpressionKind.MODULE:
            table = self.facts.expressions
            yield "from", "." * table.b[value] + strings[table.a[value]]

    @cached_property
    def _import_entries(self) -> Mapping[int, int]:
        """The first entry of each import binding."""
        rows = self.facts.imports.definition
        return {rows[entry]: entry for entry in range(len(rows) - 1, -1, -1)}

    def _decorators(self, row: int) -> Iterator[Decorator]:
        facts = self.facts
        for entry in self._decorated.get(row, ()):
            expression = facts.decorators.expression[entry]
            name = dotted_name(facts, expression) or facts.strings[max(facts.decorators.name[entry], 0)]
            yield Decorator(name, tuple(static_arguments(self._arguments(entry))))

    def _arguments(self, entry: int) -> str:
        """Arguments of a decorator as written."""
        table, text = self.facts.decorators, self._text
        if text is not None:
            return text[table.start[entry] : table.end[entry]].decode(errors="replace").partition("(")[2]
        return self.facts.strings[table.text[entry]] if table.text[entry] >= 0 else ""

    def _modifiers(self, row: int, decorators: Sequence[Decorator]) -> tuple[str, ...]:
        table, text = self.facts.definitions, self._text
        found = [word for flag, word in _MODIFIERS.items() if table.flags[row] & flag]
        known = self._snapshot.capabilities(self.path)
        if known is not None and text is not None and table.kind[row] != DefinitionKind.IMPORT:
            start, end = table.start[row], table.end[row]
            before, behind = text[table.full_start[row] : start], text[end : end + 100]
            found += written_modifiers(known, before, behind, (one.name for one in decorators))
        return tuple(dict.fromkeys(found))

    @cached_property
    def _offering(self) -> Exports | None:
        known = self._snapshot.capabilities(self.path)
        return None if known is None else known.exports

    def _visibility(self, name: str, in_class: bool = False, row: int = NONE) -> str:
        if self._offering is None:
            return _visibility(name, in_class)
        table = self.facts.definitions
        before = b"" if row < 0 or self._text is None else self._text[table.full_start[row] : table.start[row]]
        return self._offering.visibility(name, before)

    def _is_exported(self, row: int) -> bool:
        if self.own.slots[row] < 0:
            return False
        exported = exported_rows(self._snapshot, self.path)
        facts, table = self.facts, self.facts.definitions
        while row not in exported:
            around = container(facts, row)
            if around < 0 or table.kind[around] == DefinitionKind.NAMESPACE or not self._is_open_member(row, around):
                return False
            row = around
        return True

    def _is_open_member(self, row: int, around: int) -> bool:
        """Whether a member is offered with what it is a member of."""
        table = self.facts.definitions
        name = self.facts.strings[table.name[row]]
        if self._offering is None:
            in_function = table.kind[around] in (DefinitionKind.FUNCTION, DefinitionKind.METHOD)
            return not in_function and _visibility(name, in_class=True) == "public"
        return self.facts.scopes.kind[table.scope[row]] in _MEMBERS and self._visibility(name, True, row) == "public"

    def _hash(self, start: int, end: int) -> str | None:
        if self._text is None:
            return None
        if self._hashed[:2] != (start, end):
            # The names of one pattern have its statement as their range, one after the other.
            self._hashed = start, end, blake2b(self._text[start:end], digest_size=16).hexdigest()
        return self._hashed[2]

    def _diagnostic(self, found: ModuleProblem, provenance: str, ordinal: int) -> Node:
        where = range_of(self._snapshot, self.path, found.start, found.end)
        home = home_of(self._snapshot, self.path)
        code = found.code if provenance == _INFERRED else f"{found.source}:{found.code}"
        return Node(
            id=NodeId(format_id("n", digest_of(home, code, found.message, DIAGNOSTIC, str(ordinal)))),
            kind=DIAGNOSTIC,
            name=found.code,
            qualified_name=found.code,
            module=self._module,
            package=self._package,
            language=self._shard.language or None,
            file=self.path,
            range=where,
            full_range=where,
            provenance=provenance,
            attributes={
                "code": found.code,
                "severity": found.severity,
                "message": found.message,
                "source": found.source,
                "related": [],
                **({"input": "report"} if provenance == _OBSERVED else {}),
            },
        )

    def _provenance(self) -> str:
        if self._shard.imported:
            return "scip_imported"
        return "generated" if self.facts.generated else "syntax_inferred"


def _visibility(name: str, in_class: bool) -> str:
    """By underscores: none or a dunder is public, one is internal, two inside a class are private."""
    if not name.startswith("_") or (name.startswith("__") and name.endswith("__") and len(name) > 4):
        return "public"
    return "private" if in_class and name.startswith("__") else "internal"
