"""Declarations as records say them: modifiers that are written, arguments of decorators."""

from __future__ import annotations

import pytest

from graphls.graph.written_declarations import static_arguments, written_modifiers
from graphls.languages.registry import providers


@pytest.mark.parametrize(
    ("language", "before", "behind", "said"),
    [
        ("typescript", "private readonly ", "?: string;", ["private", "readonly", "optional"]),
        ("typescript", "override async ", "(): void {}", ["override", "async"]),
        ("typescript", '@Input("static (readonly", {abstract: 1}) /* declare ) */ public ', " = 1;", ["public"]),
        ("typescript", "@declare\nexport default class ", " {}", ["export", "default"]),
        ("typescript", "export const enum ", " { A }", ["export", "const"]),
        ("typescript", "", " ? a : b", ["optional"]),
        ("python", "", ": typing.ClassVar[int] = 1", ["static"]),
        ("python", "", ": NotRequired[int]", ["optional"]),
        ("python", "async def ", "(self):", []),
        ("java", '@Named("volatile") protected static ', "() {", ["protected"]),
        ("csharp", "protected internal override ", "()", ["protected", "internal", "override"]),
        ("kotlin", "override suspend fun ", "()", ["override", "suspend"]),
    ],
)
def test_words_and_marks_around_a_name_are_its_modifiers(
    language: str, before: str, behind: str, said: list[str]
) -> None:
    known = providers()[language].capabilities
    assert list(written_modifiers(known, before.encode(), behind.encode(), ())) == said


@pytest.mark.parametrize(("language", "name"), [("python", "typing.override"), ("java", "Override")])
def test_a_decorator_may_be_a_modifier(language: str, name: str) -> None:
    assert list(written_modifiers(providers()[language].capabilities, b"", b"", [name])) == ["override"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('"/x", methods=["GET", "POST"], strict=True, n=-1)', ["/x", 'methods=["GET", "POST"]', "strict=True", "n=-1"]),
        ("Role.Admin, 1.5, true, [A, B], undefined)", ["Role.Admin", "1.5", "true", "[A, B]", "undefined"]),
        ('{selector: "x", deep: {a: [1]}})', ['{selector: "x", deep: {a: [1]}}']),
        ('a + b, f(1), g[0], not x, lambda: 1, *more, () => 1, "kept")', ["kept"]),
        ('f"{x}", `a${b}`, r"\\d", `t`)', ["\\d", "t"]),
        ('"a, b", # not "c"\n "d",\n)', ["a, b", "d"]),
        ('name = "x", value = 3)', ["name=x", "value=3"]),
        ("1).then(2)", []),
        ("'" + "x" * 201 + "', 1)", ["1"]),
        ("", []),
        (")", []),
    ],
)
def test_arguments_of_literals_and_names_are_said_as_written(written: str, said: list[str]) -> None:
    assert list(static_arguments(written)) == said
