"""JSDoc growth: what comments of JavaScript cost grows with them.

Owns: comments in a row, how much of the text is gone through to find what they document.
Must not know: facts.
Invariant: counted in bytes, not in seconds.
"""

from __future__ import annotations

import re
import sys
from types import FrameType
from typing import Any

import pytest

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.languages.extract.grammars import parse, parser
from graphls.languages.registry import provider_of
from graphls.languages.typescript.syntax import jsdoc


class _Counted:
    """A pattern that notes how many bytes it went over."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self.pattern, self.bytes = pattern, 0

    def match(self, data: bytes, start: int) -> re.Match[bytes] | None:
        found = self.pattern.match(data, start)
        self.bytes += 0 if found is None else found.end() - found.start()
        return found


@pytest.mark.parametrize("between", ["", "\n", "\n// a remark\n", "\n/* a remark */\n"])
def test_comments_in_a_row_are_gone_through_once(between: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """8,000 aliases in 357 kB took 63 seconds: behind each comment all that follow were gone through."""
    counted = _Counted(jsdoc._GAP)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(jsdoc, "_GAP", counted)
    row = [f"/** @typedef {{(one: A{number}) => void}} T{number} */" for number in range(1_000)]
    data = (between.join(row) + between + "\nconst last = 1\n").encode()
    notes = jsdoc.find_notes(data, parse(parser("javascript"), data).root_node)
    assert notes is not None
    assert len(notes.blocks) == 1_000
    assert {block.documents for block in notes.blocks} == {data.index(b"const last")}
    assert counted.bytes <= 2 * len(data)


def _facts(text: str) -> FileFacts:
    path, data = FilePath("a.js"), text.encode()
    provider = provider_of(path, data)
    assert provider is not None
    return provider.extract(path, data, parse(parser("javascript"), data))


@pytest.mark.parametrize(
    ("tag", "end"),
    [
        ("@param {{X}} a{0}", "function f({1}) {{}}"),
        ("@param {{X}} o.a{0}\n * @param {{X}} o.a{0}.b", "function f(o) {{}}"),
        ("@property {{X}} a{0}\n * @property {{X}} a{0}.b", ""),
        ("@typedef {{X}} A{0}", ""),
    ],
)
def test_tags_of_one_comment_are_looked_at_once(tag: str, end: str) -> None:
    """A function of 4,000 parameters took 1.8 seconds: each of them was looked for among all."""

    def lines(size: int) -> int:
        head = "@typedef {Object} T" if "property" in tag else "@param {Object} o" if "o.a" in tag else ""
        names = ", ".join(f"a{number}" for number in range(size))
        tags = "".join(f" * {tag.format(number)}\n" for number in range(size))
        text = f"/**\n * {head}\n{tags} */\n{end.format('', names)}\n"
        counted = 0

        def in_line(_frame: FrameType, event: str, _argument: object) -> Any:
            nonlocal counted
            counted += event == "line"
            return in_line

        sys.settrace(in_line)
        try:
            _facts(text)
        finally:
            sys.settrace(None)
        return counted

    lines(8)
    small = lines(150)
    assert lines(300) < 2.3 * small


def test_type_parameters_of_many_aliases_are_not_bound() -> None:
    """86 kB with 2,000 of each took 34 seconds and declared four million."""

    def declared(size: int) -> int:
        tags = "".join(f" * @template T{number}\n * @typedef {{T{number}}} A{number}\n" for number in range(size))
        kinds = _facts(f"/**\n{tags} */\n").definitions.kind
        return sum(kind == DefinitionKind.TYPE_PARAMETER for kind in kinds)

    assert declared(16) == jsdoc.MAX_GENERIC
    assert declared(17) == 0


def test_a_comment_documents_what_follows_it() -> None:
    data = b"/** @type {A} */\nlet a\n/** @type {B} */ // a remark\n/* another */ let b\n/** @type {C} */"
    notes = jsdoc.find_notes(data, parse(parser("javascript"), data).root_node)
    assert notes is not None
    assert [block.documents for block in notes.blocks] == [data.index(b"let a"), data.index(b"let b"), len(data)]
