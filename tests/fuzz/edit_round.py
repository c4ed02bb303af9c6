"""Edit round: one real file after the other through many small edits, each read with what earlier texts left.

Owns: which edits, and that facts and surface are those of a reading from scratch after each.
Must not know: how a language remembers.
Invariant: most texts on the way are sound, as only such ones are read piece by piece; the same seed edits alike.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import attrs

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.provider import Provider, Remembering
from graphls.languages.registry import provider_for
from graphls.session.extraction import understand

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


@attrs.define
class Edited:
    """What a round did."""

    edits: int = 0
    files: int = 0
    broken: int = 0


def edit_round(roots: Sequence[Path], seed: int, count: int) -> Edited:
    """So many edits of files below folders."""
    chosen, done = random.Random(seed), Edited()
    files = sorted(path for root in roots for path in root.rglob("*") if _fits(path))
    sizes = [path.stat().st_size for path in files]
    while done.edits < count:
        _one(chosen, chosen.choices(files, sizes)[0], done, min(EDITS, count - done.edits))
        done.files += 1
    return done


def _fits(path: Path) -> bool:
    if not path.is_file() or path.stat().st_size > 400_000:
        return False
    provider = provider_for(FilePath(path.name))
    return provider is not None and isinstance(provider, Remembering)


def _one(chosen: random.Random, path: Path, done: Edited, most: int) -> None:
    name = FilePath(path.name)
    provider = provider_for(name)
    assert provider is not None
    assert isinstance(provider, Remembering)
    data, memory = path.read_bytes(), provider.memory()
    understand(provider, name, data, None, memory)
    for _ in range(most):
        made = _edited(chosen, data)
        sound = not provider.parser(name).parse(made).root_node.has_error
        done.edits += 1
        if not sound and chosen.random() < 0.9:
            continue
        done.broken += not sound
        _assert_as_fresh(provider, name, made, memory, path)
        # A text that stays broken would keep all later ones from being read piece by piece.
        data = made if sound else data


def _assert_as_fresh(provider: Provider, name: FilePath, data: bytes, memory: object, path: Path) -> None:
    again, fresh = understand(provider, name, data, None, memory), understand(provider, name, data)
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
