"""Foreign contracts: edges from code to the functions of other languages that it names.

Owns: which function of which file a name of another language means, in both directions.
Must not know: how names are found, any particular language.
Invariant: an edge rests on a declaration on both sides with one name for the linker, or on a module that code declares
    for another language and a name that this brings in from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from graphls.analysis.frameworks.code_signs import CodeMarks, code_marks, files_marked
from graphls.analysis.frameworks.declared_nodes import ContractUse, FileDerivation, edges_by_site
from graphls.analysis.frameworks.foreign_uses import FOREIGN, IN_MODULE, MODULE, closing_brace, folder_rules
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath, nearest
from graphls.graph.derivation import DERIVED, DerivedNode
from graphls.graph.evidence import RawEdge
from graphls.graph.nodes import lasting_row, rows_named
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import linkage_of

_EXTERN: Final = re.compile(rb"\bextern\s+\"C\"\s*(\{)?")
_MOST: Final = 4
"""Functions that one name may mean."""
_CALLABLE: Final = (DefinitionKind.FUNCTION, DefinitionKind.METHOD)


class ForeignContracts:
    """The edges of one snapshot."""

    def __init__(self, snapshot: Snapshot, derived: Callable[[FilePath], FileDerivation]) -> None:
        self._snapshot = snapshot
        self._derived = derived
        self._offers: Mapping[str, Sequence[ContractUse]] | None = None
        self._modules: Mapping[str, Sequence[ContractUse]] | None = None
        self._uses: Mapping[str, Sequence[ContractUse]] | None = None
        self._brought: dict[FilePath, Sequence[ContractUse]] = {}
        self._edges: dict[ContractUse, Sequence[RawEdge]] = {}

    def edges_from(self, path: FilePath) -> Sequence[RawEdge]:
        """Edges whose source is in one file."""
        return edges_by_site(edge for use in self._named_by(path) for edge in self._of(use))

    def edges_to(self, place: SymbolRef | DerivedNode) -> Sequence[RawEdge]:
        """Edges that end at one place."""
        if isinstance(place, DerivedNode):
            return ()
        offered = (use for use in self._of_file(place.file) if use.serves and use.source == place)
        names = dict.fromkeys(part for use in offered for part in use.name.split(" "))
        if place.definition >= 0 and linkage_of(place.file):
            facts = self._snapshot.facts(place.file)
            names[facts.strings[facts.definitions.name[place.definition]]] = None
        if not names:
            return ()  # so that most questions look at no other file
        uses = dict.fromkeys(use for one in names for use in self._all_uses().get(one, ()))
        return edges_by_site(edge for use in uses for edge in self._of(use) if edge.target == place)

    # ---- who names what

    def _of_file(self, path: FilePath) -> Iterator[ContractUse]:
        """What a file offers and names by its own text."""
        if path in self._snapshot.shards and code_marks(self._snapshot, path) & CodeMarks.FOREIGN:
            yield from (use for use in self._derived(path).uses if use.kind in (FOREIGN, MODULE))

    def _named_by(self, path: FilePath) -> Iterator[ContractUse]:
        yield from (use for use in self._of_file(path) if not use.serves)
        yield from self._from_modules(path)

    def _from_modules(self, path: FilePath) -> Sequence[ContractUse]:
        """What a file brings in from modules that other languages declare."""
        known = self._brought.get(path)
        if known is None:
            modules = self._all_modules()
            code = bool(modules and self._snapshot.shards[path].language)
            known = self._brought[path] = tuple(self._brought_in(path, modules)) if code else ()
        return known

    def _brought_in(self, path: FilePath, modules: Mapping[str, Sequence[ContractUse]]) -> Iterator[ContractUse]:
        facts = self._snapshot.facts(path)
        imports, strings = facts.imports, facts.strings
        for row, definition in enumerate(imports.definition):
            parts = strings[imports.module[row]].split(".") if imports.module[row] >= 0 else [""]
            # A module of another language may have modules inside, which nothing declares by name.
            module = next((part for part in reversed(parts) if part in modules), parts[-1])
            name = strings[imports.name[row]] if imports.name[row] >= 0 else ""
            if definition < 0 or not {module, name} & modules.keys():
                continue
            local = facts.definitions.name[definition]
            if sum(1 for _ in rows_named(facts, local)) != 1:
                continue
            if name and module in modules:
                full = f"{module}.{name}"
                yield self._use(path, -1, full, imports.start[row], imports.end[row])
                yield from self._uses_of_name(path, local, full)
            elif name in modules or (not name and len(parts) == 1):
                yield from self._uses_of_members(path, strings[local], name or module)

    def _uses_of_name(self, path: FilePath, local: int, full: str) -> Iterator[ContractUse]:
        uses = self._snapshot.facts(path).occurrences
        for row, name in enumerate(uses.name):
            if name == local:
                yield self._use(path, uses.owner[row], full, uses.start[row], uses.end[row])

    def _uses_of_members(self, path: FilePath, local: str, module: str) -> Iterator[ContractUse]:
        facts, text = self._snapshot.facts(path), self._snapshot.text(path) or b""
        uses, strings, before = facts.occurrences, facts.strings, f"{local}.".encode()
        for row, start in enumerate(uses.start):
            held = text[max(start - len(before) - 1, 0) : start]
            if (held.endswith(before) and not (held[:1].isalnum() or held[:1] in (b"_", b"."))) or held == before:
                yield self._use(path, uses.owner[row], f"{module}.{strings[uses.name[row]]}", start, uses.end[row])

    def _use(self, path: FilePath, owner: int, full: str, start: int, end: int) -> ContractUse:
        source = SymbolRef(path, lasting_row(self._snapshot.facts(path), owner))
        return ContractUse(FOREIGN, full, source, start, end, 1.0, rule=MODULE)

    def _all_uses(self) -> Mapping[str, Sequence[ContractUse]]:
        """By the names that they may mean; of a module, by that behind the dot as well."""
        if self._uses is None:
            snapshot = self._snapshot
            found: dict[str, list[ContractUse]] = {}
            files = set(files_marked(snapshot, CodeMarks.FOREIGN))
            files |= {path for name in self._all_modules() for path in snapshot.files_with_name(name)}
            for path in sorted(files):
                for use in self._named_by(path):
                    module, dot, name = use.name.rpartition(".")
                    for one in (f"{IN_MODULE}{name}",) if dot and module else use.name.split(" "):
                        found.setdefault(one, []).append(use)
            self._uses = found
        return self._uses

    # ---- what is offered

    def _all_modules(self) -> Mapping[str, Sequence[ContractUse]]:
        if self._modules is None:
            self._gather()
        return self._modules or {}

    def _all_offers(self) -> Mapping[str, Sequence[ContractUse]]:
        if self._offers is None:
            self._gather()
        return self._offers or {}

    def _gather(self) -> None:
        offers: dict[str, list[ContractUse]] = {}
        modules: dict[str, list[ContractUse]] = {}
        for path in files_marked(self._snapshot, CodeMarks.FOREIGN):
            for use in self._of_file(path):
                if use.serves:
                    (modules if use.kind == MODULE else offers).setdefault(use.name, []).append(use)
        self._offers, self._modules = offers, modules

    def _of(self, use: ContractUse) -> Sequence[RawEdge]:
        known = self._edges.get(use)
        if known is None:
            known = self._edges[use] = tuple(self._made(use))
        return known

    def _made(self, use: ContractUse) -> Iterator[RawEdge]:
        meant = self._meant(use)
        for place in meant if len(meant) <= _MOST else ():
            yield RawEdge(
                source=use.source,
                target=place,
                kind="references",
                provenance=DERIVED,
                resolution="name",
                confidence=round(use.confidence / len(meant), 4),
                ambiguous=len(meant) > 1,
                sites=((use.source.file, use.start, use.end),),
                attributes={"via": FOREIGN, "rule": use.rule},
            )

    def _meant(self, use: ContractUse) -> Sequence[SymbolRef]:
        module, dot, name = use.name.rpartition(".")
        if dot:
            return self._in_module(use.source.file, module, name)
        for one in use.name.split(" "):
            offered = [offer.source for offer in self._all_offers().get(one, ())]
            found = [place for place in (*offered, *self._plain(one)) if place != use.source]
            if use.rule in folder_rules():
                found = [place for place in found if _is_below_folder(place.file, use.source.file)]
            if found:
                return nearest(use.source.file, dict.fromkeys(found), _file_of)
        return ()

    def _in_module(self, path: FilePath, module: str, name: str) -> Sequence[SymbolRef]:
        """What is offered where a module is declared, in its file or beside it."""
        offers = [one.source for one in self._all_offers().get(f"{IN_MODULE}{name}", ())]
        declared = nearest(path, (one.source for one in self._all_modules().get(module, ())), _file_of)
        own = [place for place in offers if any(place.file == one.file for one in declared)]
        around = [place for place in offers if any(_is_below_folder(place.file, one.file) for one in declared)]
        return tuple(dict.fromkeys(own or around))

    def _plain(self, name: str) -> Iterator[SymbolRef]:
        """Functions that a linker knows by their names, in files that say nothing of other languages."""
        snapshot = self._snapshot
        for path in snapshot.files_with_name(name):
            linkage = linkage_of(path) if path in snapshot.shards else ""
            if not linkage:
                continue
            facts = snapshot.facts(path)
            table = facts.definitions
            number = facts.strings.index(name) if name in facts.strings else -1
            for row in rows_named(facts, number):
                if table.kind[row] not in _CALLABLE or table.body[row] < 0 or table.flags[row] & DefinitionFlag.STATIC:
                    continue
                if linkage == "name" or self._is_extern(path, table.full_start[row], table.start[row]):
                    yield SymbolRef(path, row)

    def _is_extern(self, path: FilePath, start: int, end: int) -> bool:
        """Whether a definition is declared to keep its name: by itself, or in a block."""
        text = self._snapshot.text(path) or b""
        declared = _EXTERN.finditer(text, 0, end)
        return any(
            closing_brace(text, found) > end if found[1] is not None else found.start() >= start for found in declared
        )


def _file_of(place: SymbolRef) -> FilePath:
    return place.file


def _is_below_folder(path: FilePath, other: FilePath) -> bool:
    """Whether a file is in the folder of another one or below it."""
    folder = other.rpartition("/")[0]
    return not folder or path.startswith(f"{folder}/")
