"""How right links of SQL are, by PostgreSQL's own parser.

    python bench/sql_truth.py WORKSPACE [--under FOLDER] [--kinds] [--show N]      (pip install pglast)

Migrations are replayed here once more, in the order of their paths: what `libpg_query` reads as the creation, renaming or
removal of a table, view or column changes what the names after it mean. `down.sql` and `*.down.sql` see what stands after
their own `up`. Uses are the names of tables and columns with a place in the tree of the statement, and those of keys,
indexes and alterations, which have none there and are looked for in the text behind it. Files that are no migrations see
the end. A column of a view, a subquery or a function wants no edge and is left out; so is the text of functions.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pglast import ast, parse_sql
from pglast.parser import ParseError

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.session.memory import snapshot_of

Place = tuple[str, int]
"""A file and a character of it."""
NAME = r'(?:"[^"]+"|[A-Za-z_][\w$]*)'
DOTTED = re.compile(rf"{NAME}(?:\s*\.\s*{NAME})*")


class Table:
    """One table or view as the statements so far made it; `columns` is None where no statement lists them."""

    def __init__(self, places: set[Place], columns: dict[str, set[Place]] | None) -> None:
        self.places, self.columns = places, columns


def nodes(node: Any) -> Iterator[Any]:
    """Direct children of a node of the tree."""
    if isinstance(node, ast.Node):
        for slot in node.__slots__:
            value = getattr(node, slot, None)
            if isinstance(value, tuple):
                yield from value
            elif isinstance(value, ast.Node):
                yield value
    elif isinstance(node, tuple):
        yield from node


def below(node: Any) -> Iterator[Any]:
    yield node
    for child in nodes(node):
        yield from below(child)


class Reader:
    """Replays statements; `uses` maps a place to its kind and the places that are right (none: no edge is wanted)."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.uses: dict[Place, tuple[str, set[Place]]] = {}
        self.file, self.text, self.at, self.end = "", "", 0, 0

    def last_name(self, at: int) -> int:
        """Where the last part of a dotted name begins that stands at `at`."""
        match = DOTTED.match(self.text, at)
        if match is None:
            return at
        return at + [part.start() for part in re.finditer(NAME, match[0])][-1]

    def spelled(self, name: str, after: int) -> int | None:
        match = re.compile(rf'(?<![\w"$])"?{re.escape(name)}"?(?![\w"$])', re.IGNORECASE).search(
            self.text, after, self.end
        )
        return match.start() if match else None

    def use(self, kind: str, at: int | None, right: set[Place] | None) -> None:
        if at is not None and right is not None:
            self.uses.setdefault((self.file, at), (kind, right))

    def relation(self, node: Any, hidden: set[str]) -> Table | None:
        name = node.relname
        if node.schemaname is None and name in hidden:
            return None
        if node.schemaname in ("pg_catalog", "information_schema") or name.startswith("pg_"):
            return None
        table = self.tables.get(name)
        if node.location >= 0:
            self.use("table", self.last_name(node.location), table.places if table else set())
        return table

    def column(self, table: Table | None, name: str, at: int | None) -> None:
        if table is not None and table.columns is not None:
            self.use("column", at, table.columns.get(name, set()))

    def columns_after(self, table: Table | None, names: Any, after: int) -> int:
        """Columns of a list without places, looked for one behind the other."""
        for name in names or ():
            word = name.sval if isinstance(name, ast.String) else str(name)
            at = self.spelled(word, after)
            self.column(table, word, at)
            after = after if at is None else at + len(word)
        return after

    def read(self, file: str, text: str) -> bool:
        self.file, self.text = file, text
        try:
            statements = parse_sql(text)
        except (ParseError, UnicodeError):
            return False
        for raw in statements:
            self.at = raw.stmt_location
            self.end = self.at + raw.stmt_len if raw.stmt_len else len(text)
            self.statement(raw.stmt)
        return True

    def statement(self, node: Any) -> None:
        hidden = {cte.ctename for cte in below(node) if isinstance(cte, ast.CommonTableExpr)}
        match node:
            case ast.CreateStmt():
                self.create(node, hidden)
            case ast.AlterTableStmt():
                self.alter(node, hidden)
            case ast.RenameStmt() if node.relation is not None:
                self.rename(node, hidden)
            case ast.IndexStmt():
                table = self.relation(node.relation, hidden)
                start = self.last_name(node.relation.location) + len(node.relation.relname)
                for part in node.indexParams or ():
                    if part.name:
                        start = self.columns_after(table, [part.name], start)
                    else:
                        self.expression(part.expr, [{"": table}], hidden)
                self.expression(node.whereClause, [{"": table}], hidden)
            case ast.ViewStmt():
                self.query(node.query, [], hidden)
                at = self.last_name(node.view.location)
                self.tables[node.view.relname] = Table({(self.file, at)}, None)
            case ast.CreateTableAsStmt():
                self.query(node.query, [], hidden)
                at = self.last_name(node.into.rel.location)
                self.tables[node.into.rel.relname] = Table({(self.file, at)}, None)
            case ast.DropStmt():
                self.drop(node)
            case ast.SelectStmt() | ast.InsertStmt() | ast.UpdateStmt() | ast.DeleteStmt():
                self.query(node, [], hidden)
            case _:
                for part in below(node):
                    if isinstance(part, ast.RangeVar):
                        self.relation(part, hidden)

    def create(self, node: Any, hidden: set[str]) -> None:
        at = self.last_name(node.relation.location)
        columns: dict[str, set[Place]] = {}
        for part in node.tableElts or ():
            if isinstance(part, ast.ColumnDef):
                columns[part.colname] = {(self.file, part.location)}
        listed = (
            None
            if any(isinstance(part, ast.TableLikeClause) for part in node.tableElts or ()) or node.inhRelations
            else columns
        )
        table = Table({(self.file, at)}, listed)
        if not (node.if_not_exists and node.relation.relname in self.tables):
            self.tables[node.relation.relname] = table
        for part in node.tableElts or ():
            self.constraints(table, part, hidden)

    def constraints(self, table: Table | None, node: Any, hidden: set[str]) -> None:
        for part in below(node):
            if not isinstance(part, ast.Constraint):
                continue
            after = self.columns_after(
                table,
                (*(part.keys or ()), *(part.fk_attrs or ())),
                max(part.location, self.at) + len(part.conname or ""),
            )
            if part.pktable is not None:
                other = self.relation(part.pktable, hidden)
                after = self.last_name(part.pktable.location) + len(part.pktable.relname)
                self.columns_after(other, part.pk_attrs, after)
            self.expression(part.raw_expr, [{"": table}], hidden)

    def alter(self, node: Any, hidden: set[str]) -> None:
        table = self.relation(node.relation, hidden)
        after = self.last_name(node.relation.location) + len(node.relation.relname)
        for command in node.cmds:
            kind = command.subtype.name
            if kind == "AT_AddColumn":
                if table is not None and table.columns is not None:
                    table.columns[command.def_.colname] = {(self.file, command.def_.location)}
                after = command.def_.location + len(command.def_.colname)
                self.constraints(table, command.def_, hidden)
            elif kind == "AT_AddConstraint":
                self.constraints(table, command.def_, hidden)
                after = max(after, command.def_.location + 1)
            elif command.name and ("Column" in kind or kind.endswith(("NotNull", "SetStatistics"))):
                after = self.columns_after(table, [command.name], after)
                if kind == "AT_DropColumn" and table is not None and table.columns is not None:
                    table.columns.pop(command.name, None)

    def rename(self, node: Any, hidden: set[str]) -> None:
        table = self.relation(node.relation, hidden)
        after = self.last_name(node.relation.location) + len(node.relation.relname)
        kind = node.renameType.name
        if kind == "OBJECT_COLUMN":
            at = self.spelled(node.subname, after)
            self.column(table, node.subname, at)
            new = self.spelled(node.newname, (at or after) + len(node.subname))
            if table is not None and table.columns is not None:
                old = table.columns.pop(node.subname, set())
                table.columns[node.newname] = old | ({(self.file, new)} if new is not None else set())
        elif kind in ("OBJECT_TABLE", "OBJECT_VIEW", "OBJECT_MATVIEW") and table is not None:
            new = self.spelled(node.newname, after)
            self.tables.pop(node.relation.relname, None)
            self.tables[node.newname] = Table(
                table.places | ({(self.file, new)} if new is not None else set()), table.columns
            )

    def drop(self, node: Any) -> None:
        if node.removeType.name not in ("OBJECT_TABLE", "OBJECT_VIEW", "OBJECT_MATVIEW"):
            return
        after = self.at
        for names in node.objects:
            name = names[-1].sval
            at = self.spelled(name, after)
            table = self.tables.pop(name, None)
            self.use("table", at, table.places if table else set())
            after = (at or after) + len(name)

    def query(self, node: Any, outer: list[dict[str, Any]], hidden: set[str]) -> None:
        """One statement with a scope of its own: from the alias of each source to its table, None where nobody knows it."""
        scope: dict[str, Table | None] = {}
        scopes = [scope, *outer]
        if isinstance(node, ast.SelectStmt) and node.larg is not None:
            self.query(node.larg, outer, hidden)
            self.query(node.rarg, outer, hidden)
            return
        target: Table | None = None
        relation = getattr(node, "relation", None)
        if relation is not None:
            target = self.relation(relation, hidden)
            scope[relation.alias.aliasname if relation.alias else relation.relname] = target
        for part in (*(getattr(node, "fromClause", None) or ()), *(getattr(node, "usingClause", None) or ())):
            self.source(part, scopes, hidden)
        if isinstance(node, ast.InsertStmt):
            for part in node.cols or ():
                self.column(target, part.name, part.location)
            if node.onConflictClause is not None:
                if node.onConflictClause.infer is not None:
                    for part in node.onConflictClause.infer.indexElems or ():
                        if part.name:
                            self.columns_after(target, [part.name], node.onConflictClause.infer.location)
                inner = {**scope, "excluded": target}
                for part in node.onConflictClause.targetList or ():
                    self.column(target, part.name, part.location)
                    self.expression(part.val, [inner, *outer], hidden)
                self.expression(node.onConflictClause.whereClause, [inner, *outer], hidden)
        if isinstance(node, ast.UpdateStmt):
            for part in node.targetList or ():
                self.column(target, part.name, part.location)
        aliases = {
            part.name
            for part in below(getattr(node, "targetList", None))
            if isinstance(part, ast.ResTarget) and part.name
        }
        for slot in node.__slots__:
            if slot not in ("relation", "fromClause", "usingClause", "cols", "onConflictClause"):
                named = aliases if slot in ("sortClause", "groupClause") else set()
                self.expression(getattr(node, slot, None), scopes, hidden, named)

    def source(self, node: Any, scopes: list[dict[str, Any]], hidden: set[str]) -> None:
        if isinstance(node, ast.RangeVar):
            alias = node.alias.aliasname if node.alias else node.relname
            scopes[0][alias] = self.relation(node, hidden)
        elif isinstance(node, ast.JoinExpr):
            self.source(node.larg, scopes, hidden)
            self.source(node.rarg, scopes, hidden)
            self.expression(node.quals, scopes, hidden)
        else:
            alias = getattr(node, "alias", None)
            scopes[0][alias.aliasname if alias else f"?{len(scopes[0])}"] = None
            self.expression(getattr(node, "subquery", None) or getattr(node, "functions", None), scopes, hidden)

    def expression(
        self, node: Any, scopes: list[dict[str, Any]], hidden: set[str], aliases: set[str] = frozenset()
    ) -> None:  # type: ignore[assignment]
        if isinstance(node, (ast.SelectStmt, ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt)):
            self.query(node, scopes, hidden)
        elif isinstance(node, ast.ColumnRef):
            self.reference(node, scopes, aliases)
        elif isinstance(node, ast.RangeVar):
            self.relation(node, hidden)
        else:
            for child in nodes(node):
                self.expression(child, scopes, hidden, aliases)

    def reference(self, node: Any, scopes: list[dict[str, Any]], aliases: set[str]) -> None:
        names = [part.sval for part in node.fields if isinstance(part, ast.String)]
        if len(names) != len(node.fields) or not names:
            return
        at = self.last_name(node.location)
        if len(names) > 1:
            for scope in scopes:
                if names[-2] in scope:
                    self.column(scope[names[-2]], names[-1], at)
                    return
            return
        if names[0] in aliases:
            return
        for scope in scopes:
            holding = [
                table
                for table in scope.values()
                if table is not None and table.columns is not None and names[0] in table.columns
            ]
            if len(holding) == 1:
                self.column(holding[0], names[0], at)
                return
            if holding or any(table is None or table.columns is None for table in scope.values()):
                return
        self.use("column", at, set())


