"""Extraction: the facts, the surface and the names of one file.

Owns: the steps from bytes to values, and their encoded form.
Must not know: where the bytes come from, who keeps the result.
Invariant: a pure function of the file's name ending and its bytes; open documents and bulk indexing get equal values.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Set
from functools import lru_cache

import attrs
from tree_sitter import Tree

from graphls.facts.codec import encode
from graphls.facts.definer_keys import definer_keys
from graphls.facts.file_facts import FACTS_VERSION, FileFacts
from graphls.facts.import_keys import PREFIX, import_key, marked_key
from graphls.facts.kinds import DefinitionKind, ScopeKind
from graphls.facts.name_numbers import hashed_name
from graphls.facts.partly_read import PARTLY_READ, is_partly_read
from graphls.facts.paths import ContentHash, FilePath, ending_of
from graphls.facts.surface import Surface, SurfaceHash, surface_hash
from graphls.languages.extract.grammars import parse
from graphls.languages.extract.surfaces import build_surface, build_surface_incrementally
from graphls.languages.incremental.fragments import FragmentCache
from graphls.languages.provider import Provider
from graphls.languages.registry import providers

_REMEMBERED_NAMES = 20_000
"""Few names beyond these are met again soon, and who types makes new ones for as long as the process lives."""
LONGEST_NAME = 120
_NO_NAME = -1
_DOTTED = re.compile(r"[^\W\d][\w$]*(?:[.:][^\W\d][\w$]*)+\Z")
_OTHER_NAME = re.compile(r"[#$@]?[^\W\d][\w$-]*\Z|[$_]+[\w$]*\Z|\[\w+\]\Z")
"""Names of some languages that are no identifiers of Python: `user$`, `$el`, `#secret`, `my-button`, `[kState]`."""
_NEVER_DEFINED = frozenset({DefinitionKind.IMPORT, DefinitionKind.PARAMETER, DefinitionKind.TYPE_PARAMETER})
_VARIABLES = frozenset({DefinitionKind.VARIABLE, DefinitionKind.CONSTANT})
_CALLED = frozenset({ScopeKind.FUNCTION, ScopeKind.LAMBDA, ScopeKind.COMPREHENSION, ScopeKind.BLOCK})


@attrs.frozen(eq=False)
class EncodedFile:
    """Everything one file says, encoded."""

    facts: bytes = attrs.field(repr=False)
    surface: bytes = attrs.field(repr=False)
    names: bytes = attrs.field(repr=False)
    """Sorted 64-bit numbers of the names that the facts mention."""
    defined: bytes = attrs.field(repr=False)
    """The same of the names that uses in other files may mean."""
    surface_hash: SurfaceHash


def extract_file(provider: Provider, path: FilePath, data: bytes, tree: Tree | None = None) -> EncodedFile:
    """What a file says. `tree`, where given, is the tree of exactly these bytes."""
    facts, surface = understand(provider, path, data, tree)
    return encoded(facts, surface)


def understand(
    provider: Provider, path: FilePath, data: bytes, tree: Tree | None = None, cache: object = None
) -> tuple[FileFacts, Surface]:
    """Facts, with the surface rows of their definitions, and the surface. `cache`: see `FragmentExtraction`."""
    fragments = provider.capabilities.fragments
    if tree is None and cache is None:
        return build_surface(provider.read(path, data))
    tree = tree or parse(provider.parser(path, data), data)
    if cache is not None and fragments is not None:
        facts = fragments.extract_again(path, data, tree, cache)
        return build_surface_incrementally(facts, cache) if isinstance(cache, FragmentCache) else build_surface(facts)
    return build_surface(provider.extract(path, data, tree))


def understand_edited(
    provider: Provider, path: FilePath, data: bytes, tree: Tree, cache: object
) -> tuple[FileFacts, Surface] | None:
    """The same of a text that differs little from the one that was read with this memory before; else None."""
    fragments = provider.capabilities.fragments
    if fragments is None or not isinstance(cache, FragmentCache):
        return None
    facts = fragments.extract_edited(path, data, tree, cache)
    return None if facts is None else build_surface_incrementally(facts, cache)


def encoded(facts: FileFacts, surface: Surface) -> EncodedFile:
    """The form in which facts travel and are kept."""
    surface_bytes = encode(surface)
    return EncodedFile(encode(facts), surface_bytes, names_of(facts), defined_in(facts), surface_hash(surface_bytes))


def content_key(provider: Provider, path: FilePath, content: ContentHash) -> str:
    """Names what `extract_file` gives: the recipe, the ending of the name, and the bytes."""
    return f"{FACTS_VERSION}.{provider.recipe}{ending_of(path)}.{content}"


def language_of_key(key: str) -> str | None:
    """The language whose provider made such a key, "" for none; None for a key of another version."""
    if not key:
        return ""
    _, _, rest = key.partition(".")
    return next((name for name, provider in providers().items() if rest.startswith(provider.recipe)), None)


def names_of(facts: FileFacts) -> bytes:
    """Numbers of all strings that look like names, sorted."""
    strings = facts.strings
    numbers = set(map(_text_number, [text for text in strings if len(text) <= LONGEST_NAME]))
    numbers.discard(_NO_NAME)
    numbers.update(hashed_name(marked_key(import_key(strings[module]))) for module in set(facts.imports.module))
    if is_partly_read(facts):
        numbers.add(hashed_name(PARTLY_READ))
    return array("Q", sorted(numbers)).tobytes()


def defined_in(facts: FileFacts) -> bytes:
    """Numbers of the names that a file gives to what may be used elsewhere and of its `definer_keys`, sorted. What an
    import brings in is defined where it comes from, unless the import gives it another name."""
    table, scopes, strings = facts.definitions, facts.scopes.kind, facts.strings
    names: set[int] = set()
    for name, kind, scope in zip(table.name, table.kind, table.scope, strict=True):
        if kind not in _NEVER_DEFINED and not (kind in _VARIABLES and scopes[scope] in _CALLED):
            names.add(name)
    imports = facts.imports
    for row, definition in enumerate(imports.definition):
        if definition >= 0 and imports.name[row] not in (-1, table.name[definition]):
            names.add(table.name[definition])
    keys = definer_keys(facts)
    return array("Q", sorted({*[hashed_name(strings[name]) for name in names], *map(hashed_name, keys)})).tobytes()


@lru_cache(_REMEMBERED_NAMES)
def _text_number(text: str) -> int:
    """The number of a string that looks like a name, or of the last name of one that spells a dotted one."""
    if text.isidentifier() or _OTHER_NAME.match(text):
        return hashed_name(text)
    return hashed_name(re.split(r"[.:]", text)[-1]) if _DOTTED.match(text) else _NO_NAME


def has_name(facts: FileFacts, name: str) -> bool:
    """Whether a name is among those that a file says, or a key that `marked_key` made is one of its imports."""
    if name == PARTLY_READ:
        return is_partly_read(facts)
    if name.startswith(PREFIX):
        return any(import_key(facts.strings[module]) == name[1:] for module in set(facts.imports.module))
    return name in facts.strings or any(text.endswith(name) and text[-len(name) - 1] in ".:" for text in facts.strings)


def names_of_facts(facts: FileFacts) -> Set[str]:
    """What `has_name` finds, but for keys and names with dots or colons: for who asks for many names of one file."""
    return frozenset((*facts.strings, *[re.split(r"[.:]", text)[-1] for text in facts.strings]))


def is_plain_name(name: str) -> bool:
    """Whether `names_of_facts` tells of a name all that `has_name` does."""
    return name != PARTLY_READ and not name.startswith(PREFIX) and "." not in name and ":" not in name
