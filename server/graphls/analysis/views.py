"""Views: the questions that rules ask, answered once for a snapshot.

Owns: import edges, module roles, lookups by name, memory of what is still true after an edit.
Must not know: any particular rule, settings other than the declared layers.
Invariant: an answer that is remembered is a function of its key; equal keys mean equal answers.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias, TypeVar, cast
from weakref import ref

import attrs

from graphls.analysis.change_history import ChangeHistory, HistorySource
from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, EdgeKind, ImportFlag
from graphls.facts.links import EXTERNAL, OWN_FILE, Links
from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest
from graphls.graph.identity import symbol_name
from graphls.graph.made_by_tool import is_text_of_tool, said_of, said_of_all
from graphls.graph.memo import Memo, MemoTable
from graphls.graph.nodes import is_test_file
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef, Target
from graphls.linking.module_table import ModuleTable

T = TypeVar("T")

_ImportRow: TypeAlias = tuple[str, str, int, int, int]
"""Path of the module, the name taken from it or "", start, end, flags."""
_SUBJECT: Final = "rules 6"
"""The number is raised whenever a rule finds something else in a single file."""
_SUMMARY: Final = MemoTable[str, object]("analysis of one file")
_IMPORTS: Final = "imports"

_TEST: Final = re.compile(
    r"(^|/)(tests?|testing|test_[^/]*|__tests__|fixtures?|testdata)(/|$)|(^|/)(test_[^/]*|[^/]*_tests?|conftest)\.pyi?$"
    r"|(^|/)tests?\.py$|\.(test|spec|stories)\.[cm]?[jt]sx?$"
)
_PROGRAM: Final = re.compile(
    r"(^|/)(setup|conftest|settings[^/]*|manage|wsgi|asgi|fabfile|noxfile|tasks|conf|config|__main__)\.py$"
    r"|(^|/)(docs?|examples?|scripts?|tools?|benchmarks?|bin|settings|migrations)/|\.ipynb$|(^|/)[^/]*-[^/]*\.py$"
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
    key: ref[ModuleTable] | None
    """Of a table that is gone nothing is told; the memo of a file must not keep the table of a state long past."""
    answer: object

    def is_for(self, table: ModuleTable | None) -> bool:
        return self.key is None if table is None else self.key is not None and self.key() is table


_JUDGED = Memo["tuple[FilePath, ...]"]("files that findings may be about", rests_on_links=False)
_TEXT_OF_TOOL = Memo[bool]("text of a tool", rests_on_links=False)
_KEYED = MemoTable[str, _ViewMemo]("analysis")


class Views:
    """What rules see of one snapshot."""

    def __init__(
        self,
        snapshot: Snapshot,
        layers: tuple[tuple[str, ...], ...] = (),
        scope: str = "",
        *,
        generated: bool = False,
        pause: Callable[[], None] = lambda: None,
        source: HistorySource | None = None,
    ) -> None:
        """`scope`: the file or folder that is asked about, "" for all. What other files say may matter all the same.
        `generated`: files that tools made or others wrote are judged as well. `pause`: called between steps of
        work. `source`: where rules may ask for history."""
        self.snapshot = snapshot
        self.layers = layers
        self.scope = scope
        self.generated = generated
        self.pause = pause
        self._source = source
        self._imports: tuple[ImportEdge, ...] | None = None
        self._recalled = False
        self._made: set[FilePath] = set()
        """Files of which something was found that is not stored."""

    def history(self) -> ChangeHistory:
        """What version control and reports of coverage know. Raises GraphError where nobody does."""
        if self._source is None:
            raise BadRequest("History is not at hand here.")
        return self._source.read(self.snapshot)

    def in_scope(self, path: str) -> bool:
        """Whether a finding may be about the file."""
        return is_within(path, self.scope)

    def sources(self, *, tests: bool = False, programs: bool = True) -> Iterator[FilePath]:
        """Files written by people, in order of path."""
        for path in self._judged():
            if (tests or not is_test(path)) and (programs or not (is_program(path) or self._is_script(path))):
                yield path

    def _is_script(self, path: FilePath) -> bool:
        """Whether files of its language are run, also where others read them in."""
        known = self.snapshot.capabilities(path)
        return known is not None and known.script

    def _judged(self) -> Iterable[FilePath]:
        """Files that findings may be about, remembered once all were looked at."""
        if self.generated:
            return self.snapshot.files()
        known = _JUDGED.get(self.snapshot)
        return known if known is not None else self._judging()

    def _judging(self) -> Iterator[FilePath]:
        judged: list[FilePath] = []
        # All files are gone through after each edit.
        said_of, shards = said_of_all(self.snapshot), self.snapshot.shards
        for path in self.snapshot.files():
            made = said_of(path)
            if made is None:
                made = _TEXT_OF_TOOL.get(shards[path])
            if made is None:
                made = _TEXT_OF_TOOL.put(shards[path], self.is_made_by_tool(path))
            if not made:
                judged.append(path)
                yield path
        _JUDGED.put(self.snapshot, tuple(judged))

    def is_in_language_of(self, code: str, path: FilePath) -> bool:
        """Whether a file is in the language that a rule's code begins with."""
        return self.snapshot.shards[path].language == code.partition(".")[0]

    def is_judged(self, path: FilePath) -> bool:
        """Whether findings may be about a file: not where tools made it or others wrote it, unless that is wanted."""
        return self.generated or not self.is_made_by_tool(path)

    def is_made_by_tool(self, path: FilePath) -> bool:
        """Whether no person of this project maintains a file."""
        said = said_of(self.snapshot, path)
        return self.per_file("made by a tool", path, is_text_of_tool) if said is None else said

    def per_file(self, subject: str, path: FilePath, make: Callable[[FileFacts], T]) -> T:
        """An answer that depends on the facts of one file alone: plain, for it is stored from run to run."""
        return self._stored(subject, path, lambda: make(self.snapshot.facts(path)))

    def per_text(self, subject: str, path: FilePath, make: Callable[[bytes], T], unread: T) -> T:
        """An answer that depends on the text, and maybe the facts, of one file alone, plain as well; `unread` where the
        text is not to be had."""

        def made() -> T | None:
            text = self.snapshot.text(path)
            return None if text is None else make(text)

        found = self._stored(subject, path, made)
        return unread if found is None else found

    def per_links(self, subject: str, path: FilePath, row: int, make: Callable[[], bool]) -> bool:
        """An answer about one row of a file that depends on the facts and the own links of this file, and on what
        these rest on; stored from run to run. What a checker said is not: with it the answer is made each time."""
        snapshot = self.snapshot
        if snapshot.verification is not None:
            self._step()
            return make()
        name = f"{subject} by links"
        known, state, key = self._answers_by_links(path, name), snapshot.links_state(path), str(row)
        if known is not None and state and known[0] == state and key in known[1]:
            return known[1][key]
        self._step()
        answer = make()
        state = snapshot.links_state(path)
        if state:
            answers: Mapping[str, bool] = known[1] if known is not None and known[0] == state else {}
            self._summary(path)[name] = (state, {**answers, key: answer})
            self._made.add(path)
        return answer

    def _answers_by_links(self, path: FilePath, name: str) -> tuple[str, Mapping[str, bool]] | None:
        """What the links were then, and the answers by row."""
        return cast("tuple[str, Mapping[str, bool]] | None", self._summary(path).get(name))

    def imports(self) -> tuple[ImportEdge, ...]:
        """Imports between files of the workspace, in order of file and place; tests are files like others."""
        if self._imports is None:
            self._imports = tuple(edge for path in self.snapshot.files() for edge in self.imports_of(path))
        return self._imports

    def imports_of(self, path: FilePath) -> tuple[ImportEdge, ...]:
        """Those of one file, in order of place."""
        shard = self.snapshot.shards[path]
        # Which module an import names is decided by the text and the table of modules alone.
        table = self.snapshot.modules.get(shard.language)
        return self._memoized("imports", path, table, lambda: tuple(self._read_imports(path)))

    def import_pairs(self, path: FilePath) -> tuple[tuple[FilePath, FilePath], ...]:
        """One file with each other one that it imports: the same objects as long as it does."""
        table = self.snapshot.modules.get(self.snapshot.shards[path].language)

        def made() -> tuple[tuple[FilePath, FilePath], ...]:
            others = {edge.target for edge in self.imports_of(path)} - {path}
            return tuple((path, other) for other in sorted(others))

        return self._memoized("import pairs", path, table, made)

    def dispatches(self, path: FilePath) -> tuple[Dispatch, ...]:
        """Choices between cases that stand in a function of the file."""
        rows = self.per_file("dispatches", path, lambda facts: tuple(_dispatches(facts)))
        return tuple(
            Dispatch(SymbolRef(path, owner), subject, cases, start, end) for owner, subject, cases, start, end in rows
        )

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

    def store(self) -> None:
        """Has what was found of single files for later runs."""
        shards = self.snapshot.shards
        values = {path: encode_plain(_SUMMARY.of(shards[path])) for path in self._made}
        self._made.clear()
        self.snapshot.reader.store_file_values(self.snapshot, _SUBJECT, values)

    def _recall(self) -> None:
        """Has at hand what earlier runs found of single files."""
        self._recalled = True
        shards = self.snapshot.shards
        missing = [path for path, shard in shards.items() if _SUMMARY.get(shard) is None]
        for path, raw in self.snapshot.reader.file_values(self.snapshot, _SUBJECT, missing).items():
            with contextlib.suppress(CodecError):
                known = decode_plain(raw)
                if isinstance(known, dict):
                    _SUMMARY.put(shards[path], cast("dict[str, object]", known))
        # Half of the files are no code, and nothing is ever found of most: they are asked for once.
        for path in missing:
            if not shards[path].language:
                _SUMMARY.of(shards[path])

    def _step(self) -> None:
        spend()
        self.pause()

    def _summary(self, path: FilePath) -> dict[str, object]:
        """All that is known of one file, by subject."""
        if not self._recalled:
            self._recall()
        return _SUMMARY.of(self.snapshot.shards[path])

    def _stored(self, subject: str, path: FilePath, make: Callable[[], T]) -> T:
        known = self._summary(path)
        if subject not in known:
            self._step()
            known[subject] = make()
            self._made.add(path)
        return cast("T", known[subject])

    def _memoized(self, subject: str, path: FilePath, table: ModuleTable | None, make: Callable[[], T]) -> T:
        """What a shard keeps under this subject; kept for one table of modules at a time, told apart by identity."""
        memo = _KEYED.of(self.snapshot.shards[path])
        known = memo.get(subject)
        if known is not None and known.is_for(table):
            return cast("T", known.answer)
        self._step()
        answer = make()
        memo[subject] = _ViewMemo(None if table is None else ref(table), answer)
        return answer

    def _read_imports(self, path: FilePath) -> Iterator[ImportEdge]:
        for file, name, start, end, flags in self._import_rows(path):
            target, named = self._imported(path, FilePath(file), name)
            if target != path:
                yield ImportEdge(path, target, start, end, ImportFlag(flags), named)

    def _import_rows(self, path: FilePath) -> Sequence[_ImportRow]:
        """Imports as links tell them; stored with what names all that the links rest on."""
        stamp = self.snapshot.links_stamp(path)
        known = cast("tuple[str, Sequence[_ImportRow]] | None", self._summary(path).get(_IMPORTS))
        if known is not None and stamp and known[0] == stamp:
            return known[1]
        rows = tuple(_import_rows(path, self.snapshot.facts(path), self.snapshot.own_links(path)))
        self.is_made_by_tool(path)  # asked of nearly every file, and its facts are at hand
        stamp = self.snapshot.links_stamp(path)
        if stamp:
            self._summary(path)[_IMPORTS] = (stamp, rows)
            self._made.add(path)
        return rows

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


