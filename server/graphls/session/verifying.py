"""Verifying: the checker of a session, asked for what answers need and for the rest while nobody waits.

Owns: which checker there is, when it starts and ends, what a settled answer says of itself, answers kept between runs.
Must not know: protocols, which question is asked, how a checker is spoken to.
Invariant: never raises because of a checker and never waits past the budget; what it left out is in the settlement.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import attrs

from graphls.compilers.answer_store import AnswerStore
from graphls.compilers.background import Background, CheckerProgress
from graphls.compilers.checker_hover import HoverPosition, HoverRequest
from graphls.compilers.checkers import CheckerLookup, NoChecker, find_checkers
from graphls.compilers.listed_uses import UsesQuery, UsesRequest
from graphls.compilers.precision import RulePrecision, precision
from graphls.compilers.scip import ScipError, ScipIndex
from graphls.compilers.scip_answers import IndexImport, import_index
from graphls.compilers.status import CheckerState, CheckerStatus
from graphls.compilers.verifier import Group, Verifier, home_of, limits_of
from graphls.context.pack import Pack
from graphls.facts.paths import FilePath
from graphls.graph.request_budget import spent_reason
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.verification import VerificationResult, with_result
from graphls.queries.neighborhood import MAX_DEPTH, Direction, NeighborhoodQuery, neighborhood
from graphls.queries.symbol_lookup import find_symbol
from graphls.queries.uncertain_sites import uncertain_sites_at, uncertain_sites_inside, uncertain_sites_of
from graphls.settings import Settings
from graphls.sources.environment import find_environment
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

_CLOSING = 5.0
_FURTHER = 30
_UNKNOWN = (NoChecker("", "the workspace is still being read"),)


@attrs.frozen
class _StoredAnswers:
    """Answers in the store."""

    store: BlobStore

    def get(self, key: str) -> bytes | None:
        return self.store.get("checked", key)

    def put(self, values: Mapping[str, bytes]) -> None:
        self.store.put_many("checked", values)


class CheckerService:
    """Safe to use from any thread. Without `renew` there is no checker, and snapshots are handed out as they are."""

    def __init__(
        self,
        workspace: Workspace,
        store: BlobStore | None = None,
        on_progress: Callable[[CheckerProgress], None] | None = None,
        is_answering: Callable[[], bool] = lambda: False,
    ) -> None:
        """`is_answering`: whether somebody waits for any answer, also one that needs no checker."""
        self._workspace = workspace
        self._stored_answers = _StoredAnswers(store) if store is not None else None
        self._on_progress = on_progress
        self._is_answering = is_answering
        self._lock = threading.Lock()
        self._verifier = Verifier(workspace, _UNKNOWN)
        self._background: Background | None = None
        self._budget = 0.0
        self._done = 0
        """Revision of the last snapshot of which every site was asked about."""
        self._closed = False
        self.enabled = False
        """Whether anybody wants a checker here."""
        self.last: CheckerProgress | None = None

    # ---- which checker

    def renew(self, settings: Settings) -> None:
        """Finds the checker that the settings name; one that runs goes on if it is still the same."""
        self._budget = float(settings.checker.budget_ms)
        found = self._found(settings)
        with self._lock:
            if self._closed or (self.enabled and found == self._verifier.checkers):
                return
            self.enabled = True
            old, behind = self._verifier, self._background
            self._verifier = Verifier(self._workspace, found, limits_of(settings.checker), self._stored_answers)
            if old.observed is not None:
                self._verifier.observe(old.observed)
            self._background, self._done = None, 0
        threading.Thread(target=_end, args=(old, behind), name="graphls-checker-end", daemon=True).start()

    def _found(self, settings: Settings) -> tuple[CheckerLookup, ...]:
        folders = self._workspace.folders
        if not folders:
            return (NoChecker(settings.checker.name, "no folder is open"),)
        environment = find_environment(folders[0].root, settings.python.environment).found
        return find_checkers(settings.checker, environment, tuple(folder.root for folder in folders))

    def wake(self, snapshot: Snapshot) -> None:
        """Starts the checkers of the languages there are, in the background."""
        self._verifier.observe(snapshot)
        self._verifier.wake()

    def wait_ready(self, seconds: float, snapshot: Snapshot | None = None) -> bool:
        """Starts the checkers of the languages in a snapshot, or in the one seen last, and waits until they can
        answer; whether all that are installed can, and one is."""
        if snapshot is not None:
            self._verifier.observe(snapshot)
        return self._verifier.wait_ready(seconds)

    @property
    def problem(self) -> str:
        """Why languages have no checker, "" when all have one."""
        return "; ".join(dict.fromkeys(one.problem for one in self._verifier.missing_checkers()))

    def status(self, snapshot: Snapshot | None = None) -> tuple[CheckerStatus, ...]:
        """How the checkers are doing: those of the languages in this snapshot, or in the one seen last."""
        if not self.enabled:
            return ()
        if snapshot is not None:
            self._verifier.observe(snapshot)
        return self._verifier.status()

    def checkers(self, *, versions: bool) -> dict[str, str]:
        """Language -> the checker that settles its names. `versions`: with its version, which is known once it has
        started: without, what is said of one graph does not depend on whether it has."""
        made: dict[str, str] = {}
        for status in self.status():
            if status.state not in (CheckerState.OFF, CheckerState.MISSING):
                named = f"{status.name} {status.version}".strip() if versions else status.name
                made.update((language, named) for language in status.languages)
        return made

    # ---- answers

    def drop_values(self) -> None:
        """Lets go of what verified snapshots carry along."""
        self._verifier.drop_values()

    def verified(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with all answers there are."""
        return self._verifier.verified(snapshot)

    def verified_in_background(self, snapshot: Snapshot) -> Snapshot:
        """The same for work that nobody waits for."""
        return self._verifier.verified_in_background(snapshot)

    def at(self, snapshot: Snapshot, path: FilePath, offset: int) -> Snapshot:
        """The snapshot with the name at an offset settled, if time allows."""
        return self.verify(snapshot, uncertain_sites_at(snapshot, path, offset))

    def near(
        self,
        snapshot: Snapshot,
        places: Sequence[SymbolRef],
        direction: Direction = "both",
        depth: int = 1,
        budget_ms: float | None = None,
    ) -> Snapshot:
        """The snapshot with the edges at places settled; for a greater depth those of places near them as well."""
        # Uses of a thing are in its language: where all of that is settled, there is nothing to look for.
        open_yet = self._verifier.has_no_checker if snapshot.revision == self._done else _always
        groups = _edges_at(snapshot, [place for place in places if open_yet(place.file)], direction)
        if depth > 1 and self.enabled:
            groups = chain(groups, _edges_further(snapshot, places, direction, depth, open_yet))
        return self.verify(snapshot, groups, budget_ms)

    def verified_pack(
        self, snapshot: Snapshot, make: Callable[[Snapshot], Pack], budget_ms: float | None = None
    ) -> tuple[Snapshot, Pack]:
        """A pack, made again where settling what it holds brought something new; and the snapshot it was made from."""
        found = make(snapshot)
        if not self.enabled or spent_reason():
            return snapshot, found
        names = (name for item in found.items for name in (item.symbol, *item.also))
        refs = (places[0] for name in names if (places := find_symbol(snapshot, name)))
        better = self.near(snapshot, tuple(refs), "out", budget_ms=budget_ms)
        result = better.verification_result
        return better, make(better) if result is not None and result.checked else found

    def verify(self, snapshot: Snapshot, groups: Iterable[Group], budget_ms: float | None = None) -> Snapshot:
        """The snapshot with sites settled. Who gives a `budget_ms` also waits for a checker that is starting."""
        verifier = self._verifier
        if not self.enabled:
            return snapshot
        verifier.observe(snapshot)
        if verifier.client is None:
            return with_result(verifier.verified(snapshot), VerificationResult(0, None, self.problem))
        if snapshot.revision == self._done and not verifier.missing_checkers():
            return with_result(verifier.verified(snapshot), VerificationResult())
        budget = self._budget if budget_ms is None else budget_ms
        done = verifier.verify_groups(snapshot, groups, budget, patient=budget_ms is not None)
        return with_result(done.snapshot, VerificationResult(done.answered, done.left_out, done.reason))

    def uses(self, snapshot: Snapshot, path: FilePath, offset: int, declarations: bool) -> UsesRequest | None:
        """Asks the checker for all uses of the name at an offset, where it may know more than the graph."""
        verifier = self._verifier
        if not self.enabled:
            return None
        verifier.observe(snapshot)
        return verifier.uses(snapshot, UsesQuery(path, offset, declarations), self._budget)

    def hover(self, snapshot: Snapshot, path: FilePath, offset: int) -> HoverRequest | None:
        """Asks the checker what it shows of the name at an offset; None where none can answer now."""
        verifier = self._verifier
        if not self.enabled:
            return None
        verifier.observe(snapshot)
        return verifier.hover(snapshot, HoverPosition(path, offset), self._budget)

    # ---- while nobody waits

    def upgrade(self, snapshot: Snapshot, first: Sequence[FilePath] = ()) -> None:
        """Settles every site in the background; `first`: files that people look at."""
        with self._lock:
            verifier, closed = self._verifier, self._closed
        if closed or verifier.client is None:
            if not closed:
                verifier.load_stored(snapshot)
            return
        with self._lock:
            if self._closed or self._verifier is not verifier:
                return
            if self._background is None:
                self._background = Background(self._verifier, self._report, is_answering=self._is_answering)
            background = self._background
        background.work_on(snapshot, first)

    def wait(self, seconds: float | None = None) -> bool:
        """Waits until nothing is left to settle; whether that is so."""
        background = self._background
        return background is None or background.wait(seconds)

    def load_stored(self, snapshot: Snapshot) -> None:
        """Takes in what is known from earlier runs; asks nobody."""
        self._verifier.load_stored(snapshot)

    def import_index(self, snapshot: Snapshot, index: ScipIndex, apart: Collection[FilePath] = ()) -> IndexImport:
        """Keeps what a SCIP index says of a snapshot whose files are all linked, but for files that graphls does not
        read (`apart`). Raises ScipError."""
        if self._stored_answers is None:
            raise ScipError("an index is kept in the cache, which is switched off")
        found = import_index(snapshot, index, apart)
        AnswerStore({}, self._stored_answers, home_of(self._workspace)).store_imported(found.files)
        return found

    def precision(self, snapshot: Snapshot) -> tuple[RulePrecision, ...]:
        """How often each rule was right, by all answers there are."""
        return precision(snapshot, self._verifier.overlay())

    def _report(self, progress: CheckerProgress) -> None:
        self.last = progress
        if progress.phase in ("modules", "done") and not progress.without_answer:
            self._done = progress.revision
        if self._on_progress is not None:
            self._on_progress(progress)

    def close(self) -> None:
        """Ends all processes and keeps what they said."""
        with self._lock:
            self._closed = True
            verifier, background = self._verifier, self._background
        _end(verifier, background)


