"""Large files of TypeScript and JavaScript are read by runs of statements, sound or broken: what they say, and that the
rest is not read again."""

from __future__ import annotations

import pytest

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.registry import provider_for
from graphls.languages.typescript.syntax import extraction
from graphls.session.documents import open_files
from graphls.session.documents.document import AppliedChange, TextChange, apply, open_document
from graphls.session.index.extraction import understand

PART = """
/** The class. */
export class C{0} {{
  size = {0};
  first(value) {{ return this.second(value) + other(value); }}
  second(value) {{ return new C{1}().first(value); }}
}}

// a note
const limit{0} = new C{0}();
if (!limit{0}) throw new Error("no {0}");
limit{0}.size = 3;
"""
TEXT = "import os from 'os';\nimport * as b from './b';\nlet z = 1;\nlet y = z;\n" + "".join(
    PART.format(number, max(number - 1, 0)) for number in range(40)
)
LINES = TEXT.split("\n")
MEMBER = LINES.index("  size = 20;")
TOP = LINES.index("const limit20 = new C20();")
COMMENT = TOP - 1
TYPED = ["v.w = 1;", "if (z) {", "foo(a, ", "`abc", ") = ab", "function g(): void;", "/** no"]
LONGER = {
    "a function": "function more(a) { this.size = a; return C1; }\n",
    "a class": "class C20 extends C1 { third() { return `1`; } }\n",
    "an import": "import { c } from './c';\n",
    "an export": "export default limit20;\n",
    "a member that is set": "C20.made = () => limit20;\n",
    "a function that an object gets": "const held = {}; held.go = function () { return this; };\n",
    "what an object has from another one": "const made = Object.create(C1); made.size = 3;\n",
    "members that are copied": "const whole = { a: 1 }; Object.assign(whole, b);\n",
    "a member that is described": "Object.defineProperty(C20, 'said', { get() { return limit20; } });\n",
    "a name that is bound": "export type T = infer.U; let z = 2;\n",
}


class Typist:
    """One open file, compared with a reading from scratch after each edit."""

    def __init__(self, name: str) -> None:
        found = provider_for(FilePath(name))
        assert found is not None
        self.name, self.provider = FilePath(name), found
        self.document, self.version = open_document("", 0, TEXT, ""), 0
        self.held = open_files.OpenFile(self.name, self.document.data, self.provider)
        self.held.parse()

    def edit(self, text: str, start: tuple[int, int], end: tuple[int, int] | None = None) -> None:
        self.version += 1
        applied = apply(self.document, self.version, [TextChange(text, (start, end or start))], "utf-32")
        assert isinstance(applied, AppliedChange)
        self.document = applied.document
        self.held.change(self.document.data, applied.edits)
        shown, fresh = self.held.parse(), understand(self.provider, self.name, self.document.data)
        assert shown is not None
        assert encode(shown.facts) == encode(fresh[0])
        assert encode(shown.surface) == encode(fresh[1])


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows when a file is read as a whole."""
    monkeypatch.setattr(open_files, "REUSE_FROM_BYTES", 0)
    monkeypatch.setattr(open_files, "REMEMBER_FROM_BYTES", 0)
    found: list[int] = []
    noted = extraction.note_statements
    monkeypatch.setattr(extraction, "note_statements", lambda *some: found.append(1) or noted(*some))  # type: ignore[func-returns-value]
    return found


@pytest.mark.parametrize("name", ["a.ts", "a.js"])
@pytest.mark.parametrize("typed", TYPED)
def test_typing_reads_a_run_of_statements(name: str, typed: str, whole: list[int]) -> None:
    typist = Typist(name)
    for row in (MEMBER, TOP, COMMENT):
        whole.clear()
        typist.edit("\n", (row, 0))
        for column, key in enumerate(typed):
            typist.edit(key, (row, column))
        # All of one line goes: the text is sound again.
        typist.edit("", (row, 0), (row + 1, 0))
    assert typist.document.data.decode() == TEXT
    whole.clear()
    typist.edit("  kept = 1;\n", (MEMBER, 0))
    assert not whole


@pytest.mark.parametrize("name", ["a.ts", "a.js", "a.d.ts"])
@pytest.mark.parametrize("what", LONGER)
def test_statements_that_others_rest_on(name: str, what: str, whole: list[int]) -> None:
    typist = Typist(name)
    for row in (TOP, 3, 0):
        typist.edit(LONGER[what], (row, 0))
        typist.edit("x", (row + 1, 0))
        typist.edit("", (row, 0), (row + 1, 1))
    typist.edit("", (COMMENT - 8, 0), (TOP + 1, 0))
    typist.edit("// now\n", (COMMENT - 8, 0))
