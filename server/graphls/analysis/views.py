"""Views: the questions that rules ask, answered once for a snapshot.

Owns: import edges, module roles, lookups by name, memory of what is still true after an edit.
Must not know: any particular rule, settings other than the declared layers.
Invariant: an answer that is remembered is a function of its key; equal keys mean equal answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, TypeVar, cast

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, EdgeKind, ImportFlag
from graphls.facts.links import EXTERNAL, OWN_FILE, Links
from graphls.facts.paths import FilePath
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef, Target

T = TypeVar("T")

_TEST: Final = re.compile(
    r"(^|/)(tests?|testing|test_[^/]*|__tests__|fixtures?|testdata)(/|$)|(^|/)(test_[^/]*|[^/]*_tests?|conftest)\.pyi?$"
    r"|(^|/)tests?\.py$|\.(test|spec)\.[cm]?[jt]sx?$"
)
_PROGRAM: Final = re.compile(
    r"(^|/)(setup|conftest|settings[^/]*|manage|wsgi|asgi|fabfile|noxfile|tasks|conf|config|__main__)\.py$"
    r"|(^|/)(docs?|examples?|scripts?|tools?|benchmarks?|bin|settings|migrations)/"
)
_FOREIGN: Final = re.compile(
    r"(^|/)(_?vendor(ed)?|_?vendored_packages|third[_-]?party|node_modules|bower_components|extern(al)?s?)/"
    r"|[.-]min\.[cm]?js$|\.bundle\.[cm]?js$",
    re.IGNORECASE,
)
CALLABLES: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY))


@attrs.frozen
class ImportEdge:
    """One import statement's effect: `source` needs `target`."""

    source: FilePath
    target: FilePath
    start: int
    end: int
    flags: ImportFlag
    named: bool
    """Takes a name out of the module (`from m import x`), so the module must have got that far."""


@attrs.frozen
class Dispatch:
    """One choice between named cases, in a function."""

    place: SymbolRef
    subject: str
    cases: tuple[str, ...]
    start: int
    end: int


@attrs.frozen(eq=False)
class _ViewMemo:
    key: object
    answer: object