def _edges_at(snapshot: Snapshot, places: Iterable[SymbolRef], direction: Direction) -> Iterator[Group]:
    if direction != "in":
        yield from uncertain_sites_inside(snapshot, places)
    if direction != "out":
        yield from uncertain_sites_of(snapshot, places)


def _always(path: FilePath) -> bool:
    return True


def _edges_further(
    snapshot: Snapshot,
    places: Sequence[SymbolRef],
    direction: Direction,
    depth: int,
    wanted: Callable[[FilePath], bool],
) -> Iterator[Group]:
    """Edges at places that are less than `depth` steps away. Looked for when everything nearer has been asked about."""
    for place in places:
        reach = NeighborhoodQuery(depth=min(depth, MAX_DEPTH) - 1, direction=direction, limit=_FURTHER)
        around = [near.node for near in neighborhood(snapshot, place, reach).nodes]
        inside_it = (node for node in around if isinstance(node, SymbolRef))
        yield from _edges_at(snapshot, [node for node in inside_it if wanted(node.file)], direction)


def _end(verifier: Verifier, background: Background | None) -> None:
    if background is not None:
        background.halt()
    verifier.close()
    if background is not None:
        # It may have asked once more in between, which starts a server.
        background.stop(_CLOSING)
        verifier.close()