def is_within(path: str, scope: str) -> bool:
    """Whether a file is what a scope names, or below it; "" names everything."""
    scope = scope.rstrip("/")
    return not scope or path == scope or path.startswith(f"{scope}/")


@lru_cache(maxsize=20_000)
def is_test(path: str) -> bool:
    """Whether a file is about testing by where it stands and how it is named."""
    return _TEST.search(path) is not None or is_test_file(path)


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


def _import_rows(path: FilePath, facts: FileFacts, links: Links) -> Iterator[_ImportRow]:
    table, imports = links.module_targets, facts.imports
    for row, at in enumerate(table.occurrence):
        target = _file_of(path, links, row)
        if target is not None:
            name = facts.strings[imports.name[at]] if imports.name[at] >= 0 else ""
            yield target, name, imports.start[at], imports.end[at], imports.flags[at]


def _dispatches(facts: FileFacts) -> Iterator[tuple[int, str, tuple[str, ...], int, int]]:
    """The fields of a Dispatch, beginning with the row of the function."""
    table, strings = facts.dispatches, facts.strings
    for row, owner in enumerate(table.owner):
        if owner >= 0:
            cases = tuple(sorted({strings[case] for case in facts.list_at(table.cases[row])}))
            subject = strings[table.subject[row]] if table.subject[row] >= 0 else ""
            yield owner, subject, cases, table.start[row], table.end[row]
