"""Extraction: the facts, the surface and the names of one file.

Owns: the steps from bytes to values, and their encoded form.
Must not know: where the bytes come from, who keeps the result.
Invariant: a pure function of the file's name ending and its bytes; open documents and bulk indexing get equal values.
"""

from __future__ import annotations

import re
from array import array
from functools import lru_cache
from hashlib import blake2b

import attrs
from tree_sitter import Tree

from graphls.facts.codec import encode
from graphls.facts.file_facts import FACTS_VERSION, FileFacts
from graphls.facts.paths import ContentHash, FilePath
from graphls.facts.surface import Surface, SurfaceHash, surface_hash
from graphls.languages.pieces import Memory
from graphls.languages.provider import Provider, Remembering
from graphls.languages.surfaces import build_surface, build_surface_again

_REMEMBERED_NAMES = 20_000
"""Few names beyond these are met again soon, and who types makes new ones for as long as the process lives."""
LONGEST_NAME = 120
_NO_NAME = -1
_DOTTED = re.compile(r"[^\W\d]\w*(?:[.:][^\W\d]\w*)+\Z")


@attrs.frozen(eq=False)
class Extracted:
    """Everything one file says, encoded."""

    facts: bytes = attrs.field(repr=False)
    surface: bytes = attrs.field(repr=False)
    names: bytes = attrs.field(repr=False)
    """Sorted 64-bit numbers of the names that the facts mention."""
    surface_hash: SurfaceHash


def extract_file(provider: Provider, path: FilePath, data: bytes, tree: Tree | None = None) -> Extracted:
    """What a file says. `tree`, where given, is the tree of exactly these bytes."""
    facts, surface = understand(provider, path, data, tree)
    return encoded(facts, surface)


def understand(
    provider: Provider, path: FilePath, data: bytes, tree: Tree | None = None, memory: object = None
) -> tuple[FileFacts, Surface]:
    """Facts, with the surface rows of their definitions, and the surface. `memory`: see `Remembering`."""
    if tree is None:
        tree = provider.parser(path).parse(data)
    if memory is not None and isinstance(provider, Remembering):
        facts = provider.extract_again(path, data, tree, memory)
        return build_surface_again(facts, memory) if isinstance(memory, Memory) else build_surface(facts)
    return build_surface(provider.extract(path, data, tree))


def understand_edited(
    provider: Provider, path: FilePath, data: bytes, tree: Tree, memory: object
) -> tuple[FileFacts, Surface] | None:
    """The same of a text that differs little from the one that was read with this memory before; else None."""
    if not isinstance(provider, Remembering) or not isinstance(memory, Memory):
        return None
    facts = provider.extract_edited(path, data, tree, memory)
    return None if facts is None else build_surface_again(facts, memory)


def encoded(facts: FileFacts, surface: Surface) -> Extracted:
    """The form in which facts travel and are kept."""
    shown = encode(surface)
    return Extracted(encode(facts), shown, names_of(facts), surface_hash(shown))


def content_key(provider: Provider, path: FilePath, content: ContentHash) -> str:
    """Names what `extract_file` gives: the recipe, the ending of the name, and the bytes."""
    base = path.rpartition("/")[2]
    ending = base[base.rfind(".") :].lower() if "." in base else ""
    return f"{FACTS_VERSION}.{provider.recipe}{ending}.{content}"


def names_of(facts: FileFacts) -> bytes:
    """Numbers of all strings that look like names, sorted."""
    numbers = set(map(_said_number, [text for text in facts.strings if len(text) <= LONGEST_NAME]))
    numbers.discard(_NO_NAME)
    return array("Q", sorted(numbers)).tobytes()


@lru_cache(_REMEMBERED_NAMES)
def _said_number(text: str) -> int:
    """The number of a string that looks like a name, or of the last name of one that spells a dotted one."""
    if text.isidentifier():
        return _hashed(text)
    return _hashed(re.split(r"[.:]", text)[-1]) if _DOTTED.match(text) else _NO_NAME


def says(facts: FileFacts, name: str) -> bool:
    """Whether a name is among those that a file says."""
    return name in facts.strings or any(text.endswith(name) and text[-len(name) - 1] in ".:" for text in facts.strings)


@lru_cache(_REMEMBERED_NAMES)
def name_number(name: str) -> int:
    """64 bits that stand for a name, on every machine alike."""
    return _hashed(name)


def _hashed(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
