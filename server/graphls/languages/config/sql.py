"""SQL: what the statements of a `.sql` file declare and use.

Owns: tables, views, their columns, types, functions, triggers and indexes; which table a column of a query may be of.
Must not know: other files, databases, which of several migrations counts.
Invariant: a name of a query that a common table expression or a subquery may bind is no use of a table.

sqlglot reads the statements one by one, so that one which it cannot read takes no other with it. What it leaves as text
(bodies of triggers and functions) is read from the first word on that begins a query.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

import attrs
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from graphls.languages.closed_pattern import ClosedPattern
from graphls.languages.config.databases import COLUMN, TABLE, TYPE
from graphls.languages.config.document import ConfigDocument, ConfigEntry, ConfigReference, ReferenceKind

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it speaks of each statement that it leaves as text
MAX_SQL: Final = 200_000
"""Bytes. Files with more are dumps of rows; sqlglot reads some 300 kB a second."""
_COMMANDS: Final = re.compile(r"^(?:\.|\\|DELIMITER\b)[^\n]*", re.MULTILINE | re.IGNORECASE)
"""Lines for a client of the database rather than for the database."""
_ROWS: Final = ClosedPattern(
    ((r"^COPY\b[^\n]*\bFROM\s+stdin\b[^\n]*\n.*?^\\\.$", "\\."),), re.MULTILINE | re.IGNORECASE | re.DOTALL
)
_DOWN: Final = re.compile(
    r"^[ \t]*(?:--|#)[ \t/-]*(?:(\+goose[ \t]+down|\+migrate[ \t]+down|migrate:down|down[ \t]+migration|!downs|@undo)"
    r"|\+goose[ \t]+up|\+migrate[ \t]+up|migrate:up|up[ \t]+migration|!ups)\b",
    re.MULTILINE | re.IGNORECASE,
)
"""Where the part of a migration begins that takes it back, or the one that does it."""
_BATCH: Final = re.compile(r"^GO[ \t]*$", re.MULTILINE | re.IGNORECASE)
_NOISE: Final = ClosedPattern(((r"--[^\n]*", ""), (r"/\*.*?(?:\*/|\Z)", ""), (r"'(?:[^'\\]|''|\\.)*'", "'")), re.DOTALL)
_DIALECTS: Final = (
    ("mysql", re.compile(r"`|\bENGINE\s*=|\bAUTO_INCREMENT\b", re.IGNORECASE)),
    ("tsql", re.compile(r"^GO[ \t]*$|\[dbo\]|\bNVARCHAR\b|\bIDENTITY\s*\(", re.MULTILINE | re.IGNORECASE)),
    ("sqlite", re.compile(r"\bAUTOINCREMENT\b|\bPRAGMA\b|\bWITHOUT\s+ROWID\b|^\.\w", re.MULTILINE | re.IGNORECASE)),
)
_BEGINS: Final = frozenset(
    (TokenType.SELECT, TokenType.INSERT, TokenType.UPDATE, TokenType.DELETE, TokenType.WITH, TokenType.MERGE)
)
_BODIES: Final = frozenset((TokenType.HEREDOC_STRING, TokenType.RAW_STRING, TokenType.NATIONAL_STRING))
_OWNERS: Final = (
    exp.Select, exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Alter, exp.Drop, exp.TruncateTable,
)  # fmt: skip
_KINDS: Final = {
    "TABLE": TABLE, "VIEW": "view", "FUNCTION": "function", "PROCEDURE": "function", "TYPE": TYPE, "INDEX": "index",
    "DOMAIN": TYPE, "TRIGGER": "trigger",
}  # fmt: skip
_OF_TABLE: Final = re.compile(
    r"(?:(?:REINDEX|LOCK|ALTER)\s+TABLE|(?:CREATE|ALTER|DROP)\s+(?:POLICY|TRIGGER)\s(?:[^;]*?\s)?ON|CREATE\s+STATISTICS\s[^;]*?\sFROM"
    r"|CLUSTER)\s+(?:(?:IF\s+EXISTS|ONLY|CONCURRENTLY)\s+)*(?:[\w$]+\.|\"[^\"]+\"\.)?([\w$]+|\"[^\"]+\")",
    re.IGNORECASE,
)
"""Of what sqlglot leaves as text, the table that it is about."""
_CONSTRAINT: Final = tuple(Dialect.get_or_raise("postgres").tokenize("CONSTRAINT nameless"))
_OF_ROW: Final = frozenset(("new", "old"))
_MOST_BEFORE: Final = 2_000
"""Characters that are looked at for the table which a statement is about."""
_MOST: Final = 12
"""Tables that a column without one may be of."""


def read_sql(path: str, data: bytes) -> ConfigDocument:
    """Entries in source order; names with the table, and the schema where it is written, before them."""
    if len(data) > MAX_SQL:
        return ConfigDocument(cut=True)
    text = data.decode("utf-8", "replace")
    code = _blanked(text)
    plain = _NOISE.sub(lambda _: " ", text)
    dialect = Dialect.get_or_raise(next((name for name, sign in _DIALECTS if sign.search(plain)), "postgres"))
    reading = _Reading(dialect, code, _byte_offsets(text))
    reading.read(0, len(code))
    if taken_back := _taken_back(text):
        reading.entries = [one for one in reading.entries if not _inside(one.start, taken_back, reading.offsets)]
    entries = sorted(reading.entries, key=lambda one: (one.start, one.end))
    return ConfigDocument(entries, sorted(reading.references, key=lambda one: (one.start, one.end)))


def _taken_back(text: str) -> Sequence[tuple[int, int]]:
    """The parts of a migration that undo it: what they make is there only for who goes back. Characters."""
    marks = list(_DOWN.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [(mark.start(), end) for mark, end in zip(marks, ends, strict=False) if mark[1]]


def _inside(at: int, stretches: Sequence[tuple[int, int]], offsets: Sequence[int]) -> bool:
    return any(offsets[start] <= at < offsets[end] for start, end in stretches)


def _blanked(text: str) -> str:
    """The statements, each character where it was."""
    for pattern in (_ROWS, _COMMANDS):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return _BATCH.sub(lambda found: ";".ljust(len(found[0])), text)


def _byte_offsets(text: str) -> Sequence[int]:
    """Of each character, and of the end."""
    if text.isascii():
        return range(len(text) + 1)
    found, at = [0], 0
    for character in text:
        at += len(character.encode("utf-8", "replace"))
        found.append(at)
    return found


@attrs.frozen
class _Spelled:
    """A name in a statement. Characters, without quotes."""

    text: str
    start: int
    end: int


class _Reading:
    """The statements of one file."""

    def __init__(self, dialect: Dialect, code: str, offsets: Sequence[int]) -> None:
        self._dialect = dialect
        self._code = code
        self.offsets = offsets
        self._of_trigger: str | None = None
        self.entries: list[ConfigEntry] = []
        self.references: list[ConfigReference] = []

    def read(self, start: int, end: int) -> None:
        """Takes in the statements of a stretch."""
        try:
            tokens = self._dialect.tokenize(self._code[start:end])
        except (SqlglotError, RecursionError):
            return
        for token in tokens:
            token.start += start
            token.end += start
        statement: list[Token] = []
        for token in (*tokens, None):
            if token is not None and token.token_type != TokenType.SEMICOLON:
                statement.append(token)
            elif statement:
                self._statement(statement)
                statement = []

    def _statement(self, tokens: list[Token]) -> None:
        if tokens[0].token_type == TokenType.BEGIN and len(tokens) > 1:
            tokens = tokens[1:]  # of a body; by itself it begins a transaction
        parsed = self._parsed(tokens)
        if parsed is None or isinstance(parsed, exp.Command):
            parsed = self._in_parts(tokens)
        if parsed is None:
            self._unread(tokens)
            return
        if tokens[0].token_type in (TokenType.END, TokenType.CREATE):
            self._of_trigger = None
        if isinstance(parsed, exp.Create):
            self._bodies(tokens)
        whole = (tokens[0].start, tokens[-1].end + 1)
        _Statement(self, parsed, tokens, whole, self._of_trigger).read()

    def _parsed(self, tokens: list[Token]) -> exp.Expr | None:
        try:
            found = self._dialect.parser(error_level=ErrorLevel.IGNORE).parse(tokens, self._code)
        except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, IndexError):
            return None  # sqlglot's own faults on what is no statement
        return found[0] if found else None

    def _in_parts(self, tokens: list[Token]) -> exp.Expr | None:
        """A statement over a table of which sqlglot cannot read one part: all the others, each read by itself."""
        head = _head_of_table(tokens)
        if not head:
            return None
        creates = tokens[0].token_type == TokenType.CREATE
        table = self.spelled(tokens[head - 2 if creates else head - 1]).text
        found: exp.Expr | None = None
        for part in _parts(tokens[head:], in_brackets=creates):
            ways = [part] if creates else [part, [part[0], *_CONSTRAINT, *part[1:]]]
            for way in ways:
                one = self._parsed([*tokens[:head], *way, tokens[-1]] if creates else [*tokens[:head], *way])
                if isinstance(one, (exp.Create, exp.Alter)):
                    break
            else:
                self._not_null(part, table)
                continue
            if found is None:
                found = one
            elif creates and isinstance(found.this, exp.Schema) and isinstance(one.this, exp.Schema):
                for column in one.this.expressions:
                    found.this.append("expressions", column)
            elif not creates:
                for action in one.args.get("actions") or ():
                    found.append("actions", action)
        return found

    def _not_null(self, part: Sequence[Token], table: str) -> None:
        """A condition that has a name (`CONSTRAINT a NOT NULL b`)."""
        words = [token.text.upper() for token in part]
        if len(words) > 3 and words[-3:-1] == ["NOT", "NULL"] and "CONSTRAINT" in words[:2]:
            name = self.spelled(part[-1])
            self.use(name, name.text, COLUMN, (table,))

    def _unread(self, tokens: list[Token]) -> None:
        """A statement that is left as text: what it declares by its first words, and the query inside."""
        words, start = [token.text.upper() for token in tokens[:12]], tokens[0].start
        kind = next((word for word in words if word in _KINDS), "") if words[0] in ("CREATE", "REPLACE") else ""
        if kind:
            at = words.index(kind) + 1
            while at < len(words) and words[at] in ("IF", "NOT", "EXISTS", "CONCURRENTLY"):
                at += 1
            if at < len(tokens):
                while at + 2 < len(tokens) and tokens[at + 1].token_type == TokenType.DOT:
                    at += 2
                self.declare(_KINDS[kind], self.spelled(tokens[at]), (tokens[0].start, tokens[-1].end + 1))
        if kind == "TRIGGER":
            self._of_trigger = self._triggered(tokens)
        elif about := _OF_TABLE.match(self._code, start, min(tokens[-1].end + 1, start + _MOST_BEFORE)):
            table = self.cut(*about.span(1))
            self.use(table, table.text, TABLE)
        self._bodies(tokens)
        begins = next((at for at, token in enumerate(tokens) if at and token.token_type in _BEGINS), 0)
        if kind == "TRIGGER":
            begins = next((at for at, word in enumerate(tokens) if word.token_type == TokenType.BEGIN), -1) + 1
        if begins:
            parsed = self._parsed(tokens[begins:])
            if parsed is not None and not isinstance(parsed, exp.Command):
                whole = (tokens[begins].start, tokens[-1].end + 1)
                _Statement(self, parsed, tokens[begins:], whole, self._of_trigger).read()

    def _bodies(self, tokens: Sequence[Token]) -> None:
        """The statements of a function, between dollar signs."""
        for token in tokens:
            if token.token_type in _BODIES:
                opening = self._code.index("$", token.start) if "$" in self._code[token.start : token.end] else -1
                closing = self._code.find("$", opening + 1) + 1 if opening >= 0 else 0
                if closing > 0:
                    self.read(closing, max(closing, token.end + 1 - (closing - opening)))

    def _triggered(self, tokens: Sequence[Token]) -> str | None:
        """The table of a trigger."""
        at = next((at for at, token in enumerate(tokens) if token.text.upper() == "ON"), -1) + 1
        if not 0 < at < len(tokens):
            return None
        table = self.spelled(tokens[at])
        self.use(table, table.text, TABLE)
        return table.text

    def spelled(self, token: Token) -> _Spelled:
        """The name that a token is."""
        return self.cut(token.start, token.end + 1)

    def cut(self, start: int, end: int) -> _Spelled:
        """The name of a stretch, without quotes."""
        if end - start > 2 and self._code[start] in '"`[' and self._code[end - 1] in '"`]':
            start, end = start + 1, end - 1
        return _Spelled(self._code[start:end], start, end)

    def declare(
        self, kind: str, name: _Spelled, whole: tuple[int, int], holder: str = "", before: str = ""
    ) -> None:  # fmt: skip
        """Adds an entry. `before`: the name that a table had until now."""
        at = self.offsets
        full = f"{holder}.{name.text}" if holder else name.text
        self.entries.append(ConfigEntry(kind, full, at[name.start], at[name.end], at[whole[0]], at[whole[1]], before))

    def use(self, name: _Spelled, text: str, kind: str, holders: tuple[str, ...] = ()) -> None:
        """Adds a reference. `holders`: the tables that a column may be of."""
        start, end = self.offsets[name.start], self.offsets[name.end]
        self.references.append(ConfigReference(ReferenceKind.DECLARED, text, start, end, kind, holders))


def _head_of_table(tokens: Sequence[Token]) -> int:
    """How many tokens come before the parts of a statement that creates or alters a table; 0 for another."""
    words = [token.text.upper() for token in tokens[:10]]
    if "TABLE" not in words[1:4] or words[0] not in ("CREATE", "ALTER"):
        return 0
    at = words.index("TABLE") + 1
    while at < len(words) and words[at] in ("IF", "NOT", "EXISTS", "ONLY"):
        at += 1
    while at + 2 < len(tokens) and tokens[at + 1].token_type == TokenType.DOT:
        at += 2
    at += 1
    if words[0] == "CREATE":
        return at + 1 if at < len(tokens) and tokens[at].token_type == TokenType.L_PAREN else 0
    return at if at < len(tokens) else 0


def _parts(tokens: Sequence[Token], *, in_brackets: bool) -> Iterator[list[Token]]:
    """What stands between commas; of brackets that are open, up to their end."""
    depth, part = 0, list[Token]()
    for token in tokens:
        depth += token.token_type == TokenType.L_PAREN
        depth -= token.token_type == TokenType.R_PAREN
        if depth < 0 and in_brackets:
            break
        if depth == 0 and token.token_type == TokenType.COMMA:
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


class _Sources:
    """What one query reads, by alias: one may join thousands of tables, and name each column's."""

    def __init__(self) -> None:
        self.tables: list[str | None] = []
        """None for what is no table."""
        self.by_alias: dict[str, list[str | None]] = {}
        self.has_others = False

    def add(self, alias: str, table: str | None) -> None:
        """One more, in the order of the text."""
        self.tables.append(table)
        self.by_alias.setdefault(alias, []).append(table)
        self.has_others = self.has_others or table is None


