"""Answer store: the answers gathered so far, and the overlay made of them.

Owns: adding answers, dropping those that no longer hold, what is kept between runs.
Must not know: protocols, how questions are put.
Invariant: an answer is kept only with the contents and surfaces it was given for; a lost or foreign entry is a miss.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from hashlib import blake2b
from typing import Protocol
from weakref import WeakKeyDictionary, ref

import attrs

from graphls.compilers.answers import (
    ANSWERS_VERSION,
    CheckedFile,
    Hashes,
    SiteAnswer,
    basis_of,
    holds,
    pack_checked,
    unpack_checked,
)
from graphls.compilers.overlay import AnswerIndex, Overlay, UnlinkedAnswers, dependency_key_in, hashes_of
from graphls.compilers.problems import ModuleCheck, pack_check, unpack_check
from graphls.facts.links import LINKS_VERSION, Links
from graphls.facts.paths import ContentHash, FilePath
from graphls.graph.snapshot import Shard, Snapshot, SnapshotReader
from graphls.languages.registry import language_of


class AnswerBackend(Protocol):
    """Where answers live between runs. Both may lose anything."""

    def get(self, key: str) -> bytes | None:
        """What was put under a key."""
        ...

    def put(self, values: Mapping[str, bytes]) -> None:
        """Keeps values."""
        ...


@attrs.define(eq=False)
class FileAnswers:
    """Answers for one file that hold together; grows while answers come in."""

    path: FilePath
    content: ContentHash
    dependency_key: str
    rows: dict[int, SiteAnswer] = attrs.field(factory=dict[int, SiteAnswer])
    targets: dict[str, str] = attrs.field(factory=dict[str, str])
    uncertain: frozenset[int] | None = None
    """Rows that need the checker, once somebody counted them."""
    sequential: bool = False
    """All were asked for one after the other; see `CheckedFile`."""

    def is_current(self, dependency_key: str, hashes: Hashes) -> bool:
        """Whether everything the answers rest on is what it was."""
        return dependency_key == self.dependency_key and all(
            (hashes(FilePath(file)) or "") == at for file, at in self.targets.items()
        )

    def to_checked_file(self) -> CheckedFile:
        """The page as it is now."""
        files = tuple(sorted(self.targets))
        basis = basis_of(self.dependency_key, self.targets)
        return CheckedFile(self.path, self.content, basis, files, dict(self.rows), self.sequential)


class AnswerStore:
    """Safe to use from any thread. `checkers`: language -> program, version and packages; answers of another are not
    taken."""

    def __init__(self, checkers: Mapping[str, str], backend: AnswerBackend | None = None, home: str = "") -> None:
        """`home`: names the workspace, for what was imported into it."""
        self._checkers = checkers
        self._backend = backend
        self._home = blake2b(home.encode(errors="surrogatepass"), digest_size=16).hexdigest()
        self.imported = self._imported_files()
        """Files about which an imported index says something."""
        self._lock = threading.RLock()
        self._files: dict[FilePath, FileAnswers] = {}
        self._checks: dict[FilePath, ModuleCheck] = {}
        self._interned_answers: WeakKeyDictionary[SiteAnswer, ref[SiteAnswer]] = WeakKeyDictionary()
        self._changed: set[FilePath] = set()
        self._unsaved: set[FilePath] = set()
        self._unsaved_checks: set[FilePath] = set()
        self._index = AnswerIndex()
        self._unlinked_state: ref[SnapshotReader] | None = None
        self._unlinked: dict[FilePath, FileAnswers] = {}
        self._unlinked_changes: set[FilePath] = set()
        self._overlay = Overlay(checkers, index=self._index)

    def file_answers(self, snapshot: Snapshot, shard: Shard, own: Links) -> FileAnswers:
        """The page on which answers for a file of this snapshot belong, with those that still hold."""
        hashes = hashes_of(snapshot)
        dependency_key = dependency_key_in(snapshot, shard.path, own)
        with self._lock:
            file_answers = self._files.get(shard.path)
            if (
                file_answers is not None
                and file_answers.content == shard.content
                and file_answers.is_current(dependency_key, hashes)
            ):
                return file_answers
            file_answers = self._load(shard, dependency_key, snapshot) or FileAnswers(
                shard.path, shard.content, dependency_key
            )
            if shard.path in self.imported:
                self._join(file_answers, hashes)
            self._files[shard.path] = file_answers
            self._changed.add(shard.path)
            return file_answers

    def unlinked_answers(self, snapshot: Snapshot, shard: Shard) -> FileAnswers:
        """The page for a file that is not linked yet: its answers hold in this state of the workspace only."""
        with self._lock:
            if self._unlinked_state is None or self._unlinked_state() is not snapshot.reader:
                self._unlinked_state, self._unlinked, self._unlinked_changes = ref(snapshot.reader), {}, set()
            return self._unlinked.setdefault(shard.path, FileAnswers(shard.path, shard.content, ""))

    def current(self, path: FilePath, hashes: Hashes) -> bool:
        """Whether the targets of all answers for a file are what they were."""
        with self._lock:
            file_answers = self._files.get(path)
            return file_answers is not None and file_answers.is_current(file_answers.dependency_key, hashes)

    def add(self, file_answers: FileAnswers, row: int, answer: SiteAnswer, snapshot: Snapshot) -> None:
        """One answer, given for `snapshot`. One that leads to a file that is gone by now is none."""
        hashes = hashes_of(snapshot)
        if any(
            target.file and target.file != file_answers.path and not hashes(FilePath(target.file))
            for target in answer.targets
        ):
            return
        with self._lock:
            if file_answers.rows.get(row) == answer:
                return
            file_answers.rows[row] = self._interned(answer)
            self._index.note(file_answers.path, (answer,))
            for target in answer.targets:
                if target.file and target.file != file_answers.path and target.file not in file_answers.targets:
                    file_answers.targets[target.file] = hashes(FilePath(target.file)) or ""
            if self._unlinked.get(file_answers.path) is file_answers:
                self._unlinked_changes.add(file_answers.path)
            if self._files.get(file_answers.path) is file_answers:
                self._note(file_answers, snapshot)

    def mark_sequential(self, file_answers: FileAnswers, snapshot: Snapshot) -> None:
        """All on a page was asked for in turn."""
        with self._lock:
            if not file_answers.sequential and self._files.get(file_answers.path) is file_answers:
                file_answers.sequential = True
                self._note(file_answers, snapshot)

    def _note(self, file_answers: FileAnswers, snapshot: Snapshot) -> None:
        """Called with the lock held: a page is another now."""
        self._changed.add(file_answers.path)
        # While files are pending the disk, which the checker reads, is ahead of the snapshot.
        if not snapshot.shards[file_answers.path].dirty and not snapshot.pending:
            self._unsaved.add(file_answers.path)

    def add_check(self, check: ModuleCheck, keep: bool) -> None:
        """The verdict on a module."""
        with self._lock:
            self._checks[check.path] = check
            self._changed.add(check.path)
            if keep:
                self._unsaved_checks.add(check.path)

    def check(self, snapshot: Snapshot, shard: Shard, own: Links) -> ModuleCheck | None:
        """The verdict on a module as it is in this snapshot."""
        dependency_key = dependency_key_in(snapshot, shard.path, own)
        with self._lock:
            check = self._checks.get(shard.path)
            if check is None or check.content != shard.content or check.dependency_key != dependency_key:
                raw = self._backend.get(self._key("check", shard.path, shard.content)) if self._backend else None
                check = unpack_check(raw) if raw is not None else None
                if check is None or check.content != shard.content or check.dependency_key != dependency_key:
                    return None
                self._checks[shard.path] = check
                self._changed.add(shard.path)
            return check

    def overlay(self) -> Overlay:
        """Everything so far. The same object until something is added."""
        with self._lock:
            if self._changed or self._unlinked_changes:
                files, checks = dict(self._overlay.files), dict(self._overlay.checks)
                for path in self._changed:
                    if path in self._files:
                        files[path] = self._files[path].to_checked_file()
                    if path in self._checks:
                        checks[path] = self._checks[path]
                unlinked = UnlinkedAnswers(
                    self._unlinked_state,
                    {path: dict(file_answers.rows) for path, file_answers in self._unlinked.items()},
                )
                self._changed, self._unlinked_changes = set(), set()
                self._overlay = Overlay(self._checkers, files, checks, unlinked, self._index)
            return self._overlay

    def forget(self, present: Mapping[FilePath, Shard]) -> None:
        """Drops what is said about files that are gone."""
        with self._lock:
            gone = [path for path in self._files if path not in present]
            for path in gone:
                del self._files[path]
                self._checks.pop(path, None)
            if gone:
                files = {path: file for path, file in self._overlay.files.items() if path in present}
                checks = {path: check for path, check in self._overlay.checks.items() if path in present}
                self._overlay = Overlay(self._checkers, files, checks, self._overlay.unlinked, self._index)

    def flush(self) -> None:
        """Writes to the store what is not there yet."""
        with self._lock:
            if self._backend is None or not (self._unsaved or self._unsaved_checks):
                return
            pages = [self._files[path].to_checked_file() for path in self._unsaved if path in self._files]
            checks = [self._checks[path] for path in self._unsaved_checks if path in self._checks]
            self._unsaved, self._unsaved_checks = set(), set()
            backend = self._backend
        # Outside the lock: whoever looks at answers meanwhile does not wait for those of a hundred files to be packed.
        values = {
            self._key("", file_answers.path, file_answers.content): pack_checked(file_answers) for file_answers in pages
        }
        values.update((self._key("check", check.path, check.content), pack_check(check)) for check in checks)
        backend.put(values)

    def _load(self, shard: Shard, dependency_key: str, snapshot: Snapshot) -> FileAnswers | None:
        raw = self._backend.get(self._key("", shard.path, shard.content)) if self._backend else None
        checked = unpack_checked(raw) if raw is not None else None
        hashes = hashes_of(snapshot)
        if checked is None or checked.path != shard.path or checked.content != shard.content:
            return None
        if not holds(checked, dependency_key, hashes):
            return None
        targets = {file: hashes(FilePath(file)) or "" for file in checked.files}
        rows = {row: self._interned(answer) for row, answer in checked.rows.items()}
        self._index.note(shard.path, rows.values())
        return FileAnswers(shard.path, shard.content, dependency_key, rows, targets, sequential=checked.sequential)

    def _interned(self, answer: SiteAnswer) -> SiteAnswer:
        known = self._interned_answers.get(answer)
        found = known() if known is not None else None
        if found is None:
            # Of an equal one that is just going the entry would go as well.
            self._interned_answers.pop(answer, None)
            self._interned_answers[answer] = ref(answer)
            found = answer
        return found

    def store_imported(self, files: Mapping[FilePath, CheckedFile]) -> None:
        """Keeps what an index says in the place of an earlier one. It is seen from the next start on."""
        if self._backend is None:
            return
        values = {self._imported_key(path, checked.content): pack_checked(checked) for path, checked in files.items()}
        self._backend.put({**values, self._home_key(): "\0".join(sorted(files)).encode(errors="surrogatepass")})

    def _imported_files(self) -> frozenset[FilePath]:
        raw = self._backend.get(self._home_key()) if self._backend else None
        return frozenset(map(FilePath, raw.decode(errors="surrogatepass").split("\0"))) if raw else frozenset()

    def _join(self, file_answers: FileAnswers, hashes: Hashes) -> None:
        """Adds what an index says about sites that no checker answered."""
        raw = self._backend.get(self._imported_key(file_answers.path, file_answers.content)) if self._backend else None
        imported = unpack_checked(raw) if raw is not None else None
        if imported is None or (imported.path, imported.content) != (file_answers.path, file_answers.content):
            return
        if holds(imported, file_answers.dependency_key, hashes):
            file_answers.targets.update((file, hashes(FilePath(file)) or "") for file in imported.files)
            file_answers.rows.update(
                (row, answer) for row, answer in imported.rows.items() if row not in file_answers.rows
            )
            self._index.note(file_answers.path, imported.rows.values())

    def _home_key(self) -> str:
        return f"{ANSWERS_VERSION}.{LINKS_VERSION}.home:{self._home}"

    def _imported_key(self, path: FilePath, content: ContentHash) -> str:
        return f"{ANSWERS_VERSION}.{LINKS_VERSION}.imported:{self._home}:{content}:{path}"

    def _key(self, what: str, path: FilePath, content: ContentHash) -> str:
        checker = self._checkers.get(language_of(path), "")
        return f"{ANSWERS_VERSION}.{LINKS_VERSION}.{checker}.{what}:{content}:{path}"
