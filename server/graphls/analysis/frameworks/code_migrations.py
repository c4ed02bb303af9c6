"""Code migrations: tables and columns that migrations in code make and change.

Owns: the declared rules of libraries, from one file to entries like those of `.sql` files, and to what it changes.
Must not know: which tables other files declare, in which order files run.
Invariant: a name is written out in the text; what takes a change back declares nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Final

import attrs

from graphls.analysis.frameworks.arguments import SLASHES, Argument, CodeText
from graphls.analysis.frameworks.declared_nodes import DeclaredNode, derivations
from graphls.analysis.frameworks.document_entries import entry_node
from graphls.analysis.frameworks.rules import fitting_rules, shipped_table, text_pattern
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot
from graphls.languages.config.databases import COLUMN, TABLE
from graphls.languages.config.document import ConfigEntry

_BRACKET: Final = re.compile(rb"[\[({})\]]|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`")
_LINE: Final = re.compile(rb"^([ \t]*)\S", re.MULTILINE)
_WORD: Final = re.compile(rb"\w+")
_MOST_BYTES: Final = 100_000
"""Of one part."""
_MOST_BACK: Final = 100
_LINE_BYTES: Final = 400
"""Before a match in which a comment is looked for."""
_MOST_ENTRIES: Final = 4_000
"""Of one file."""
_READ: Final = Memo["CodeMigration"]("migrations in code")


@attrs.frozen(eq=False)
class MigrationRule:
    """How one library makes tables."""

    name: str
    paths: re.Pattern[bytes] | None
    needs: bytes
    makes: re.Pattern[bytes] | None
    alters: re.Pattern[bytes] | None
    part: str
    alters_part: str
    column: re.Pattern[bytes] | None
    other: re.Pattern[bytes] | None
    form: str
    members: bool
    adds: re.Pattern[bytes] | None
    links: re.Pattern[bytes] | None
    renames: re.Pattern[bytes] | None
    touches: re.Pattern[bytes] | None
    back: re.Pattern[bytes] | None
    table: str
    option: re.Pattern[bytes] | None


@attrs.frozen
class TouchedName:
    """A table, or a column behind a colon, that a migration changes. Bytes of the file."""

    text: str
    start: int
    end: int


@attrs.frozen(eq=False)
class CodeMigration:
    """What the migrations of one file do."""

    entries: Sequence[ConfigEntry] = ()
    nodes: Sequence[DerivedNode] = ()
    """Of the entries."""
    touched: Sequence[TouchedName] = ()


@cache
def migration_rules() -> Sequence[MigrationRule]:
    """The rules that come with the package."""
    return tuple(map(_rule, range(len(shipped_table("migrations")))))


@cache
def _rule(number: int) -> MigrationRule:
    raw = shipped_table("migrations")[number]
    patterns = {
        key: text_pattern(raw, key)
        for key in (
            "paths",
            "makes",
            "alters",
            "column",
            "other",
            "adds",
            "links",
            "renames",
            "touches",
            "back",
            "option",
        )
    }
    return MigrationRule(
        name=str(raw["name"]),
        needs=str(raw.get("needs", "")).encode(),
        part=str(raw.get("part", "brackets")),
        alters_part=str(raw.get("alters_part", "brackets")),
        form=str(raw.get("form", "{name}")),
        members=bool(raw.get("members")),
        table=str(raw.get("table", "{name}")),
        **patterns,
    )


def applicable_migrations(path: str, text: bytes) -> Sequence[MigrationRule]:
    """The rules that may say something about a file."""
    known = map(_rule, fitting_rules("migrations", path, text))
    return tuple(rule for rule in known if _applies(rule, path, text))


def _applies(rule: MigrationRule, path: str, text: bytes) -> bool:
    if rule.needs not in text:
        return False
    if rule.paths is not None and rule.paths.search(path.encode()) is None:
        return False
    known = (rule.makes, rule.alters, rule.adds, rule.links, rule.renames, rule.touches)
    return any(one is not None and one.search(text) is not None for one in known)


def code_migration(snapshot: Snapshot, path: FilePath) -> CodeMigration:
    """What the migrations of a file do; kept with its contents."""
    return _READ.once(snapshot.shards[path], lambda: _read(snapshot, path))


def migration_entries(snapshot: Snapshot, path: FilePath) -> Iterator[DeclaredNode]:
    """What the migrations of a file declare."""
    text = snapshot.text(path) or b""
    return (entry_node(text, entry) for entry in code_migration(snapshot, path).entries)


def touched_words(path: str, text: bytes, rules: Sequence[MigrationRule]) -> Iterator[str]:
    """Last parts of what the migrations of a file change; folded."""
    for rule in rules:
        reader = _MigrationReader(rule, path, text)
        reader.read()
        yield from (one.text.rpartition(":")[2].casefold() for one in reader.touched)


def _read(snapshot: Snapshot, path: FilePath) -> CodeMigration:
    text = snapshot.text(path) or b""
    entries: list[ConfigEntry] = []
    touched: list[TouchedName] = []
    for rule in applicable_migrations(path, text):
        reader = _MigrationReader(rule, path, text)
        reader.read()
        entries += reader.entries
        touched += reader.touched
    entries = sorted(entries, key=lambda one: (one.start, one.name))[:_MOST_ENTRIES]
    nodes = derivations(path, (entry_node(text, one) for one in entries), snapshot.facts(path)).nodes
    return CodeMigration(entries, nodes, sorted(touched, key=lambda one: one.start))


class _MigrationReader:
    """What one rule finds in one file."""

    def __init__(self, rule: MigrationRule, path: str, text: bytes) -> None:
        self._rule = rule
        self._text = text
        folders = path.split("/")[:-1]
        self._app = folders[folders.index("migrations") - 1] if "migrations" in folders[1:] else ""
        back = islice(rule.back.finditer(text), _MOST_BACK) if rule.back is not None else ()
        self._back = [
            (one.start(), self._end(one, "brackets" if one[0].endswith(b"{") else "indent", len(text))) for one in back
        ]
        self.entries: list[ConfigEntry] = []
        self.touched: list[TouchedName] = []

    def read(self) -> None:
        """Takes in the whole file."""
        rule = self._rule
        for match, stop in _with_next(self._found(rule.makes), len(self._text)):
            end = self._end(match, rule.part, stop)
            option = rule.option.search(self._text, match.end(), end) if rule.option is not None else None
            table = self._table(match) if option is None else _name(option)
            self._entry(TABLE, table, match.span("name"), (match.start(), end))
            self._columns(table, match, end)
        for match, stop in _with_next(self._found(rule.alters), len(self._text)):
            self._touch(self._table(match, "table"), "", match.span("table"))
            self._columns(self._table(match, "table"), match, self._end(match, rule.alters_part, stop))
        for match in self._found(rule.adds):
            self._added(match, "{name}")
        for match in self._found(rule.links):
            self._added(match, rule.form)
        for match in self._found(rule.renames):
            self._entry(TABLE, self._table(match), match.span("name"), match.span())
        for match in self._found(rule.touches):
            table, column = _group(match, "table"), _group(match, "name")
            if table:
                self._touch(self._table(match, table), _name(match, column), match.span(column or table))

    def _found(self, pattern: re.Pattern[bytes] | None) -> Iterator[re.Match[bytes]]:
        """Matches outside of what takes changes back, and outside of comments."""
        for match in pattern.finditer(self._text) if pattern is not None else ():
            at = match.start()
            line = self._text[
                max(self._text.rfind(b"\n", max(at - _LINE_BYTES, 0), at) + 1, at - _LINE_BYTES) : at
            ].lstrip()
            held = any(start <= match.start() < end for start, end in self._back)
            if not held and not line.startswith((b"#", b"//", b"*", b"/*")) and match[0]:
                yield match

    def _table(self, match: re.Match[bytes], group: str = "name") -> str:
        name, form = _name(match, group), self._rule.table
        return form.format(app=self._app, name=name.lower()) if "{app}" in form else name

    def _columns(self, table: str, match: re.Match[bytes], end: int) -> None:
        if self._rule.members:
            code = CodeText(self._text[:end], SLASHES, _MOST_BYTES)
            for member in code.members(Argument("", 0, match.end() - 1, end)):
                at = self._text.rfind(member.keyword.encode(), match.end(), member.start)
                if at >= 0:
                    span = at, at + len(member.keyword.encode())
                    self._entry(COLUMN, f"{table}.{member.keyword}", span, (at, member.end))
            return
        for pattern, form in ((self._rule.column, "{name}"), (self._rule.other, self._rule.form)):
            for column in pattern.finditer(self._text, match.end(), end) if pattern is not None else ():
                self._entry(COLUMN, f"{table}.{form.format(name=_name(column))}", column.span("name"), column.span())
                more = column.span("more") if "more" in column.re.groupindex else (0, 0)
                for one in _WORD.finditer(self._text, *more) if more[1] > more[0] else ():
                    self._entry(COLUMN, f"{table}.{form.format(name=one[0].decode())}", one.span(), one.span())

    def _added(self, match: re.Match[bytes], form: str) -> None:
        table, column = _group(match, "table"), _group(match, "name")
        if table and column:
            name = f"{self._table(match, table)}.{form.format(name=_name(match, column))}"
            self._entry(COLUMN, name, match.span(column), match.span())

    def _touch(self, table: str, column: str, span: tuple[int, int]) -> None:
        self.touched.append(TouchedName(f"{table}:{column}" if column else table, *span))

    def _entry(self, kind: str, name: str, span: tuple[int, int], whole: tuple[int, int]) -> None:
        self.entries.append(ConfigEntry(kind, name, *span, *whole))

    def _end(self, match: re.Match[bytes], how: str, stop: int) -> int:
        """Where the part behind a match ends, before another one begins."""
        text, last = self._text, min(stop, match.end() + _MOST_BYTES)
        if how == "brackets":
            depth = 1
            for sign in _BRACKET.finditer(text, match.end(), last):
                depth += 1 if sign[0] in (b"(", b"[", b"{") else -1 if sign[0] in (b")", b"]", b"}") else 0
                if not depth:
                    return sign.end()
            return last
        first = text.rfind(b"\n", 0, match.start()) + 1
        line = _LINE.match(text, first)
        depth = len(line[1]) if line is not None else 0
        behind = text.find(b"\n", match.end() - 1, last)
        for one in _LINE.finditer(text, behind + 1, last) if behind >= 0 else ():
            if len(one[1]) <= depth:
                return one.start()
        return last


def _with_next(found: Iterator[re.Match[bytes]], end: int) -> Iterator[tuple[re.Match[bytes], int]]:
    """Matches, each with where the next one begins."""
    before: re.Match[bytes] | None = None
    for match in found:
        if before is not None:
            yield before, match.start()
        before = match
    if before is not None:
        yield before, end


def _group(match: re.Match[bytes], name: str) -> str:
    """The group of this name, perhaps with a number behind, that matched."""
    return next((key for key, text in match.groupdict().items() if text and key.rstrip("0123456789") == name), "")


def _name(match: re.Match[bytes], group: str = "name") -> str:
    return match[group].decode("utf-8", "replace") if group else ""
