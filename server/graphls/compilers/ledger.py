"""Ledger: the answers gathered so far, and the overlay made of them.

Owns: adding answers, dropping those that no longer hold, what is kept between runs.
Must not know: protocols, how questions are put.
Invariant: an answer is kept only with the contents and surfaces it was given for; a lost or foreign entry is a miss.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from hashlib import blake2b
from typing import Protocol

import attrs

from graphls.compilers.answers import (
    ANSWERS_VERSION,
    Answer,
    CheckedFile,
    Hashes,
    basis_of,
    holds,
    pack_checked,
    unpack_checked,
)
from graphls.compilers.overlay import Kin, Moment, Overlay, ground_in, hashes_of
from graphls.compilers.problems import ModuleCheck, pack_check, unpack_check
from graphls.facts.links import LINKS_VERSION, Links
from graphls.facts.paths import ContentHash, FilePath
from graphls.graph.snapshot import Shard, Snapshot
from graphls.languages.registry import language_of

_MOST_SHARED = 50_000
"""Equal answers that are held once. Edits move what answers name, so there is no end of different ones."""


class Kept(Protocol):
    """Where answers live between runs. Both may lose anything."""

    def get(self, key: str) -> bytes | None:
        """What was put under a key."""
        ...

    def put(self, values: Mapping[str, bytes]) -> None:
        """Keeps values."""
        ...


@attrs.define(eq=False)
class Page:
    """Answers for one file that hold together; grows while answers come in."""

    path: FilePath
    content: ContentHash
    ground: str
    rows: dict[int, Answer] = attrs.field(factory=dict[int, Answer])
    targets: dict[str, str] = attrs.field(factory=dict[str, str])
    uncertain: frozenset[int] | None = None
    """Rows that need the checker, once somebody counted them."""
    in_turn: bool = False
    """All were asked for one after the other; see `CheckedFile`."""

    def stands(self, ground: str, hashes: Hashes) -> bool:
        """Whether everything the answers rest on is what it was."""
        return ground == self.ground and all((hashes(FilePath(file)) or "") == at for file, at in self.targets.items())

    def frozen(self) -> CheckedFile:
        """The page as it is now."""
        files = tuple(sorted(self.targets))
        basis = basis_of(self.ground, self.targets)
        return CheckedFile(self.path, self.content, basis, files, dict(self.rows), self.in_turn)


class Ledger:
    """Safe to use from any thread. `checkers`: language -> program, version and packages; answers of another are not
    taken."""

    def __init__(self, checkers: Mapping[str, str], kept: Kept | None = None, home: str = "") -> None:
        """`home`: names the workspace, for what was imported into it."""
        self._checkers = checkers
        self._kept = kept
        self._home = blake2b(home.encode(errors="surrogatepass"), digest_size=16).hexdigest()
        self.imported = self._imported_files()
        """Files about which an imported index says something."""
        self._lock = threading.RLock()
        self._pages: dict[FilePath, Page] = {}
        self._checks: dict[FilePath, ModuleCheck] = {}
        self._same: dict[Answer, Answer] = {}
        self._changed: set[FilePath] = set()
        self._unsaved: set[FilePath] = set()
        self._unsaved_checks: set[FilePath] = set()
        self._kin = Kin()
        self._moment: Mapping[FilePath, Shard] | None = None
        self._passing: dict[FilePath, Page] = {}
        self._passed: set[FilePath] = set()
        self._overlay = Overlay(checkers, kin=self._kin)

    def page(self, snapshot: Snapshot, shard: Shard, own: Links) -> Page:
        """The page on which answers for a file of this snapshot belong, with those that still hold."""
        hashes = hashes_of(snapshot)
        ground = ground_in(snapshot, shard.path, own)
        with self._lock:
            page = self._pages.get(shard.path)
            if page is not None and page.content == shard.content and page.stands(ground, hashes):
                return page
            page = self._loaded(shard, ground, snapshot) or Page(shard.path, shard.content, ground)
            if shard.path in self.imported:
                self._join(page, hashes)
            self._pages[shard.path] = page
            self._changed.add(shard.path)
            return page

    def passing_page(self, snapshot: Snapshot, shard: Shard) -> Page:
        """The page for a file that is not linked yet: its answers hold in this state of the workspace only."""
        with self._lock:
            if self._moment is not snapshot.shards:
                self._moment, self._passing, self._passed = snapshot.shards, {}, set()
            return self._passing.setdefault(shard.path, Page(shard.path, shard.content, ""))

    def current(self, path: FilePath, hashes: Hashes) -> bool:
        """Whether the targets of all answers for a file are what they were."""
        with self._lock:
            page = self._pages.get(path)
            return page is not None and page.stands(page.ground, hashes)

    def add(self, page: Page, row: int, answer: Answer, snapshot: Snapshot) -> None:
        """One answer, given for `snapshot`. One that leads to a file that is gone by now is none."""
        hashes = hashes_of(snapshot)
        if any(goal.file and goal.file != page.path and not hashes(FilePath(goal.file)) for goal in answer.goals):
            return
        with self._lock:
            if page.rows.get(row) == answer:
                return
            page.rows[row] = self._shared(answer)
            self._kin.note(page.path, (answer,))
            for goal in answer.goals:
                if goal.file and goal.file != page.path and goal.file not in page.targets:
                    page.targets[goal.file] = hashes(FilePath(goal.file)) or ""
            if self._passing.get(page.path) is page:
                self._passed.add(page.path)
            if self._pages.get(page.path) is page:
                self._note(page, snapshot)

    def seal(self, page: Page, snapshot: Snapshot) -> None:
        """All on a page was asked for in turn."""
        with self._lock:
            if not page.in_turn and self._pages.get(page.path) is page:
                page.in_turn = True
                self._note(page, snapshot)

    def _note(self, page: Page, snapshot: Snapshot) -> None:
        """Called with the lock held: a page is another now."""
        self._changed.add(page.path)
        # While files are pending the disk, which the checker reads, is ahead of the snapshot.
        if not snapshot.shards[page.path].dirty and not snapshot.pending:
            self._unsaved.add(page.path)

    def add_check(self, check: ModuleCheck, keep: bool) -> None:
        """The verdict on a module."""
        with self._lock:
            self._checks[check.path] = check
            self._changed.add(check.path)
            if keep:
                self._unsaved_checks.add(check.path)

    def check(self, snapshot: Snapshot, shard: Shard, own: Links) -> ModuleCheck | None:
        """The verdict on a module as it is in this snapshot."""
        ground = ground_in(snapshot, shard.path, own)
        with self._lock:
            check = self._checks.get(shard.path)
            if check is None or check.content != shard.content or check.ground != ground:
                raw = self._kept.get(self._key("check", shard.path, shard.content)) if self._kept else None
                check = unpack_check(raw) if raw is not None else None
                if check is None or check.content != shard.content or check.ground != ground:
                    return None
                self._checks[shard.path] = check
                self._changed.add(shard.path)
            return check

    def overlay(self) -> Overlay:
        """Everything so far. The same object until something is added."""
        with self._lock:
            if self._changed or self._passed:
                files, checks = dict(self._overlay.files), dict(self._overlay.checks)
                for path in self._changed:
                    if path in self._pages:
                        files[path] = self._pages[path].frozen()
                    if path in self._checks:
                        checks[path] = self._checks[path]
                moment = Moment(self._moment, {path: dict(page.rows) for path, page in self._passing.items()})
                self._changed, self._passed = set(), set()
                self._overlay = Overlay(self._checkers, files, checks, moment, self._kin)
            return self._overlay

    def forget(self, present: Mapping[FilePath, Shard]) -> None:
        """Drops what is said about files that are gone."""
        with self._lock:
            gone = [path for path in self._pages if path not in present]
            for path in gone:
                del self._pages[path]
                self._checks.pop(path, None)
            if gone:
                files = {path: file for path, file in self._overlay.files.items() if path in present}
                checks = {path: check for path, check in self._overlay.checks.items() if path in present}
                self._overlay = Overlay(self._checkers, files, checks, self._overlay.moment, self._kin)

    def flush(self) -> None:
        """Writes to the store what is not there yet."""
        with self._lock:
            if self._kept is None or not (self._unsaved or self._unsaved_checks):
                return
            pages = [self._pages[path].frozen() for path in self._unsaved if path in self._pages]
            checks = [self._checks[path] for path in self._unsaved_checks if path in self._checks]
            self._unsaved, self._unsaved_checks = set(), set()
            kept = self._kept
        # Outside the lock: whoever looks at answers meanwhile does not wait for those of a hundred files to be packed.
        values = {self._key("", page.path, page.content): pack_checked(page) for page in pages}
        values.update((self._key("check", check.path, check.content), pack_check(check)) for check in checks)
        kept.put(values)

    def _loaded(self, shard: Shard, ground: str, snapshot: Snapshot) -> Page | None:
        raw = self._kept.get(self._key("", shard.path, shard.content)) if self._kept else None
        checked = unpack_checked(raw) if raw is not None else None
        hashes = hashes_of(snapshot)
        if checked is None or checked.path != shard.path or checked.content != shard.content:
            return None
        if not holds(checked, ground, hashes):
            return None
        targets = {file: hashes(FilePath(file)) or "" for file in checked.files}
        rows = {row: self._shared(answer) for row, answer in checked.rows.items()}
        self._kin.note(shard.path, rows.values())
        return Page(shard.path, shard.content, ground, rows, targets, in_turn=checked.in_turn)

    def _shared(self, answer: Answer) -> Answer:
        if len(self._same) >= _MOST_SHARED:
            self._same.clear()
        return self._same.setdefault(answer, answer)

    def keep_imported(self, files: Mapping[FilePath, CheckedFile]) -> None:
        """Keeps what an index says in the place of an earlier one. It is seen from the next start on."""
        if self._kept is None:
            return
        values = {self._imported_key(path, checked.content): pack_checked(checked) for path, checked in files.items()}
        self._kept.put({**values, self._home_key(): "\0".join(sorted(files)).encode(errors="surrogatepass")})

    def _imported_files(self) -> frozenset[FilePath]:
        raw = self._kept.get(self._home_key()) if self._kept else None
        return frozenset(map(FilePath, raw.decode(errors="surrogatepass").split("\0"))) if raw else frozenset()

    def _join(self, page: Page, hashes: Hashes) -> None:
        """Adds what an index says about sites that no checker answered."""
        raw = self._kept.get(self._imported_key(page.path, page.content)) if self._kept else None
        said = unpack_checked(raw) if raw is not None else None
        if said is None or (said.path, said.content) != (page.path, page.content):
            return
        if holds(said, page.ground, hashes):
            page.targets.update((file, hashes(FilePath(file)) or "") for file in said.files)
            page.rows.update((row, answer) for row, answer in said.rows.items() if row not in page.rows)
            self._kin.note(page.path, said.rows.values())

    def _home_key(self) -> str:
        return f"{ANSWERS_VERSION}.{LINKS_VERSION}.home:{self._home}"

    def _imported_key(self, path: FilePath, content: ContentHash) -> str:
        return f"{ANSWERS_VERSION}.{LINKS_VERSION}.imported:{self._home}:{content}:{path}"

    def _key(self, what: str, path: FilePath, content: ContentHash) -> str:
        checker = self._checkers.get(language_of(path), "")
        return f"{ANSWERS_VERSION}.{LINKS_VERSION}.{checker}.{what}:{content}:{path}"
