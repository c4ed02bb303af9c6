"""Decision records: what `graphls decisions add`, `link` and `import` do.

Owns: which options belong to which of them, symbols as a user writes them, the layout of what was written.
Must not know: the form of records, where they go.
Invariant: with --dry-run nothing is written, and the answer is the same.
"""

from __future__ import annotations

import attrs

from graphls.analysis.decision_text import NewDecision
from graphls.analysis.decisions import STATUSES
from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import OpenWorkspace
from graphls.cli.rendering.answers import PLACE
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.cli.symbols import place_of
from graphls.session.decision_writing import DecisionWriter, WrittenRecord, symbol_path

ACTIONS = ("list", "add", "link", "import")
_SHOWN = 12


@attrs.frozen(kw_only=True)
class DecisionArguments:
    """What a user gave."""

    action: str
    rest: tuple[str, ...]
    title: str
    rationale: str
    status: str
    alternatives: tuple[str, ...]
    author: str
    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    folder: str
    dry: bool

    def check(self) -> None:
        """Raises UsageError."""
        if self.action == "add" and not (self.title.strip() and self.rationale.strip()):
            raise UsageError("A decision has a --title and a --rationale.")
        if self.action == "add" and self.rest:
            raise UsageError("add takes options alone: --title, --rationale, --path, --symbol.")
        if self.action == "link" and (len(self.rest) != 1 or not (self.paths or self.symbols or self.status)):
            raise UsageError("Name one decision, by its file or id, and what it governs: --path, --symbol.")
        if self.action == "import" and not self.rest:
            raise UsageError("Name Markdown files, or folders of some.")
        if self.status and self.status not in STATUSES:
            raise UsageError(f"No decision has the status {self.status!r}. Use one of: {', '.join(STATUSES)}.")
        if self.action != "add" and (self.title or self.rationale or self.alternatives or self.author):
            raise UsageError("--title, --rationale, --alternative and --author are for `decisions add`.")


@attrs.frozen(kw_only=True)
class WrittenView:
    """What was written, or would be."""

    dry_run: bool
    records: tuple[WrittenRecord, ...]


def written(workspace: OpenWorkspace, given: DecisionArguments) -> WrittenView:
    """Does what a user asks for. Raises UsageError, GraphError."""
    writer = DecisionWriter(workspace.workspace, workspace.snapshot, given.dry)
    paths, symbols = _ends(workspace, given)
    if given.action == "add":
        new = NewDecision(
            title=" ".join(given.title.split()), rationale=given.rationale.strip(), status=given.status or "accepted",
            alternatives=given.alternatives, author=given.author, paths=paths, symbols=symbols,
        )  # fmt: skip
        return WrittenView(dry_run=given.dry, records=(writer.add(new, given.folder),))
    if given.action == "link":
        return WrittenView(dry_run=given.dry, records=(writer.link(given.rest[0], paths, symbols, given.status),))
    return WrittenView(dry_run=given.dry, records=writer.take_in(given.rest, given.folder))


def _ends(workspace: OpenWorkspace, given: DecisionArguments) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Files and folders, and symbols by file and name; each has to be in the graph."""
    shards, paths, symbols = workspace.snapshot.shards, dict[str, None](), dict[tuple[str, str], None]()
    for text in given.paths:
        path = workspace.workspace.contained(text).rstrip("/")
        if path not in shards and not any(file.startswith(f"{path}/") for file in shards):
            raise UsageError(f"{text!r} names no file or folder of the graph.")
        paths[path] = None
    for text in given.symbols:
        place = place_of(workspace, text)
        if place.definition < 0:
            paths[place.file] = None
        else:
            symbols[symbol_path(workspace.snapshot, place)] = None
    return tuple(paths), tuple(symbols)


def written_page(view: WrittenView) -> TextPage:
    """One line a file, and the text of what is new."""
    page = TextPage()
    for one in view.records:
        what = f"would be {one.what}" if view.dry_run and one.what != "skipped" else one.what
        note = f"  {one.why}" if one.why else ""
        page.line((what, "yellow" if one.what == "skipped" else "green"), "  ", (one.file, PLACE), note)
        if one.text and (view.dry_run or one.what == "linked"):
            page.rows(((line,) for line in one.text.splitlines()), indent="   ")
    skipped = sum(one.what == "skipped" for one in view.records)
    if len(view.records) > 1:
        page.line(f"{counted(len(view.records), 'file')}: {len(view.records) - skipped} taken in, {skipped} skipped")
    return page
