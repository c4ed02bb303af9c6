"""Code round: broken Python and TypeScript through extraction and linking, in this process.

Owns: what must hold of facts, links and kept trees for any text.
Must not know: what any text means.
Invariant: nothing raises; every span is inside its file; an edit of a kept tree ends where a parse from scratch begins.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

import attrs

from fuzz.broken_code import broken
from graphls.facts.codec import encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.languages.registry import provider_for, providers
from graphls.session.documents.document import ByteEdit
from graphls.session.documents.open_files import OpenFile
from graphls.session.index.extraction import understand
from graphls.session.memory import MemorySnapshotContents, snapshot_of
from graphls.sources.content import content_hash

FIXTURES = Path(__file__).parents[2] / "fixtures"
LARGE = 60_000
"""More than the size from which open files keep their tree."""


@attrs.define
class Done:
    """What a round did."""

    texts: int = 0
    linked: int = 0
    edits: int = 0
    reused: int = 0


def code_round(_: Path, seed: int, count: int) -> Done:
    """So many broken texts, each through extraction; every tenth with its neighbours through linking."""
    chosen, done, samples = random.Random(seed), Done(), sorted(_samples().items())
    while done.texts < count:
        path, text = chosen.choice(samples)
        made = encoded(broken(chosen, text))
        fact_problems(path, made)
        done.texts += 1
        if done.texts % 10 == 0:
            others = dict(chosen.sample(samples, min(len(samples), 12)))
            linked({other: text.encode() for other, text in others.items()} | {path: made})
            done.linked += 1
        if done.texts % 20 == 0:
            kept_tree(chosen, path, text, done)
    return done


def outside(facts: FileFacts, size: int) -> list[tuple[str, int, int]]:
    """Spans that are not of this file."""
    d = facts.definitions
    spans = {
        "scope": (facts.scopes.start, facts.scopes.end),
        "definition": (d.start, d.end),
        "full definition": (d.full_start, d.full_end),
        "occurrence": (facts.occurrences.start, facts.occurrences.end),
        "decorator": (facts.decorators.start, facts.decorators.end),
        "import": (facts.imports.start, facts.imports.end),
        "region": (facts.regions.start, facts.regions.end),
        "narrowing": (facts.narrowings.start, facts.narrowings.end),
        "dispatch": (facts.dispatches.start, facts.dispatches.end),
        "problem": (facts.problems.start, facts.problems.end),
    }
    return [
        (name, start, end)
        for name, (starts, ends) in spans.items()
        for start, end in zip(starts, ends, strict=True)
        if not 0 <= start <= end <= size
    ]


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def fact_problems(path: str, data: bytes) -> None:
    """Facts of any text are there, twice the same, and inside it."""
    provider, name = provider_for(FilePath(path)), FilePath(path)
    assert provider is not None
    first, second = (understand(provider, name, data, provider.parser(name).parse(data)) for _ in range(2))
    assert encode(first[0]) == encode(second[0])
    assert outside(first[0], len(data)) == []


def linked(files: Mapping[str, bytes]) -> None:
    """Every file can be linked beside the broken one."""
    snapshot = snapshot_of({FilePath(path): data for path, data in files.items()})
    for path, shard in snapshot.shards.items():
        if shard.language:
            assert encode(snapshot.links(path))
    assert isinstance(snapshot.reader, MemorySnapshotContents)
    assert not snapshot.reader.problems


def kept_tree(chosen: random.Random, path: str, text: str, done: Done) -> None:
    """A large open file through small edits, each as its editor would tell it."""
    provider, name = provider_for(FilePath(path)), FilePath(path)
    assert provider is not None
    data = encoded("\n".join([text] * (LARGE // (len(text) + 1) + 1)))
    held = OpenFile(name, data, provider)
    held.parse()
    for _ in range(4):
        data, edit = _edited(chosen, data)
        held.change(data, [edit])
        shown = held.parse()
        settled = held.reparse() if held.needs_reparse else None
        done.edits += 1
        same = settled is not None and shown is not None and encode(settled.facts) == encode(shown.facts)
        done.reused += settled is not None and held.accept_reparse(settled, same=same)
        facts = (settled or shown).facts  # type: ignore[union-attr]
        fresh, _ = understand(provider, name, data, provider.parser(name).parse(data))
        assert encode(facts) == encode(fresh), content_hash(data)


def _edited(chosen: random.Random, data: bytes) -> tuple[bytes, ByteEdit]:
    lines = LineIndex(data)
    start = lines.offset(chosen.randrange(lines.line_count), chosen.randrange(30), "utf-32")
    end = min(start + chosen.choice((0, 0, 1)), len(data)) if data[start : start + 1].isascii() else start
    new = chosen.choice((b"x", b" ", b"\n", b"(", b")", b"", b"'", b"def f():\n    pass\n"))
    after = lines.edited(start, end, new)
    stop = start + len(new)
    points = lines.row_column(start), lines.row_column(end), after.row_column(stop)
    return after.data, ByteEdit(start, end, stop, *points)


def _samples() -> Mapping[str, str]:
    """Real files and the cases of the fixtures."""
    return dict(_found())


def _found() -> Iterator[tuple[str, str]]:
    package = find_spec("pathspec")
    assert package is not None
    assert package.submodule_search_locations
    root = Path(package.submodule_search_locations[0])
    for path in sorted(root.rglob("*.py")):
        yield f"pathspec/{path.relative_to(root).as_posix()}", path.read_text("utf-8")
    for language in sorted(providers()):
        for path in sorted((FIXTURES / language / "facts").iterdir()):
            if path.suffix != ".jsonl" and provider_for(FilePath(path.name)) is not None:
                yield f"cases/{path.name}", path.read_bytes().decode("utf-8", "replace")
