"""Edit round: one real file after the other through many small edits, each read with what earlier texts left.

Owns: which edits, and that facts and surface are those of a reading from scratch after each.
Must not know: how a language remembers.
Invariant: most texts are sound or broken as a text is while somebody types in it; the same seed edits alike.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest

from graphls.facts.codec import encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.provider import Provider
from graphls.languages.registry import provider_for
from graphls.session.documents import open_files
from graphls.session.documents.document import AppliedChange, TextChange, apply, open_document
from graphls.session.index.extraction import understand

EDITS = 25
"""As many a file takes before the next one is chosen."""
_NAME = re.compile(rb"[A-Za-z_]\w+")
_PLACE = re.compile(rb"\w+|[\n;,(){}=.]")
_PIECES = (
    b" ",
    b"x",
    b".abc",
    b"(1)",
    b"'k.l'",
    b"'new words'",
    b", other",
    b" = other",
    b"\n",
    b"\n\n",
    b"  # c\n",
    b" // c\n",
    b"; let q1 = 1",
    b"({a, b: c => c.d})",
    b"[i for i in a]",
    b"\n        y = self.z\n",
    b"\n    def g(self, a=None):\n        return a.b\n",
    b"\n  g(a: Thing) { return a.b }\n",
)
_STATEMENTS = (
    'result = self.compute(values["key"], other=[1, 2], flag=True)',
    'for item in self.items(a, b): print("x {0}".format(item.name))',
    "if self.check(item) and item.value in (1, 2): return item.all()",
    'def f(a, b=3): return """a"""',
    "total += lambda: {1: 2}",
)
_SCRIPTS = (
    'const result = this.compute(values["key"], [1, 2], { a: b.c });',
    "if (this.check(item) && item.value < 3) { return `x ${item.y}`; }",
    "const found = items.map((x) => { return x.name + 'abc'; }).at(0);",
    "function f<T>(a: T, b?: number): void { return /abc/.test(a); }",
    "type X<T> = T extends (infer U)[] ? U : never;",
)
_INSIDE = re.compile(r"\n +\w[\w.]*\.\w+")
_WOUNDS = (" = ;", ".", "(]", " ) x")
_CLOSING = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "`": "`"}
_MOST_TYPED = 200_000


@attrs.define
class Edited:
    """What a round did."""

    edits: int = 0
    files: int = 0
    broken: int = 0
    typed: int = 0
    """Keys, one after the other."""


def edit_round(roots: Sequence[Path], seed: int, count: int) -> Edited:
    """So many edits of files below folders. Files of a language that remembers nothing of earlier texts are typed in
    only: what an editor holds of them is the tree."""
    chosen, done = random.Random(seed), Edited()
    files = sorted(path for root in roots for path in root.rglob("*") if _fits(path))
    remembered = [path for path in files if _is_remembered(path)]
    typed = [path for path in files if path.stat().st_size <= _MOST_TYPED]
    if not remembered and not typed:
        raise ValueError(f"no code below {', '.join(map(str, roots))}")
    while done.edits < count:
        if typed and (done.files % 3 == 1 or not remembered):
            _typed(chosen, _by_size(chosen, typed), done)
        else:
            _one(chosen, _by_size(chosen, remembered), done, min(EDITS, count - done.edits))
        done.files += 1
    return done


def _by_size(chosen: random.Random, files: Sequence[Path]) -> Path:
    return chosen.choices(files, [path.stat().st_size for path in files])[0]


def _fits(path: Path) -> bool:
    known = path.is_file() and 0 < path.stat().st_size <= 400_000
    return known and provider_for(FilePath(path.name)) is not None


def _is_remembered(path: Path) -> bool:
    provider = provider_for(FilePath(path.name))
    return provider is not None and provider.capabilities.fragments is not None


def _one(chosen: random.Random, path: Path, done: Edited, most: int) -> None:
    name = FilePath(path.name)
    provider = provider_for(name)
    assert provider is not None
    assert provider.capabilities.fragments is not None
    data, memory = path.read_bytes(), provider.capabilities.fragments.new_cache()
    understand(provider, name, data, None, memory)
    for _ in range(most):
        made = _edited(chosen, data)
        sound = not provider.parser(name).parse(made).root_node.has_error
        done.edits += 1
        if not sound and chosen.random() < 0.8:
            continue
        done.broken += not sound
        _assert_as_fresh(provider, name, made, memory, path)
        # A text that stays broken keeps later ones from being read function by function: few are.
        data = made if sound or chosen.random() < 0.2 else data


def _typed(chosen: random.Random, path: Path, done: Edited) -> None:
    """A statement typed key by key, as an editor tells it, with and without brackets that close themselves."""
    name = FilePath(path.name)
    provider = provider_for(name)
    assert provider is not None
    text = path.read_bytes().decode("utf-8", "replace").replace("\r", "")
    keys = chosen.choice(_STATEMENTS if path.suffix in (".py", ".pyi") else _SCRIPTS)
    wound = _INSIDE.search(text, chosen.randrange(len(text) + 1)) if chosen.random() < 0.5 else None
    document, pairs, open_ends = open_document("", 0, text, ""), chosen.choice((_CLOSING, {})), ""
    lines = text.split("\n")
    row = chosen.randrange(len(lines))
    column = len(lines[row])
    blanks = len(lines[row]) - len(lines[row].lstrip())
    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(open_files, "REUSE_FROM_BYTES", 0)
        patching.setattr(open_files, "REMEMBER_FROM_BYTES", 0)
        held = open_files.OpenFile(name, document.data, provider)
        held.parse()
        if wound is not None:
            # Most of these are broken inside one statement only, and stay so.
            at = text.count("\n", 0, wound.end()), wound.end() - text.rfind("\n", 0, wound.end()) - 1
            applied = apply(document, 1, [TextChange(chosen.choice(_WOUNDS), (at, at))], "utf-32")
            assert isinstance(applied, AppliedChange)
            document = applied.document
            held.change(document.data, applied.edits)
            held.parse()
        for number, key in enumerate(["\n" + " " * blanks, *keys]):
            if key == open_ends[:1]:
                open_ends, column = open_ends[1:], column + 1
                continue
            end = pairs.get(key, "")
            at = row, column
            applied = apply(document, number + 2, [TextChange(key + end, (at, at))], "utf-32")
            assert isinstance(applied, AppliedChange)
            document, open_ends = applied.document, end + open_ends
            row, column = (row + 1, blanks) if key[0] == "\n" else (row, column + 1)
            held.change(document.data, applied.edits)
            shown = held.parse()
            assert shown is not None
            _assert_equal((shown.facts, shown.surface), understand(provider, name, document.data), path)
            done.edits += 1
            done.typed += 1


def _assert_as_fresh(provider: Provider, name: FilePath, data: bytes, memory: object, path: Path) -> None:
    _assert_equal(understand(provider, name, data, None, memory), understand(provider, name, data), path)


def _assert_equal(again: tuple[FileFacts, Surface], fresh: tuple[FileFacts, Surface], path: Path) -> None:
    differ = [
        field.name
        for field in attrs.fields(type(fresh[0]))
        if field.eq and getattr(again[0], field.name) != getattr(fresh[0], field.name)
    ]
    assert encode(again[0]) == encode(fresh[0]), f"{path}: facts differ in {differ}"
    assert encode(again[1]) == encode(fresh[1]), f"{path}: surfaces differ"


def _edited(chosen: random.Random, data: bytes) -> bytes:
    """One thing typed, replaced, or a line removed."""
    at, kind = chosen.randrange(len(data) + 1), chosen.random()
    if kind < 0.1:
        start = data.find(b"\n", at)
        end = data.find(b"\n", start + 1)
        return data if start < 0 or end < 0 else data[:start] + data[end:]
    found = (_NAME if kind < 0.5 else _PLACE).search(data, at)
    if found is None:
        return data + b"\n"
    if kind < 0.3:
        return data[: found.start()] + chosen.choice(_NAME.findall(data)) + data[found.end() :]
    new = b"q" if kind < 0.5 else chosen.choice(_PIECES)
    return data[: found.end()] + new + data[found.end() :]
