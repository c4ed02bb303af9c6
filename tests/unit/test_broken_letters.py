"""A letter that breaks a statement costs the statement: of a long file, what is around it decides how it is parsed."""

from __future__ import annotations

from itertools import pairwise

import pytest

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.extract import syntax_errors
from graphls.languages.extract.grammars import parser
from graphls.languages.extract.recovery import deciding_stretches
from graphls.languages.registry import provider_for
from graphls.languages.typescript.syntax import mending
from graphls.session.documents import open_files
from graphls.session.documents.document import AppliedChange, TextChange, apply, open_document
from graphls.session.index.extraction import understand

METHODS = 90
TEXTS = {
    "typescript": (
        "a.ts",
        "class A {{\n{}}}\n",
        "  m{0}(a: number) {{\n    let x = a;\n    return x + {0} * this.n;\n  }}\n",
    ),
    "csharp": (
        "a.cs",
        "class A {{\n{}}}\n",
        "  int M{0}(int a) {{\n    int x = a;\n    return x + {0} * this.N;\n  }}\n",
    ),
    "java": (
        "a.java",
        "class A {{\n{}}}\n",
        "  int m{0}(int a) {{\n    int x = a;\n    return x + {0} * this.n;\n  }}\n",
    ),
    "rust": (
        "a.rs",
        "impl A {{\n{}}}\n",
        "  fn m{0}(&self, a: u8) -> u8 {{\n    let x = a;\n    x + {0} * self.n\n  }}\n",
    ),
    "php": (
        "a.php",
        "<?php\nclass A {{\n{}}}\n",
        "  function m{0}($a) {{\n    $x = $a;\n    return $x + {0} * $this->n;\n  }}\n",
    ),
}
SECOND_TEXTS = {
    "typescript": "const a = 1;\nconst b = (any) => any;\nconst c = 2;\n",
    "csharp": "class B {\n#if DEBUG\n  int C() { return 1; }\n#endif\n}\n",
}


def _text(language: str) -> tuple[FilePath, str]:
    path, around, method = TEXTS[language]
    return FilePath(path), around.format("".join(method.format(at) for at in range(METHODS)))


def _broken(text: str) -> tuple[int, str]:
    at = text.index("= ", len(text) // 2) + 2
    return at, text[:at] + "(" + text[at:]


@pytest.mark.parametrize("language", TEXTS)
def test_a_short_part_of_a_long_text_decides_how_a_broken_statement_is_parsed(language: str) -> None:
    at, broken = _broken(_text(language)[1])
    data = broken.encode()
    root = parser(language).parse(data).root_node
    assert root.has_error
    found = deciding_stretches(data, root, language, 1 if language == "php" else 0)
    assert found is not None
    assert sum(end - start for start, end in found) < len(data) / 2
    assert any(start <= at < end for start, end in found)
    assert all(before[1] < after[0] for before, after in pairwise(found))


def test_an_error_outside_of_statements_is_not_decided_by_a_part() -> None:
    data = _text("java")[1].encode() + b"} }"
    assert deciding_stretches(data, parser("java").parse(data).root_node, "java") is None


def test_a_tree_of_another_text_is_not_that_of_this_one() -> None:
    text = _text("java")[1]
    broken, other = (_broken(text)[1].encode(), _broken(text)[1].replace("(a;", "{a;").encode())
    assert broken != other
    assert deciding_stretches(other, parser("java").parse(broken).root_node, "java") is None


@pytest.mark.parametrize("language", TEXTS)
def test_letters_in_a_broken_statement_say_what_a_reading_from_scratch_says(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_files, "REUSE_FROM_BYTES", 0)
    monkeypatch.setattr(open_files, "REMEMBER_FROM_BYTES", 0)
    path, text = _text(language)
    text = SECOND_TEXTS.get(language, "") + text
    at = _broken(text)[0]
    provider = provider_for(path)
    assert provider is not None
    document = open_document("", 0, text, "")
    held = open_files.OpenFile(path, document.data, provider)
    held.parse()
    second_parses: list[str] = []
    other, broken = syntax_errors.least_broken, mending._broken  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(syntax_errors, "least_broken", lambda *given: second_parses.append("csharp") or other(*given))  # pyright: ignore
    monkeypatch.setattr(mending, "_broken", lambda root: second_parses.append("typescript") or broken(root))  # pyright: ignore
    for version, letter in enumerate("o(p,1)", 1):
        place = text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1 + version - 1
        applied = apply(document, version, [TextChange(letter, (place, place))], "utf-32")
        assert isinstance(applied, AppliedChange)
        document = applied.document
        held.change(document.data, applied.edits)
        second_parses.clear()
        shown = held.parse()
        assert shown is not None
        assert second_parses == []
        fresh = understand(provider, path, document.data)
        assert encode(shown.facts) == encode(fresh[0])
        assert encode(shown.surface) == encode(fresh[1])