class Views:
    """What rules see of one snapshot."""

    def __init__(self, snapshot: Snapshot, layers: tuple[tuple[str, ...], ...] = ()) -> None:
        self.snapshot = snapshot
        self.layers = layers
        self._imports: tuple[ImportEdge, ...] | None = None

    def sources(self, *, tests: bool = False, programs: bool = True) -> Iterator[FilePath]:
        """Files written by people, in order of path."""
        for path in self.snapshot.files():
            if not tests and is_test(path):
                continue
            if not programs and is_program(path):
                continue
            if not self.per_file("generated", path, lambda facts: facts.generated):
                yield path

    def per_file(self, subject: str, path: FilePath, make: Callable[[FileFacts], T]) -> T:
        """An answer that depends on the facts of one file alone."""
        return self._memoized(subject, path, None, lambda: make(self.snapshot.facts(path)))

    def per_text(self, subject: str, path: FilePath, make: Callable[[bytes], T], unread: T) -> T:
        """An answer that depends on the text of one file alone; `unread` where the text is not to be had."""

        def made() -> T:
            text = self.snapshot.text(path)
            return unread if text is None else make(text)

        return self._memoized(subject, path, None, made)

    def imports(self) -> tuple[ImportEdge, ...]:
        """Imports between files of the workspace, in order of file and place; tests are files like others."""
        if self._imports is None:
            self._imports = tuple(edge for path in self.snapshot.files() for edge in self._imports_of(path))
        return self._imports

    def dispatches(self, path: FilePath) -> tuple[Dispatch, ...]:
        """Choices between cases that stand in a function of the file."""
        return self.per_file("dispatches", path, lambda facts: tuple(_dispatches(path, facts)))

    def module(self, path: FilePath) -> str:
        """Dotted name of a file's module."""
        return self.snapshot.module_name(path).dotted

    def symbol(self, place: SymbolRef) -> str:
        """How people write a place: `module.path:Class.method`."""
        return symbol_name(self.snapshot, place)

    def name(self, place: SymbolRef) -> str:
        """The bare name of a definition."""
        facts = self.snapshot.facts(place.file)
        return facts.strings[facts.definitions.name[place.definition]]

    def sure_targets(self, path: FilePath, occurrence: int) -> tuple[Target, ...]:
        """What an occurrence means, where that is no guess."""
        return tuple(t for t in self.snapshot.targets(path, occurrence) if t.confidence >= 0.7 and not t.ambiguous)

    def _imports_of(self, path: FilePath) -> tuple[ImportEdge, ...]:
        shard = self.snapshot.shards[path]
        # Which module an import names is decided by the text and the table of modules alone.
        table = self.snapshot.modules.get(shard.language)
        return self._memoized("imports", path, table, lambda: tuple(self._read_imports(path)))

    def _memoized(self, subject: str, path: FilePath, key: object, make: Callable[[], T]) -> T:
        """What a shard keeps under this subject; kept for one `key` at a time, told apart by identity."""
        memo, name = self.snapshot.shards[path].memo, f"analysis {subject}"
        known = memo.get(name)
        if isinstance(known, _ViewMemo) and known.key is key:
            return cast("T", known.answer)
        answer = make()
        memo[name] = _ViewMemo(key, answer)
        return answer

    def _read_imports(self, path: FilePath) -> Iterator[ImportEdge]:
        facts, links = self.snapshot.facts(path), self.snapshot.links(path)
        table, imports = links.module_targets, facts.imports
        for row, at in enumerate(table.occurrence):
            target = _file_of(path, links, row)
            if target is None:
                continue
            name = facts.strings[imports.name[at]] if imports.name[at] >= 0 else ""
            target, named = self._imported(path, target, name)
            if target != path:
                yield ImportEdge(path, target, imports.start[at], imports.end[at], ImportFlag(imports.flags[at]), named)

    def _imported(self, path: FilePath, target: FilePath, name: str) -> tuple[FilePath, bool]:
        """`from package import module` needs the module, and nothing from the package itself."""
        if not name or name == "*":
            return target, bool(name)
        dotted = f"{self.module(target)}.{name}"
        table = self.snapshot.modules[self.snapshot.shards[path].language]
        inner = table.find(dotted, path) if dotted in table.files else None
        if inner is not None:
            return inner, False
        # What a package does not bind is a module without a source of its own: compiled, say.
        return (target, True) if self._binds(target, name) else (path, False)

    def _binds(self, path: FilePath, name: str) -> bool:
        """Whether a name may come from the module itself and not from a module in its folder."""
        if not self.snapshot.module_name(path).package:
            return True
        surface = self.snapshot.surface(path)
        members = surface.members(0)
        return surface.dynamic or name in members or "*" in members


@lru_cache(maxsize=20_000)
def is_test(path: str) -> bool:
    """Whether a file is about testing by where it stands and how it is named."""
    return _TEST.search(path) is not None


@lru_cache(maxsize=20_000)
def is_foreign(path: str) -> bool:
    """Whether a file is a copy of what others wrote, or was made from it, by where it stands and how it is named."""
    return _FOREIGN.search(path) is not None


@lru_cache(maxsize=20_000)
def is_program(path: str) -> bool:
    """Whether a file is meant to run, or to be read by a tool, rather than to be imported."""
    return _PROGRAM.search(path) is not None


def is_call(target: Target) -> bool:
    """Whether a link runs its target."""
    return target.edge in (EdgeKind.CALLS, EdgeKind.INSTANTIATES)


def flags_of(facts: FileFacts, row: int) -> DefinitionFlag:
    """Flags of a definition."""
    return DefinitionFlag(facts.definitions.flags[row])


def _file_of(path: FilePath, links: Links, row: int) -> FilePath | None:
    table = links.module_targets
    if table.symbol[row] == EXTERNAL:
        return None
    return path if table.file[row] == OWN_FILE else FilePath(links.files[table.file[row]])


def _dispatches(path: FilePath, facts: FileFacts) -> Iterator[Dispatch]:
    table, strings = facts.dispatches, facts.strings
    for row, owner in enumerate(table.owner):
        if owner >= 0:
            cases = tuple(sorted({strings[case] for case in facts.list_at(table.cases[row])}))
            subject = strings[table.subject[row]] if table.subject[row] >= 0 else ""
            yield Dispatch(SymbolRef(path, owner), subject, cases, table.start[row], table.end[row])
