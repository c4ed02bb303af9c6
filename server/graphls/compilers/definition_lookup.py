"""Definition lookup: locations that a server answered, as definitions of the workspace or names outside it.

Owns: which definition a location means.
Must not know: requests, who asked.
Invariant: a location in the workspace becomes a definition that is there in the snapshot, or a stretch of its file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from graphls.compilers.answers import LOCATION_SYMBOL, SILENT, AnswerTarget, SiteAnswer, SiteOutcome
from graphls.compilers.configuration import of_runtime, packages_read
from graphls.compilers.locations import CheckerLocation
from graphls.compilers.outside import OutsideNames
from graphls.compilers.positions import PositionConverter
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.lines import Encoding
from graphls.facts.links import EXTERNAL, WHOLE_MODULE, Links
from graphls.facts.paths import FilePath
from graphls.graph.nodes import symbol_row
from graphls.graph.snapshot import Snapshot, rows_of
from graphls.sources.workspace import Workspace

_MOST_GOALS = 16
_RUN = frozenset({"__init__", "__new__", "__call__"})
"""What runs when something is called that has another name."""


class AnswerReader:
    """Answers about one file of one snapshot. Used by one thread at a time."""

    def __init__(
        self,
        snapshot: Snapshot,
        workspace: Workspace,
        positions: PositionConverter,
        outside: OutsideNames,
        encoding: Encoding,
    ) -> None:
        self._snapshot = snapshot
        self._workspace = workspace
        self._positions = positions
        self._outside = outside
        self._encoding: Encoding = encoding
        self._paths: dict[str, FilePath | None] = {}

    def answer(self, path: FilePath, row: int, own: Links, found: tuple[CheckerLocation, ...]) -> SiteAnswer:
        """What the locations say about one occurrence."""
        facts = self._snapshot.facts(path)
        spelled = facts.strings[facts.occurrences.name[row]]
        found = tuple(one for one in found if not self._is_implied(path, one, spelled))
        if not found:
            return SILENT
        targets = dict.fromkeys(target for one in found if (target := self._target(path, one, spelled)) is not None)
        if targets and all(target.file == path and target.symbol == WHOLE_MODULE for target in targets):
            return SILENT  # `module` of CommonJS: the module that it is in is no use of itself
        if not targets:
            # It could not follow an import. Where graphls reads no packages the binding is all there is to show.
            known = packages_read(path) or any(map(of_runtime, _outside(own, row)))
            near = () if known else tuple(one for one in found if self._path(one.path) == path)
            return (
                SiteAnswer(SiteOutcome.SILENT, tuple(self._location_target(path, one) for one in near))
                if near
                else SILENT
            )
        if not all(target.file for target in targets):
            targets = dict.fromkeys(target for target in targets if not self._only_runs(path, target, targets, spelled))
        if not any(target.file for target in targets):
            targets = dict.fromkeys(_known_name(own, row, target) for target in targets)
        return SiteAnswer(SiteOutcome.FOUND, tuple(sorted(targets, key=_order))[:_MOST_GOALS])

    def _is_implied(self, own_path: FilePath, location: CheckerLocation, spelled: str) -> bool:
        """Whether a goal is but the first use of a name that nothing declares: C declares functions by calling them."""
        path = self._path(location.path)
        known = self._snapshot.capabilities(own_path)
        if path is None or known is None or not known.prototypes:
            return False
        facts = self._snapshot.facts(path)
        start, end = (self._positions.offset(path, *point) for point in (location.start, location.end))
        at = bisect_left(facts.occurrences.start, start)
        used = at < len(facts.occurrences.start) and facts.occurrences.start[at] == start
        return (
            used
            and facts.strings[facts.occurrences.name[at]] == spelled
            and definition_at(facts, start, end, spelled) < 0
        )

    def _target(self, own_path: FilePath, location: CheckerLocation, spelled: str) -> AnswerTarget | None:
        path = self._path(location.path)
        if path is None:
            return AnswerTarget("", EXTERNAL, self._outside.name(location, self._encoding, spelled))
        start, end = (self._positions.offset(path, *point) for point in (location.start, location.end))
        if location.start == location.end == (0, 0):
            return AnswerTarget(path, WHOLE_MODULE)
        facts = self._snapshot.facts(path)
        if _whole(facts, start, end, self._snapshot.shards[path].size):
            return AnswerTarget(path, WHOLE_MODULE)
        row = holder_of(facts, definition_at(facts, start, end, spelled), spelled)
        if row >= 0 and facts.definitions.kind[row] == DefinitionKind.IMPORT:
            return None  # it could not follow the import, so it does not know
        symbol = row if path == own_path else _symbol(facts, row)
        return AnswerTarget(path, symbol) if symbol >= 0 else self._location_target(path, location)

    def _only_runs(self, path: FilePath, target: AnswerTarget, targets: Iterable[AnswerTarget], spelled: str) -> bool:
        """Whether a goal is what runs when the name is called, where the name itself is defined outside: `__init__`
        for `self.__class__()`."""
        if not target.file or target.symbol < 0 or spelled in _RUN:
            return False
        outside = any(not other.file and other.external.rpartition(".")[2] == spelled for other in targets)
        return outside and self._name(path, target) in _RUN

    def _name(self, path: FilePath, target: AnswerTarget) -> str:
        if target.file == path:
            facts = self._snapshot.facts(path)
            return facts.strings[facts.definitions.name[target.symbol]]
        surface = self._snapshot.surface(FilePath(target.file))
        return surface.strings[surface.symbols.name[target.symbol]]

    def _location_target(self, path: FilePath, location: CheckerLocation) -> AnswerTarget:
        start, end = (self._positions.offset(path, *point) for point in (location.start, location.end))
        return AnswerTarget(path, LOCATION_SYMBOL, self._snapshot.shards[path].content, start, end)

    def _path(self, absolute: str) -> FilePath | None:
        """The file of the snapshot, None for any other file."""
        if absolute not in self._paths:
            path = self._workspace.relative(absolute)
            shard = self._snapshot.shards.get(path) if path is not None else None
            self._paths[absolute] = path if shard is not None and shard.language else None
        return self._paths[absolute]


def _whole(facts: FileFacts, start: int, end: int, size: int) -> bool:
    """Whether a stretch is all of a file but what stands above its first statement: TypeScript says so of a module."""
    rows = facts.definitions
    if end < size or not size:
        return False
    alone = len(rows.start) > 0 and (start, end) in (
        (rows.start[0], rows.end[0]),
        (rows.full_start[0], rows.full_end[0]),
    )
    return not alone and (not len(rows.start) or start <= rows.full_start[0])


def _order(target: AnswerTarget) -> tuple[bool, str, int, str, int]:
    """Servers give several definitions in an order that changes from run to run."""
    return (not target.file, target.file, target.symbol, target.external, target.start)


def definition_at(facts: FileFacts, start: int, end: int, spelled: str) -> int:
    """Row of the definition whose name is in a stretch, of that name if there are several; -1 for none."""
    starts, ends, names = facts.definitions.start, facts.definitions.end, facts.definitions.name
    at = bisect_left(starts, start)
    first = -1
    while at < len(starts) and starts[at] < max(end, start + 1):
        if facts.strings[names[at]] == spelled:
            return at
        first = at if first < 0 else first
        at += 1
    if first < 0 and bisect_left(starts, start) > 0:
        before = bisect_left(starts, start) - 1
        return before if ends[before] > start else -1
    return first


def holder_of(facts: FileFacts, row: int, spelled: str) -> int:
    """The definition that a value is given to, for a value with a name of its own: `get: function _get() {}`."""
    definitions, names = facts.definitions, facts.definitions.name
    if row < 0 or facts.strings[names[row]] == spelled:
        return row
    line, _ = facts.line_column(definitions.start[row])
    for other in range(row - 1, max(row - 4, -1), -1):
        around = definitions.start[other] < definitions.start[row] < definitions.full_end[other]
        if around and facts.strings[names[other]] == spelled:
            return other if facts.line_column(definitions.start[other])[0] == line else row
    return row


def _symbol(facts: FileFacts, row: int) -> int:
    if row < 0:
        return -1
    surface = facts.definitions.surface
    return surface[row] if surface[row] >= 0 else surface[symbol_row(facts, row)]


def _known_name(own: Links, row: int, target: AnswerTarget) -> AnswerTarget:
    """The own name of the same thing, so that one library thing has one name however it was found."""
    last = target.external.rpartition(".")[2]
    for name in _outside(own, row):
        if name.rpartition(".")[2] == last:
            return AnswerTarget("", EXTERNAL, name)
    return target


def _outside(own: Links, row: int) -> list[str]:
    """Names outside to which own rules lead."""
    targets = own.targets
    return [own.externals[targets.file[at]] for at in rows_of(targets, row) if targets.symbol[at] == EXTERNAL]
