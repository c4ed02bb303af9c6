"""Provider: Swift as the core sees it.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from typing import Final

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.languages.capabilities import Capabilities, FileType
from graphls.languages.declared.declared_provider import DeclaredProvider, Extractor, ResolverFactory
from graphls.languages.declared.exports import WordedExports
from graphls.languages.declared.rules import rule_name
from graphls.languages.provider import Imports, ModuleName, no_imports
from graphls.languages.swift.known_types import KNOWN_MEMBERS
from graphls.languages.swift.modules import FILES, MANIFESTS, module_aliases, target_folders

EXTRACTOR_VERSION: Final = 2
"""Raised whenever extraction says something else about the same bytes, or the grammar is another."""
_STANDARD: Final = ("Swift.", "builtin.", "_Concurrency.", "Foundation.", "XCTest.", "Testing.")
_WORDS: Final = {b"public": "public", b"open": "public", b"private": "private", b"fileprivate": "private"}


@attrs.frozen
class SwiftExports:
    """Words in front of a declaration, or of the extension or protocol around it, say who may use it."""

    words: WordedExports = attrs.field(factory=WordedExports)

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """What stands outside of types and functions: its module at least may use it."""
        return self.words.offered(path, facts)

    def visibility(self, name: str, before: bytes) -> str:
        """`public`, `internal` or `private`."""
        found = [_WORDS[word] for word in before[-300:].split() if word in _WORDS]
        return found[-1] if found else "internal"


@attrs.frozen
class SwiftProvider(DeclaredProvider):
    """The Swift language: its modules are known by the folders of targets."""

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports = no_imports
    ) -> tuple[str, ...]:
        """Folders of targets, then the workspace."""
        return (*target_folders(files, manifests), "")

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The path itself; files of one target are listed together."""
        folder = next((one for one in roots if path.startswith(f"{one}/")), "")
        return ModuleName(path, False, "", packages=(FILES + folder,) if folder else ())


def _load_extractor() -> Extractor:
    from graphls.languages.swift.syntax.extraction import extract

    return extract


def _load_resolver() -> ResolverFactory:
    from graphls.languages.swift.types.resolver import SwiftResolver

    return SwiftResolver


def _packages_of(path: FilePath) -> tuple[str, ...]:
    """Only manifests tell."""
    return ()


def _is_standard(dotted: str) -> bool:
    """Names that come with the language, or with every platform that it runs on."""
    return dotted.startswith(_STANDARD)


def _is_implied_name(name: str) -> bool:
    """What constructs ask for: no text that rests on it names it."""
    return name in _IMPLIED


_IMPLIED: Final = frozenset((
    "init", "subscript", "self", "super", "Self", "Element", "next", "makeIterator", "wrappedValue", "projectedValue",
    "Iterator", "Sequence", "Collection", "callAsFunction",
))  # fmt: skip


def _is_reached_by_type(kind: int, flags: int) -> bool:
    """A constructor of stored properties rests on these, unnamed; extensions are found by what they extend."""
    return kind in (DefinitionKind.INTERFACE, DefinitionKind.NAMESPACE) or bool(flags & DefinitionFlag.INSTANCE)


_RESERVED = frozenset({
    "Any", "Self", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit",
    "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import",
    "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
    "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
    "throws", "true", "try", "typealias", "var", "where", "while",
})  # fmt: skip
CAPABILITIES = Capabilities(
    name="swift",
    untried_rules=frozenset(("maintainability.unused_definition",)),
    shared_package="folder",
    imports_load=False,
    test_runner="swift test",
    test_annotations=frozenset(("Test",)),
    test_bases=("TestCase",),
    reserved=_RESERVED,
    package_manager="swift",
    outside_members=KNOWN_MEMBERS,
    files={".swift": FileType("swift", "swift", "swift")},
    line_comment="//",
    overloads=True,
    program_files=frozenset(("main",)),
    imports_name_files=False,
    tier="typed",
    manifests=MANIFESTS,
    constructors=("init",),
    is_implied_name=_is_implied_name,
    is_reached_by_type=_is_reached_by_type,
    module_aliases=module_aliases,
    modifier_words=frozenset(
        (
            "public",
            "private",
            "fileprivate",
            "internal",
            "open",
            "override",
            "final",
            "lazy",
            "weak",
            "mutating",
            "required",
            "convenience",
            "indirect",
        )
    ),
    exports=SwiftExports(),
    is_standard=_is_standard,
    asks_who_defines=True,
    rule_name=rule_name,
)
PROVIDER = SwiftProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=_packages_of,
)