def version(file: str) -> tuple[str, str]:
    """As diesel and others order migrations: by the digits before the first underscore of what has its own name."""
    parts = file.split("/")
    name = parts[-2] if len(parts) > 1 and parts[-2][:1].isdigit() else parts[-1]
    return re.sub(r"\D", "", name.partition("_")[0]), file


def truth(texts: dict[str, str], under: str) -> tuple[Reader, list[str]]:
    reader, bad, rest = Reader(), [], []
    for file in sorted(texts, key=version):
        if not file.startswith(under):
            rest.append(file)
        elif re.search(r"(?:^|[/.])down\.sql$", file) is None:
            if not reader.read(file, texts[file]):
                bad.append(file)
            down = re.sub(r"up\.sql$", "down.sql", file)
            if down != file and down in texts:
                after = {
                    name: Table(set(table.places), None if table.columns is None else dict(table.columns))
                    for name, table in reader.tables.items()
                }
                if not reader.read(down, texts[down]):
                    bad.append(down)
                reader.tables = after
    for file in rest:
        if not reader.read(file, texts[file]):
            bad.append(file)
    return reader, bad


def answers(texts: dict[str, str]) -> Iterator[tuple[Place, Place]]:
    """Edges of graphls between files of SQL."""
    contents = {file: text.encode() for file, text in texts.items()}
    snapshot = snapshot_of(contents)
    assert snapshot.derivation is not None
    for file, text in contents.items():
        for edge in snapshot.derivation.edges_from(snapshot, FilePath(file)):
            target = edge.target
            if edge.kind != "contains" and isinstance(target, DerivedNode):
                for path, start, _ in edge.sites:
                    at = len(contents[path][:start].decode("utf-8", "replace"))
                    yield (
                        (path, at),
                        (str(target.file), len(contents[target.file][: target.start].decode("utf-8", "replace"))),
                    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--under", default="", help="folder of the migrations")
    parser.add_argument("--show", type=int, default=12)
    chosen = parser.parse_args()
    texts = {
        path.relative_to(chosen.workspace).as_posix(): path.read_text("utf-8", "replace")
        for path in sorted(chosen.workspace.rglob("*.sql"))
        if path.is_file() and "node_modules" not in path.parts
    }
    reader, bad = truth(texts, chosen.under)
    given: dict[Place, Place] = dict(answers(texts))
    counts: Counter[tuple[str, str]] = Counter()
    odd: list[str] = []
    for (file, at), (kind, right) in sorted(reader.uses.items()):
        answer = given.get((file, at)) or given.get((file, at + 1) if texts[file][at] == '"' else (file, at))
        if answer is not None and texts[answer[0]][answer[1] - 1 : answer[1]] == '"':
            answer = (answer[0], answer[1] - 1)
        state = (
            ("right" if answer in right else "wrong" if right else "false")
            if answer
            else "missing"
            if right
            else "none"
        )
        counts[kind, state] += 1
        if state in ("wrong", "false", "missing"):
            line = texts[file].count("\n", 0, at) + 1
            odd.append(
                f"{state} {kind} {file}:{line} {texts[file][at : at + 40].splitlines()[0]!r} right {sorted(right)[:2]} given {answer}"
            )
    print(f"{len(texts)} files, {len(bad)} not read by the parser: {bad[:4]}")
    for kind in ("table", "column"):
        right, wrong, missing, false, none = (
            counts[kind, state] for state in ("right", "wrong", "missing", "false", "none")
        )
        answered = right + wrong + false
        print(
            f"{kind}: {right + wrong + missing} uses, R {right / max(right + wrong + missing, 1):.4f} P {right / max(answered, 1):.4f} "
            f"(wrong {wrong}, missing {missing}, false {false}, rightly nothing {none})"
        )
    for line in odd[:: max(1, len(odd) // max(chosen.show, 1))][: chosen.show]:
        print("  ", line)


if __name__ == "__main__":
    main()
