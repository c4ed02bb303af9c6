"""TypeScript facts: what each form of the language says, case by case.

Owns: the golden facts under fixtures/typescript/facts.
Must not know: how facts are extracted.
Invariant: a golden is rewritten only by --update-goldens and then read by a person.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphls.facts.codec import decode, encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import (
    DefinitionFlag,
    DefinitionKind,
    ExpressionKind,
    OccurrenceFlag,
    ProblemKind,
    Role,
    ScopeKind,
)
from graphls.facts.paths import FilePath
from graphls.languages.extract.surfaces import build_surface
from graphls.languages.typescript.provider import PROVIDER
from graphls.languages.typescript.syntax.forms import SHIFT, forms_of
from graphls.session.memory import snapshot_of

FOLDER = Path(__file__).parents[2] / "fixtures" / "typescript" / "facts"
CASES = sorted(path for path in FOLDER.iterdir() if path.suffix != ".jsonl")


def facts_of(data: bytes, name: str = "a.ts") -> FileFacts:
    path = FilePath(name)
    return PROVIDER.extract(path, data, PROVIDER.parser(path).parse(data))


class Text:
    """Rows of one file as a person reads them. Expressions: `~operator`, `@scope`, `#definition`."""

    def __init__(self, facts: FileFacts) -> None:
        self.facts = facts

    def text(self, row: int) -> str:
        return self.facts.strings[row] if row >= 0 else "-"

    def expression(self, row: int) -> str:
        if row < 0:
            return "?"
        table = self.facts.expressions
        kind, a, b = ExpressionKind(table.kind[row]), table.a[row], table.b[row]
        if kind == ExpressionKind.NAME:
            return f"{self.text(a)}@{b}"
        if kind == ExpressionKind.MEMBER:
            return f"{self.expression(a)}.{self.text(b)}"
        if kind == ExpressionKind.LITERAL:
            return f"~{self.text(a)}" + (f" {self.text(b)!r}" if b >= 0 else "")
        if kind == ExpressionKind.MODULE:
            return f"module {self.text(a)!r}" + (" required" if b else "")
        if kind in (ExpressionKind.OBJECT, ExpressionKind.FUNCTION, ExpressionKind.PARAMETER):
            return f"{kind.name.lower()}#{a}"
        if kind in (ExpressionKind.CALL, ExpressionKind.SUBSCRIPT):
            return f"{self.expression(a)}{'()[]'[2 * (kind == ExpressionKind.SUBSCRIPT) :][0]}{self.listed(b)}"
        if kind in (ExpressionKind.UNION, ExpressionKind.TUPLE, ExpressionKind.COLLECTION):
            return f"{kind.name.lower()}({self.listed(a)})"
        return f"{kind.name.lower()}({self.expression(a)}, {b})"

    def listed(self, row: int) -> str:
        return ", ".join(self.expression(item) for item in self.facts.list_at(row))

    def definition(self, row: int) -> dict[str, object]:
        table = self.facts.definitions
        line, column = self.facts.line_column(table.start[row])
        made: dict[str, object] = {
            "definition": self.text(table.name[row]),
            "kind": DefinitionKind(table.kind[row]).name,
            "at": f"{line}:{column}",
            "scope": table.scope[row],
        }
        given = (
            (
                "flags",
                str(DefinitionFlag(table.flags[row])).removeprefix("DefinitionFlag.") if table.flags[row] else "",
            ),
            ("body", table.body[row] if table.body[row] >= 0 else ""),
            ("type", self.expression(table.type[row]) if table.type[row] >= 0 else ""),
            ("value", self.expression(table.value[row]) if table.value[row] >= 0 else ""),
            ("in", self.text(table.name[table.owner[row]]) if table.owner[row] >= 0 else ""),
            ("doc", self.text(table.doc[row]) if table.doc[row] >= 0 else ""),
        )
        return made | {key: value for key, value in given if value != ""}

    def occurrence(self, row: int) -> dict[str, object]:
        table = self.facts.occurrences
        line, column = self.facts.line_column(table.start[row])
        made: dict[str, object] = {
            "use": self.text(table.name[row]),
            "role": Role(table.role[row]).name,
            "at": f"{line}:{column}",
            "scope": table.scope[row],
        }
        if table.flags[row] & (1 << SHIFT) - 1:
            made["flags"] = OccurrenceFlag(table.flags[row] & (1 << SHIFT) - 1).name
        if table.flags[row] >> SHIFT:
            count, forms = forms_of(table.flags[row])
            made["given"] = [count, *forms]
        if table.base[row] >= 0:
            made["base"] = self.expression(table.base[row])
        return made


def rows_of(facts: FileFacts) -> list[dict[str, object]]:
    text = Text(facts)
    scopes: list[dict[str, object]] = [
        {
            "scope": row,
            "kind": ScopeKind(kind).name,
            "parent": facts.scopes.parent[row],
            "owner": facts.scopes.owner[row],
        }
        for row, kind in enumerate(facts.scopes.kind)
    ]
    return [
        *scopes,
        *map(text.definition, range(len(facts.definitions))),
        *map(text.occurrence, range(len(facts.occurrences))),
        *(
            {"returns": text.text(facts.definitions.name[row]), "value": text.expression(facts.returns.expression[at])}
            for at, row in enumerate(facts.returns.definition)
        ),
        *({"problem": text.text(row)} for row in facts.problems.text),
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, update_goldens: bool) -> None:
    golden = case.with_name(case.name + ".jsonl")
    data = case.read_bytes()
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows_of(facts_of(data, case.name)))
    if update_goldens:
        golden.write_text(text, encoding="utf-8")
    assert text.splitlines() == golden.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_facts_and_surface_are_well_formed(case: Path) -> None:
    facts = facts_of(case.read_bytes(), case.name)
    assert encode(facts) == encode(facts_of(case.read_bytes(), case.name))
    assert encode(decode(FileFacts, encode(facts))) == encode(facts)
    assert list(facts.definitions.start) == sorted(facts.definitions.start)
    assert list(facts.occurrences.start) == sorted(facts.occurrences.start)
    again, _ = build_surface(facts)
    shown = [row for row in again.definitions.surface if row >= 0]
    assert shown == sorted(shown)


def test_names_have_the_bytes_they_stand_at() -> None:
    data = "\ufeff// \U0001f600 é\r\nconst größe = '\U0001f600'; größe.länge;\r".encode()
    facts = facts_of(data)
    table = facts.occurrences
    for start, end, name in zip(table.start, table.end, table.name, strict=True):
        assert data[start:end].decode() == facts.strings[name]
    assert list(facts.lines) == [0, 15, len(data)]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000 + "x" + ")" * 20_000,
        "a => " * 3_000 + "1",
        "x" + ".a()" * 3_000,
        "const x = " + "{a:" * 2_000 + "1" + "}" * 2_000,
        "type T = " + "A<" * 2_000 + "B" + ">" * 2_000,
    ],
    ids=["parentheses", "arrows", "chain", "objects", "types"],
)
def test_absurd_nesting_is_a_problem_not_a_failure(text: str) -> None:
    facts = facts_of(text.encode())
    assert ProblemKind.DEPTH in facts.problems.kind


def test_long_operator_chains_are_read_in_full() -> None:
    facts = facts_of(b"x = 1" + b" + a" * 5_000)
    assert facts.strings.index("a") in facts.occurrences.name
    assert len(facts.occurrences) == 5_001
    assert not len(facts.problems)


def test_right_code_that_the_grammar_does_not_know_is_no_problem() -> None:
    text = b"interface A<out T, in U> { x: T }\nexport type * from './a';\nlet y: import('./q').Z<string>;"
    assert not len(facts_of(text).problems)


def test_of_many_problems_the_first_are_told_every_time() -> None:
    data = b"const a = (;\n" * 300
    first = facts_of(data)
    assert len(first.problems) < 300
    assert list(first.problems.start)[:2] == sorted(first.problems.start)[:2]
    assert max(first.problems.start) < len(data) // 2
    assert len({encode(facts_of(data)) for _ in range(3)} | {encode(first)}) == 1


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("export function f() {\n  const g = () => 1\n  return g()\n}\n", "g", "const g = () => 1"),
        ("export function f() { function g() {} }\n", "g", "function g() {}"),
        ("export function f() { class G {} }\n", "G", "class G {}"),
        ("export const f = () => { const g = 1 }\n", "g", "const g = 1"),
        ("export const g = 1, h = 2;\n", "g", "export const g = 1, h = 2;"),
        ("export default class G {}\n", "G", "export default class G {}"),
    ],
)
def test_the_range_of_a_declaration_is_that_of_its_own_statement(text: str, name: str, expected: str) -> None:
    """One in the body of an exported function had the range of the whole function."""
    facts = snapshot_of({"a.ts": text}).facts(FilePath("a.ts"))
    table = facts.definitions
    (row,) = [row for row, known in enumerate(table.name) if facts.strings[known] == name]
    assert text[table.full_start[row] : table.full_end[row]] == expected
