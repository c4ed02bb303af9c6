"""Open uses: the uses behind the gaps of an answer, as faces show them.

Owns: the record of a use, its line of code, what it may mean where that is few things.
Must not know: layout, JSON, which uses count for an answer.
Invariant: as many uses as the gaps of the same claim count, unless a limit was given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.identity import symbol_name
from graphls.graph.nodes import sources
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.completeness import Cause, CoverageClaim, OpenSite, OpenUse, open_sites
from graphls.queries.findable import names_in
from graphls.queries.node_views import Presenter
from graphls.queries.symbol import canonical

MOST_CANDIDATES: Final = 5
"""Of more than these none is named: that would be a list of everything that is called so."""
_LONGEST: Final = 160
_MEMBERS: Final = frozenset(
    {DefinitionKind.METHOD, DefinitionKind.FIELD, DefinitionKind.PROPERTY, DefinitionKind.ENUM_MEMBER}
)
_OF_MEMBERS: Final = frozenset({Cause.UNKNOWN_RECEIVER, Cause.STRING})


def open_uses(snapshot: Snapshot, claim: CoverageClaim, limit: int | None = None) -> tuple[OpenUse, ...]:
    """The uses behind the gaps of a claim, those of what was asked about first."""
    made = _OpenUseViews(snapshot)
    return tuple(made.use(site) for site in islice(open_sites(snapshot, claim), limit))


class _OpenUseViews:
    """Makes records; remembers what it looked up."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._presenter = Presenter(snapshot)
        self._lines: dict[FilePath, Sequence[bytes]] = {}
        self._candidates: dict[tuple[str, str, bool], Sequence[str]] = {}

    def use(self, site: OpenSite) -> OpenUse:
        snapshot, position = self._snapshot, self._presenter.position(site.file, site.start)
        read = site.cause != Cause.UNREAD
        owner = sources(snapshot.facts(site.file), (site.owner,))[site.owner][0] if read else NONE
        found = self._candidate_symbols(site) if read else ()
        return OpenUse(
            cause=str(site.cause),
            direction=site.direction,
            name=site.name,
            file=site.file,
            line=position.line,
            column=position.column,
            text=self._text(site.file, position.line),
            owner=symbol_name(snapshot, SymbolRef(site.file, owner)),
            candidates=tuple(found) if len(found) <= MOST_CANDIDATES else (),
            candidate_count=len(found),
        )

    def _text(self, path: FilePath, line: int) -> str:
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = (self._snapshot.text(path) or b"").split(b"\n")
        return lines[line - 1].decode("utf-8", "replace").strip()[:_LONGEST] if line <= len(lines) else ""

    def _candidate_symbols(self, site: OpenSite) -> Sequence[str]:
        language, members = self._snapshot.shards[site.file].language, site.cause in _OF_MEMBERS
        key = (language, site.name, members)
        known = self._candidates.get(key)
        if known is None:
            found = list(self._called(site.name, language))
            # A member may be one of anything; what no value leads to is one of a module.
            alike = [place for place, kind in found if (kind in _MEMBERS) == members]
            places = alike or [place for place, _ in found]
            known = tuple(dict.fromkeys(symbol_name(self._snapshot, place) for place in places))
            self._candidates[key] = known
        return known

    def _called(self, name: str, language: str) -> Iterator[tuple[SymbolRef, int]]:
        """Symbols of a name, with their kinds."""
        snapshot = self._snapshot
        for path in snapshot.files_with_name(name):
            if snapshot.shards[path].language != language:
                continue
            names = names_in(snapshot, path)
            for line, known in enumerate(names.text.split("\n") if names.rows else ()):
                row = snapshot.definition_of_symbol(path, names.rows[line]) if known == name else NONE
                if row != NONE:
                    yield canonical(snapshot, SymbolRef(path, row)), names.kinds[line]