@attrs.frozen
class _NodePlace:
    """Where a node stands."""

    owner: exp.Expr | None
    """The statement or query around."""
    common: frozenset[str]
    """Names of the common table expressions that are seen."""
    sorts: bool
    """Whether it is what a query sorts, groups or chooses groups by."""


class _Statement:
    """One statement that sqlglot can read."""

    def __init__(
        self, reading: _Reading, root: exp.Expr, tokens: Sequence[Token], whole: tuple[int, int], row: str | None
    ) -> None:  # fmt: skip
        self._reading = reading
        self._root = root
        self._tokens = tokens
        self._whole = whole
        self._row = row
        """The table whose rows `new` and `old` are."""
        self._places: dict[int, _NodePlace] = {}
        self._sources: dict[int, _Sources] = {}
        """Query -> what it reads."""
        self._outputs: dict[int, frozenset[str]] = {}
        """Query -> names that it gives to what it computes."""
        self._declared: set[int] = set()
        """Names that are declared here, which are no uses."""
        self._starts = [token.start for token in tokens]

    def read(self) -> None:
        """Takes in what the statement declares, then what it uses."""
        if isinstance(self._root, exp.Create):
            self._create(self._root)
        elif isinstance(self._root, exp.Alter):
            self._alter(self._root)
        nodes = self._located()
        for node in nodes:
            if isinstance(node, exp.Table):
                self._source(node)
            elif isinstance(node, (exp.Subquery, exp.Lateral, exp.Unnest, exp.Values)) and node.alias:
                self._sources.setdefault(id(self._owner(node)), _Sources()).add(node.alias.casefold(), None)
        for node in nodes:
            if isinstance(node, exp.Column):
                self._column(node)
            elif isinstance(node, (exp.Schema, exp.PrimaryKey, exp.ForeignKey, exp.UniqueColumnConstraint)):
                self._listed(node)
            elif isinstance(node, exp.AlterColumn) and isinstance(node.this, exp.Identifier):
                self._use_column(node.this, self._target())
            elif isinstance(node, exp.DataType) and isinstance(node.args.get("kind"), exp.Identifier):
                name = self._name(node.args["kind"])
                if name is not None:
                    self._reading.use(name, name.text, TYPE)

    def _located(self) -> list[exp.Expr]:
        """All nodes, and where each stands: looking up from each of them would cost the square of the depth."""
        found: list[exp.Expr] = []
        pending: list[tuple[exp.Expr, _NodePlace]] = [(self._root, _NodePlace(None, frozenset(), False))]
        while pending:
            node, place = pending.pop()
            found.append(node)
            self._places[id(node)] = place
            common = node.args.get("with_")
            if isinstance(common, exp.With):
                names = [one.alias.casefold() for one in common.expressions]
                place = attrs.evolve(place, common=place.common.union(names))
            if isinstance(node, _OWNERS):
                place = attrs.evolve(place, owner=node, sorts=False)
            elif isinstance(node, (exp.Order, exp.Group, exp.Having)):
                place = attrs.evolve(place, sorts=True)
            pending += [(child, place) for child in node.iter_expressions(reverse=True)]
        return found

    def _owner(self, node: exp.Expr) -> exp.Expr | None:
        """The statement or query around."""
        return self._places[id(node)].owner

    # what is declared

    def _create(self, node: exp.Create) -> None:
        kind = _KINDS.get(str(node.args.get("kind") or "").upper(), "")
        named = node.this
        holder = named.this if isinstance(named, (exp.Schema, exp.UserDefinedFunction, exp.Index)) else named
        name = self._name(holder.this if isinstance(holder, exp.Table) else holder)
        if not kind or name is None:
            return
        self._declared.add(id(holder))
        self._reading.declare(kind, name, self._whole, _schema(holder))
        if kind not in (TABLE, "view") or not isinstance(holder, exp.Table):
            return
        columns = list(named.expressions) if isinstance(named, exp.Schema) else []
        for column in columns:
            if isinstance(column, exp.ColumnDef):
                self._add_column(column.this, _dotted(holder))
            elif isinstance(column, exp.Identifier):
                self._add_column(column, _dotted(holder))
        if not columns and isinstance(node.expression, exp.Query):
            self._projected(node.expression, _dotted(holder))

    def _projected(self, query: exp.Query, holder: str) -> None:
        """The columns of a view are what its query gives."""
        for one in query.selects:
            name = one.args.get("alias") if isinstance(one, exp.Alias) else one.this
            if isinstance(one, (exp.Alias, exp.Column)) and isinstance(name, exp.Identifier):
                self._add_column(name, holder, used=isinstance(one, exp.Column))

    def _add_column(self, node: object, holder: str, *, used: bool = False) -> None:
        name = self._name(node)
        if name is not None:
            if not used:
                self._declared.add(id(node))
            self._reading.declare(COLUMN, name, (name.start, self._clause_end(name.end)), holder)

    def _clause_end(self, start: int) -> int:
        """Where what begins at an offset ends: before the next comma, or the bracket around."""
        depth, end = 0, start
        for at in range(bisect_left(self._starts, start), len(self._tokens)):
            token = self._tokens[at]
            depth += token.token_type == TokenType.L_PAREN
            depth -= token.token_type == TokenType.R_PAREN
            if depth < 0 or (depth == 0 and token.token_type in (TokenType.COMMA, TokenType.FROM)):
                break
            end = token.end + 1
        return end

    def _alter(self, node: exp.Alter) -> None:
        if _is_of_other(node):
            return
        table = node.this
        holder = _dotted(table) if isinstance(table, exp.Table) else ""
        for action in node.args.get("actions") or ():
            if isinstance(action, exp.ColumnDef):
                self._add_column(action.this, holder)
            elif isinstance(action, exp.RenameColumn) and isinstance(action.args.get("to"), exp.Column):
                to = action.args["to"]
                self._declared.add(id(to))
                self._add_column(to.this, holder)
            elif isinstance(action, exp.AlterRename) and (new := _new_name(node)) is not None:
                old = action.this
                self._declared.update((id(old), id(new)))
                if isinstance(old, exp.Table) and isinstance(old.this, exp.Identifier):
                    self._use_column(old.this, holder)
                self._add_column(new.this, holder)
            elif isinstance(action, exp.AlterRename) and isinstance(action.this, exp.Table):
                name = self._name(action.this.this)
                self._declared.add(id(action.this))
                if name is not None:
                    self._reading.declare(TABLE, name, self._whole, _schema(action.this) or _schema(table), holder)

    # what is used

    def _source(self, table: exp.Table) -> None:
        owner = self._owner(table)
        if isinstance(owner, exp.Create) and isinstance(owner.expression, exp.Query) and id(table) in self._declared:
            return  # its query reads others
        known = _dotted(table)
        if isinstance(table.parent, (exp.Opclass, exp.ReturnsProperty, exp.UserDefinedFunction)) or (
            isinstance(owner, (exp.Drop, exp.Alter)) and _is_of_other(owner)
        ):
            return
        common = not table.db and known.casefold() in self._places[id(table)].common
        read = self._sources.setdefault(id(owner), _Sources())
        read.add((table.alias or _last_name(table)).casefold(), None if common or not known else known)
        name = self._name(table.this)
        if name is not None and not common and id(table) not in self._declared:
            self._reading.use(name, known, TABLE)

    def _column(self, node: exp.Column) -> None:
        name = self._name(node.this)
        if name is None or id(node) in self._declared:
            return
        qualifier = node.table.casefold()
        if qualifier in _OF_ROW and self._row is not None:
            self._reading.use(name, name.text, COLUMN, (self._row,))
            return
        target = node.parent if isinstance(node.parent, exp.Tuple) else node
        setting = target.parent.parent if isinstance(target.parent, exp.EQ) and target.arg_key == "this" else None
        if isinstance(setting, exp.Update) and not qualifier and isinstance(setting.this, exp.Table):
            self._use_column(node.this, _dotted(setting.this))
            return
        found = self._tables_of(node, qualifier)
        if found and len(found) <= _MOST:
            self._reading.use(name, name.text, COLUMN, tuple(found))
            if qualifier and found[0].rpartition(".")[2].casefold() == qualifier:
                holder = self._name(node.args.get("table"))
                if holder is not None:
                    self._reading.use(holder, found[0], TABLE)

    def _tables_of(self, node: exp.Column, qualifier: str) -> list[str]:
        """Those that a column may be of, the likeliest first."""
        found: list[str] = []
        owner: exp.Expr = node
        while (around := self._owner(owner)) is not None:
            if isinstance(around, exp.Insert) and isinstance(owner, exp.Query):
                break  # the query of the rows does not see the table that they go to
            owner = around
            sources = self._sources.get(id(owner)) or _Sources()
            if qualifier:
                known: Sequence[str | None] = sources.by_alias.get(qualifier, ())
                if qualifier == "excluded" and isinstance(owner, exp.Insert):
                    known = sources.tables[:1]
                if known:
                    found = [table for table in known if table is not None]
                    break
            elif self._is_output(node, owner) or len(sources.tables) > _MOST:
                break
            else:
                found += [table for table in sources.tables if table is not None and table not in found]
                if sources.has_others:
                    break  # of the tables beside it, or its own: a column of both would be an error
        return found

    def _is_output(self, node: exp.Column, query: exp.Expr) -> bool:
        """Whether a name may be one that the query itself gives, as in ORDER BY."""
        if not isinstance(query, exp.Select) or not self._places[id(node)].sorts:
            return False
        known = self._outputs.get(id(query))
        if known is None:
            known = frozenset(one.alias.casefold() for one in query.selects if isinstance(one, exp.Alias))
            self._outputs[id(query)] = known
        return node.name.casefold() in known

    def _listed(self, node: exp.Expr) -> None:
        """Names in brackets behind a table: of rows that are inserted, of keys."""
        holder = self._target()
        if isinstance(node, exp.Schema) and isinstance(node.this, exp.Table):
            holder = _dotted(node.this)
        for one in node.expressions:
            if isinstance(one, exp.Identifier) and id(one) not in self._declared:
                self._use_column(one, holder)

    def _use_column(self, node: exp.Identifier, holder: str) -> None:
        name = self._name(node)
        if name is not None and holder:
            self._reading.use(name, name.text, COLUMN, (holder,))

    def _target(self) -> str:
        """The table that is created or altered."""
        table = self._root.this if isinstance(self._root, (exp.Create, exp.Alter)) else None
        table = table.this if isinstance(table, exp.Schema) else table
        return _dotted(table) if isinstance(table, exp.Table) else ""

    def _name(self, node: object) -> _Spelled | None:
        """Where a name stands; None for what is computed."""
        if not isinstance(node, exp.Identifier) or "start" not in node.meta:
            return None
        return self._reading.cut(int(node.meta["start"]), int(node.meta["end"]) + 1)


def _dotted(table: exp.Table) -> str:
    name = _last_name(table)
    return f"{table.db}.{name}" if table.db else name


def _last_name(table: exp.Table) -> str:
    """What a table is called; "" for what a call makes. sqlglot's own `name` fails for a cast of an array."""
    named: object = table.this
    while isinstance(named, exp.Dot):
        named = named.args.get("expression")
    return named.name if isinstance(named, exp.Identifier) else ""


def _new_name(node: exp.Alter) -> exp.Table | None:
    """What `RENAME a TO b` calls a column: sqlglot has `a` as the new name of the table, and `b` as an option."""
    for option in node.args.get("options") or ():
        if isinstance(option, exp.ToTableProperty) and isinstance(option.this, exp.Table):
            return option.this
    return None


def _is_of_other(node: exp.Drop | exp.Alter) -> bool:
    """Whether no table is dropped or altered: sqlglot calls constraints, indexes and triggers tables too."""
    return str(node.args.get("kind") or "").upper() not in ("TABLE", "VIEW", "MATERIALIZED VIEW", "")


def _schema(node: object) -> str:
    return node.db if isinstance(node, exp.Table) else ""
