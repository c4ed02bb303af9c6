"""Fixtures of every language: facts, resolution and exports under `fixtures/<language>/`.

Owns: running what lies there; a language that is added is run without a change here.
Must not know: any language; findings (`test_analysis_rules` runs those of every language).
Invariant: a wrong label, a golden that differs and a folder without a case each fail.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from facts_text import FactsText
from fixture_text import fixture
from graphls.facts.codec import decode, encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.validity import check_facts, check_links, check_surface
from graphls.graph.export import ExportOptions, export
from graphls.languages.extract.surfaces import build_surface
from graphls.languages.registry import providers
from graphls.session.memory import snapshot_of
from resolution_labels import wrong_labels

FIXTURES = Path(__file__).parents[2] / "fixtures"
LANGUAGES = sorted(providers())


def cases(folder: str, pattern: str = "*") -> list[tuple[str, str]]:
    """Language and name of each case of one kind."""
    return [
        (language, path.name)
        for language in LANGUAGES
        for path in sorted((FIXTURES / language / folder).glob(pattern))
        if path.suffix != ".jsonl"
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_facts_and_resolution(language: str) -> None:
    assert language in {own for own, _ in cases("facts")}
    assert language in {own for own, _ in cases("resolution", "*.txt")}


@pytest.mark.parametrize(("language", "name"), cases("facts"))
def test_facts(language: str, name: str, update_goldens: bool) -> None:
    provider, path = providers()[language], FIXTURES / language / "facts" / name
    data, file = path.read_bytes(), FilePath(name)
    facts = provider.extract(file, data, provider.parser(file).parse(data))
    rows = [line.split(" ", 1) for line in FactsText(facts, data, exact=False).all()]
    text = "".join(json.dumps({"table": table, "row": row}, ensure_ascii=False) + "\n" for table, row in rows)
    golden = path.with_name(name + ".jsonl")
    if update_goldens:
        golden.write_text(text, encoding="utf-8")
    assert text.splitlines() == golden.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("language", "name"), cases("facts"))
def test_facts_are_well_formed(language: str, name: str) -> None:
    provider, file = providers()[language], FilePath(name)
    data = (FIXTURES / language / "facts" / name).read_bytes()
    facts, again = (provider.extract(file, data, provider.parser(file).parse(data)) for _ in range(2))
    assert encode(decode(FileFacts, encode(facts))) == encode(facts) == encode(again)
    for starts in (facts.definitions.start, facts.occurrences.start):
        assert list(starts) == sorted(starts)
    rows = [row for row in build_surface(facts)[0].definitions.surface if row >= 0]
    assert rows == sorted(rows)


@pytest.mark.parametrize(("language", "name"), cases("resolution", "*.txt"))
def test_what_a_later_run_reads_is_valid(language: str, name: str) -> None:
    parsed = fixture((FIXTURES / language / "resolution" / name).read_text(encoding="utf-8"))
    snapshot = snapshot_of(parsed.files)
    for path in snapshot.files():
        # What is not would be made anew at each start.
        check_facts(snapshot.facts(path))
        check_surface(snapshot.surface(path))
        check_links(snapshot.links(path))


@pytest.mark.parametrize(("language", "name"), cases("resolution", "*.txt"))
def test_every_label_holds(language: str, name: str) -> None:
    parsed = fixture((FIXTURES / language / "resolution" / name).read_text(encoding="utf-8"))
    wrong = wrong_labels(snapshot_of(parsed.files), parsed)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("language", "name"), cases("export"))
def test_export(language: str, name: str, update_goldens: bool) -> None:
    root = FIXTURES / language / "export" / name
    files = {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    made = export(snapshot_of(files, name=name), ExportOptions(mode="allow-errors")).lines()
    # The header names versions and digests of this very program.
    body = b"".join(list(made)[1:])
    golden = root.with_name(f"{name}.jsonl")
    if update_goldens:
        golden.write_bytes(body)
    assert body.decode() == golden.read_text("utf-8")
