"""A text that stays broken is read by runs of statements: what they say, and that the rest is not read again."""

from __future__ import annotations

import pytest

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.python.syntax import extraction
from graphls.languages.registry import provider_for
from graphls.session.documents import open_files
from graphls.session.documents.document import AppliedChange, TextChange, apply, open_document
from graphls.session.index.extraction import understand

NAME = FilePath("a.py")
CLASS = """
class C{0}:
    '''The class.'''

    size = {0}

    def first(self, value: int) -> int:
        return self.second(value) + other(value)

    def second(self, value: int) -> int:
        return C{1}().first(value)


limit{0} = C{0}()
"""
TEXT = "import os\n" + "".join(CLASS.format(number, max(number - 1, 0)) for number in range(12))
LINES = TEXT.split("\n")
MIDDLE = next(row for row, line in enumerate(LINES) if "C5().first" in line)
TOP = LINES.index("class C6:") - 1
PLACES = {"in a function": (MIDDLE, " " * 8), "in a class": (MIDDLE + 1, "    "), "in the module": (TOP, "")}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("typed", ["value = other(a", "def g(:a", "'''abc", "x = {ab", ") = ab"])
def test_typing_in_a_broken_text_reads_a_run_of_it(place: str, typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "REUSE_FROM_BYTES", 0)
    monkeypatch.setattr(open_files, "REMEMBER_FROM_BYTES", 0)
    whole: list[int] = []
    finish = extraction.finish
    monkeypatch.setattr(extraction, "finish", lambda *some: whole.append(1) or finish(*some))  # type: ignore[func-returns-value]
    provider = provider_for(NAME)
    assert provider is not None
    row, blanks = PLACES[place]
    document = open_document("", 0, TEXT, "")
    held = open_files.OpenFile(NAME, document.data, provider)
    held.parse()
    column, last = 0, 0
    for number, key in enumerate([blanks + "\n", *typed]):
        at = row, column
        applied = apply(document, number + 1, [TextChange(key, (at, at))], "utf-32")
        assert isinstance(applied, AppliedChange)
        document = applied.document
        column = len(blanks) if number == 0 else column + 1
        held.change(document.data, applied.edits)
        whole.clear()
        shown = held.parse()
        last = len(whole)
        fresh = understand(provider, NAME, document.data)
        assert shown is not None
        assert encode(shown.facts) == encode(fresh[0])
        assert encode(shown.surface) == encode(fresh[1])
    assert last == 0
