"""Syntax facts: what expressions see of the statements of a Python file.

Owns: names and types of the fields, which statements have a row.
Must not know: expressions, rules, how a file was read.
Invariant: every field is there in each row; what a statement has not is "", false or -1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from graphls.analysis.policy.predicates import Fact
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, ImportFlag, Role, ScopeKind
from graphls.graph.nodes import qualified_name

SYNTAX: Final[Mapping[str, Fact]] = {
    "node_kind": "import_statement", "name": "a", "module": "a.b", "path": "Job.run", "line": 1, "parameter_count": -1,
    "is_dynamic_import": False, "is_nested": False, "is_type_checking": False, "is_conditional": False,
    "is_async": False, "is_method": False,
}  # fmt: skip
_EMPTY: Final[Mapping[str, Fact]] = {
    name: False if isinstance(value, bool) else "" if isinstance(value, str) else -1 for name, value in SYNTAX.items()
}
_IMPORTING: Final = ("import_module", "__import__")
"""What imports a module by a name that is made at run time."""
_BOUND: Final = (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT)


def syntax_rows(facts: FileFacts) -> tuple[Mapping[str, Fact], ...]:
    """Imports, functions, classes, assignments of lambdas and calls, by line."""
    rows = (*_imports(facts), *_definitions(facts), *_calls(facts))
    return tuple(sorted(rows, key=lambda row: (row["line"], row["node_kind"], row["name"])))


def _imports(facts: FileFacts) -> Iterator[Mapping[str, Fact]]:
    table, strings = facts.imports, facts.strings
    for row, flags in enumerate(table.flags):
        known = ImportFlag(flags)
        dynamic = bool(known & ImportFlag.DYNAMIC)
        named = table.name[row] >= 0
        yield {
            **_EMPTY,
            "node_kind": "call" if dynamic else "import_from_statement" if named else "import_statement",
            "name": strings[table.name[row]] if named else "",
            "module": strings[table.module[row]] if table.module[row] >= 0 else "",
            "line": facts.line_column(table.start[row])[0] + 1,
            "is_dynamic_import": dynamic,
            "is_nested": bool(known & ImportFlag.LOCAL),
            "is_type_checking": bool(known & ImportFlag.TYPE_CHECKING),
            "is_conditional": bool(known & ImportFlag.CONDITIONAL),
        }


def _definitions(facts: FileFacts) -> Iterator[Mapping[str, Fact]]:
    table, kinds = facts.definitions, facts.expressions.kind
    counts: dict[int, int] = {}
    for kind, scope, flags in zip(table.kind, table.scope, table.flags, strict=True):
        if kind == DefinitionKind.PARAMETER and not flags & DefinitionFlag.RECEIVER:
            counts[scope] = counts.get(scope, 0) + 1
    for row, kind in enumerate(table.kind):
        value = table.value[row]
        function = kind in (DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY)
        bound = kind in _BOUND and value >= 0 and kinds[value] == ExpressionKind.LAMBDA
        if not (function or bound or kind == DefinitionKind.CLASS):
            continue
        inner = facts.scopes.kind[table.scope[row]]
        yield {
            **_EMPTY,
            "node_kind": "function_definition" if function else "lambda" if bound else "class_definition",
            "name": facts.strings[table.name[row]],
            "path": qualified_name(facts, row),
            "line": facts.line_column(table.start[row])[0] + 1,
            "parameter_count": counts.get(table.body[row], 0) if function else -1,
            "is_nested": inner == ScopeKind.FUNCTION,
            "is_conditional": bool(table.flags[row] & DefinitionFlag.CONDITIONAL),
            "is_type_checking": bool(table.flags[row] & DefinitionFlag.TYPE_CHECKING),
            "is_async": bool(table.flags[row] & DefinitionFlag.ASYNC),
            "is_method": inner == ScopeKind.CLASS,
        }


def _calls(facts: FileFacts) -> Iterator[Mapping[str, Fact]]:
    table = facts.occurrences
    for row, role in enumerate(table.role):
        if role == Role.CALL:
            owner, name = table.owner[row], facts.strings[table.name[row]]
            yield {
                **_EMPTY,
                "node_kind": "call",
                "name": name,
                "is_dynamic_import": name in _IMPORTING,
                "path": qualified_name(facts, owner) if owner >= 0 else "",
                "line": facts.line_column(table.start[row])[0] + 1,
                "is_nested": owner >= 0,
            }
