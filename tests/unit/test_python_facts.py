"""Python facts: what each form of the language says, case by case.

Owns: the golden facts under fixtures/python/facts.
Must not know: how facts are extracted.
Invariant: a golden is rewritten only by --update-goldens and then read by a person.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from facts_text import FactsText
from graphls.facts.codec import decode, encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.python.provider import PROVIDER

ROOT = Path(__file__).parents[2]
CASES = sorted((ROOT / "fixtures" / "python" / "facts").glob("*.py"))
PATH = FilePath("a.py")


def facts_of(data: bytes) -> FileFacts:
    return PROVIDER.extract(PATH, data, PROVIDER.parser(PATH).parse(data))


def lines_of(data: bytes) -> list[str]:
    return FactsText(facts_of(data), data).all()


SOURCES = [*CASES, *sorted((ROOT / "server" / "graphls" / "languages" / "python").glob("*.py")), Path(__file__)]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
class TestWellFormed:
    def test_encodes_and_decodes(self, source: Path) -> None:
        facts = facts_of(source.read_bytes())
        data = encode(facts)
        assert encode(decode(FileFacts, data)) == data

    def test_same_bytes_same_facts(self, source: Path) -> None:
        data = source.read_bytes()
        assert encode(facts_of(data)) == encode(facts_of(data))

    def test_source_order(self, source: Path) -> None:
        facts = facts_of(source.read_bytes())
        assert list(facts.definitions.start) == sorted(facts.definitions.start)
        assert list(facts.occurrences.start) == sorted(facts.occurrences.start)
        assert list(facts.regions.start) == sorted(facts.regions.start)

    def test_every_name_is_somewhere(self, source: Path) -> None:
        """Each identifier of the tree is a definition or an occurrence, and nothing else is."""
        data = source.read_bytes()
        tree = PROVIDER.parser(PATH).parse(data)
        facts = PROVIDER.extract(PATH, data, tree)
        starts = set(facts.definitions.start) | set(facts.occurrences.start)
        missing: list[str] = []
        stack = [tree.root_node]
        while stack:
            node = stack.pop()
            stack.extend(node.children)
            unnamed = node.type != "identifier" or node.start_byte == node.end_byte
            if unnamed or node.start_byte in starts or node.text in (b"_", b"metaclass"):
                continue
            missing.append(str(node.text))
        assert missing == []
