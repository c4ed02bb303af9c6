"""TypeScript facts: what each form of the language says, case by case.

Owns: the golden facts under fixtures/typescript/facts.
Must not know: how facts are extracted.
Invariant: a golden is rewritten only by --update-goldens and then read by a person.
"""

from __future__ import annotations

import pytest

from graphls.facts.codec import encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import (
    ProblemKind,
)
from graphls.facts.paths import FilePath
from graphls.languages.typescript.provider import PROVIDER
from graphls.session.memory import snapshot_of


def facts_of(data: bytes, name: str = "a.ts") -> FileFacts:
    path = FilePath(name)
    return PROVIDER.extract(path, data, PROVIDER.parser(path).parse(data))


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
        "a =>\n" * 3_000 + "1",
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
