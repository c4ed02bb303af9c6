"""Decision writing: records of decisions that a user adds, links and takes in.

Owns: where records go, what each names in the graph, writing them, what was done in words.
Must not know: layout, the protocol, the form of records.
Invariant: a file that is there is never replaced, but for links added to a record; with `dry` nothing is written.
"""

from __future__ import annotations

import datetime
import difflib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

import attrs

from graphls.analysis.decision_text import (
    TEMPLATES,
    NewDecision,
    RecordForm,
    file_name,
    form_of,
    record_text,
    with_fields,
    with_links,
)
from graphls.analysis.decisions import Decision, decisions, has_broken_front, in_decision_folder, opts_in
from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.sources.documents_below import documents_below
from graphls.sources.workspace import OutsideWorkspaceError, Workspace
from graphls.sources.write import InTheWay, write_inside

FOLDER: Final = "docs/decisions"
"""Where records go in a repository that has none."""
_TRIES: Final = 50


@attrs.frozen(kw_only=True)
class WrittenRecord:
    """One file. `what`: what was done, or would be; `text`: of a new file, or the lines that change; `why`: of one that
    was left out."""

    file: str
    what: Literal["added", "linked", "imported", "skipped"]
    text: str = ""
    why: str = ""


@attrs.frozen
class DecisionWriter:
    """Of one workspace as a snapshot has it."""

    workspace: Workspace
    snapshot: Snapshot
    dry: bool = False

    def add(self, new: NewDecision, folder: str = "") -> WrittenRecord:
        """A new record. Raises BadRequest."""
        alike = [one for one in decisions(self.snapshot) if _bare(one.title) == _bare(new.title)]
        if alike:
            raise BadRequest(f"{alike[0].file} records a decision of this title: link it, or choose another title.")
        where = self._folder(folder)
        form, day = self._form(where), datetime.date.today().isoformat()  # noqa: DTZ011 - the day where the user is
        for number in range(form.next_number, form.next_number + _TRIES):
            now = attrs.evolve(form, next_number=number)
            path, text = f"{where}/{file_name(now, new.title)}".lstrip("/"), record_text(now, new, day)
            if path in self.snapshot.shards or not (form.width or number == form.next_number):
                continue
            if self._written(path, text):
                return WrittenRecord(file=path, what="added", text=text)
        raise BadRequest(f"{where} has a file of this name already. Choose another title.")

    def link(
        self, wanted: str, paths: Sequence[str], symbols: Sequence[tuple[str, str]], status: str = ""
    ) -> WrittenRecord:
        """Links in a record that is there. `status`: makes a document one that does not say so. Raises BadRequest."""
        path = self._document(wanted)
        if path is not None and not any(one.file == path for one in decisions(self.snapshot)):
            return self._adopted(path, paths, symbols, status)
        one = self._record(wanted)
        if status:
            raise BadRequest(f"{one.file} is a decision and has a status: change it there.")
        if one.source != "document":
            raise BadRequest(f"{one.file}: a comment governs the code around it; move it to link it elsewhere.")
        governed = set(one.governs)
        fresh = [path for path in paths if SymbolRef(FilePath(path), -1) not in governed]
        named = [pair for pair in symbols if not any(_is(self.snapshot, place, pair) for place in governed)]
        if not fresh and not named:
            return WrittenRecord(file=one.file, what="skipped", why="it governs this already")
        before = self._text(one.file)
        return self._changed(one.file, before, with_links(before, fresh, named))

    def _adopted(
        self, path: FilePath, paths: Sequence[str], symbols: Sequence[tuple[str, str]], status: str
    ) -> WrittenRecord:
        if not status:
            raise BadRequest(f"{path} does not say that it is a decision. Give it a status: --status accepted.")
        fields = {"status": status} if in_decision_folder(path) else {"graphls_decision": "true", "status": status}
        before = self._text(path)
        after = with_fields(before, fields)
        return self._changed(path, before, None if after is None else with_links(after, paths, symbols))

    def _changed(self, path: FilePath, before: str, after: str | None) -> WrittenRecord:
        if after is None:
            raise BadRequest(f"The front matter of {path} has no place for this. Write affected_paths as a list.")
        if not self.dry:
            self._replaced(path, before, after)
        changed = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
        return WrittenRecord(file=path, what="linked", text="\n".join(list(changed)[2:]))

    def _text(self, path: FilePath) -> str:
        return (self.snapshot.text(path) or b"").decode("utf-8", "surrogateescape")

    def _document(self, wanted: str) -> FilePath | None:
        """The Markdown file of the graph that a user names."""
        path = self.workspace.relative(wanted)
        for one in (FilePath(wanted), path):
            if one is not None and one in self.snapshot.shards and one.endswith((".md", ".markdown")):
                return one
        return None

    def take_in(self, named: Sequence[str], folder: str = "") -> tuple[WrittenRecord, ...]:
        """Copies of records from elsewhere, each as it is. Raises BadRequest where a file or folder is not there."""
        where = self._folder(folder)
        made: list[WrittenRecord] = []
        for name, text in (pair for argument in named for pair in _documents(argument)):
            inside = self.workspace.relative(name)
            path = f"{where}/{_base(name)}"
            if text is None:
                why = "it cannot be read"
            elif has_broken_front(text):
                why = "its front matter is no YAML"
            elif not opts_in(text):
                why = "it does not say that it is a decision: a status, or `graphls_decision: true`, is missing"
            elif inside is not None and any(one.file == inside for one in decisions(self.snapshot)):
                why = "it is read where it stands"
            elif path in self.snapshot.shards and self.snapshot.text(FilePath(path)) == text:
                why = f"{path} is the same"
            elif path in self.snapshot.shards or not self._written(path, text.decode("utf-8", "surrogateescape")):
                why = f"{path} is there, and different"
            else:
                made.append(WrittenRecord(file=path, what="imported", why=name))
                continue
            made.append(WrittenRecord(file=name, what="skipped", why=why))
        return tuple(made)

    def _folder(self, chosen: str) -> str:
        """The folder that most records are in; else one for decisions that has documents."""
        if chosen:
            try:
                return self.workspace.contained(chosen)
            except OutsideWorkspaceError as error:
                raise BadRequest(f"{error}.") from None
        records = [one.file for one in decisions(self.snapshot) if one.source == "document"]
        folders = Counter(path.rpartition("/")[0] for path in records if in_decision_folder(path))
        if not folders:
            paths = (path for path in self.snapshot.shards if path.endswith(".md") and in_decision_folder(path))
            folders = Counter(path.rpartition("/")[0] for path in paths)
        return min(folders, key=lambda name: (-folders[name], name), default=FOLDER)

    def _form(self, where: str) -> RecordForm:
        paths = (path for path in self.snapshot.shards if path.rpartition("/")[0] == where and path.endswith(".md"))
        texts = {
            path.rpartition("/")[2]: (self.snapshot.text(path) or b"").decode("utf-8", "replace") for path in paths
        }
        return form_of(texts)

    def _record(self, wanted: str) -> Decision:
        path = self.workspace.relative(wanted) if "/" in wanted or wanted.endswith(".md") else None
        every = decisions(self.snapshot)
        found = [one for one in every if one.id == wanted or one.file in (wanted, path)]
        found = found or [one for one in every if len(wanted) >= 8 and one.id.startswith(wanted)]
        if len(found) != 1:
            raise BadRequest(
                f"{'Several decisions are' if found else 'No decision is'} {wanted!r}. Give a file or an id."
            )
        return found[0]

    def _written(self, path: str, text: str) -> bool:
        """Whether the file could be made: nothing was there."""
        try:
            if self.dry:
                return self.workspace.contained(path) not in self.snapshot.shards
            data = text.encode("utf-8", "surrogateescape")
            write_inside(self.workspace, path, [data], lambda head: False, folders=True)
        except InTheWay:
            return False
        except (OSError, OutsideWorkspaceError) as error:
            raise BadRequest(f"{path} cannot be written: {error}.") from None
        return True

    def _replaced(self, path: FilePath, before: str, after: str) -> None:
        """The record may have changed since it was read: then it is left as it is."""
        start = before.encode("utf-8", "surrogateescape")

        def same(head: bytes) -> bool:
            return start.startswith(head)

        try:
            write_inside(self.workspace, path, [after.encode("utf-8", "surrogateescape")], same)
        except InTheWay:
            raise BadRequest(f"{path} was changed meanwhile. Try again.") from None
        except (OSError, OutsideWorkspaceError) as error:
            raise BadRequest(f"{path} cannot be written: {error}.") from None


def symbol_path(snapshot: Snapshot, place: SymbolRef) -> tuple[str, str]:
    """How front matter names a symbol: its file, and its name in it."""
    return place.file, qualified_name(snapshot.facts(place.file), place.definition)


def _bare(title: str) -> str:
    """A title without the number that some forms give it."""
    return re.sub(r"^(adr[-\s]?)?\d+[.:]\s+", "", title.lower())


def _is(snapshot: Snapshot, place: SymbolRef, pair: tuple[str, str]) -> bool:
    return place.definition >= 0 and place.file == pair[0] and symbol_path(snapshot, place) == pair


def _documents(argument: str) -> Sequence[tuple[str, bytes | None]]:
    found = documents_below(argument)
    if not found:
        raise BadRequest(f"{argument!r} is no Markdown file, and no folder of some.")
    return [pair for pair in found if not TEMPLATES.search(_base(pair[0]))]


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
