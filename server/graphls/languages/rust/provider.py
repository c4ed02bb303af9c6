"""Provider: Rust as the core sees it.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from typing import Final

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.import_keys import import_key
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.languages.capabilities import Aliases, Capabilities, FileType
from graphls.languages.declared.declared_provider import (
    DeclaredFragments,
    DeclaredProvider,
    ResolverFactory,
    RunExtractor,
)
from graphls.languages.declared.rules import rule_name
from graphls.languages.provider import Imports, ModuleName, no_imports
from graphls.languages.rust.crates import MANIFESTS, crate_aliases, module_word, package_around, package_folders
from graphls.languages.rust.known_types import KNOWN_MEMBERS

EXTRACTOR_VERSION: Final = 3
"""Raised whenever extraction says something else about the same bytes."""
_UNSPELLED: Final = frozenset(("*", "Target", "Item", "Output", "IntoIter"))
"""Names that constructs ask for: stars, what a pointer leads to, what a loop hands out."""


@attrs.frozen
class RustExports:
    """`pub` offers a name to other modules; those below see it without."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """Whatever stands at the top of a file: modules below may use it."""
        table = facts.definitions
        top = (row for row, scope in enumerate(table.scope) if scope == 0)
        hidden = (DefinitionKind.IMPORT, DefinitionKind.TYPE_PARAMETER)
        return frozenset(row for row in top if table.kind[row] not in hidden)

    def visibility(self, name: str, before: bytes) -> str:
        """By the words before the name."""
        words = before.rpartition(b"]")[2].replace(b"(", b" (").split()  # behind attributes
        if b"pub" not in words:
            return "private"
        return "internal" if any(word.startswith(b"(") for word in words) else "public"


@attrs.frozen
class RustProvider(DeclaredProvider):
    """The Rust language: its packages are known by their manifests."""

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports = no_imports
    ) -> tuple[str, ...]:
        """Folders of packages."""
        return package_folders(files, manifests)

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The path itself; files of one package are listed together."""
        return ModuleName(path, False, "", packages=(package_around(path, roots),))


def _load_extractor() -> RunExtractor:
    from graphls.languages.rust.syntax.extraction import extract

    return extract


def _load_resolver() -> ResolverFactory:
    from graphls.languages.rust.types.resolver import RustResolver

    return RustResolver


def _packages_of(path: FilePath) -> tuple[str, ...]:
    """Only manifests tell."""
    return ()


def _import_keys(aliases: Aliases, path: FilePath) -> Collection[str]:
    """Files are imported by the name of their module, by that of the one around it, or by words for these."""
    word = module_word(path)
    around = module_word(path.rpartition("/")[0] + "/mod.rs")
    return tuple(import_key(one) for one in dict.fromkeys((word, around, "crate", "self", "super")))


def _is_standard(dotted: str) -> bool:
    """Names that come with the language."""
    return dotted.partition(".")[0] in ("std", "core", "alloc", "builtin", "proc_macro", "test")


def _is_implied_name(name: str) -> bool:
    """Implementations and what constructs ask for have no name in the files that rest on them."""
    return name in _UNSPELLED or name.startswith("impl ")


def _is_reached_by_type(kind: int, flags: int) -> bool:
    """What an implementation says of types is asked for without its name."""
    return kind == DefinitionKind.TYPE_PARAMETER


_RESERVED = frozenset({
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
})  # fmt: skip
CAPABILITIES = Capabilities(
    name="rust",
    untried_rules=frozenset(("maintainability.unused_definition",)),
    imports_load=False,
    test_runner="cargo test",
    test_annotations=frozenset({"test", "rstest", "test_case", "bench", "quickcheck"}),
    reserved=_RESERVED,
    package_manager="cargo",
    outside_members=KNOWN_MEMBERS,
    files={".rs": FileType("rust", "rust", "rust")},
    line_comment="//",
    library_run=frozenset(("main",)),
    tier="typed",
    bracket_links=True,
    manifests=MANIFESTS,
    is_implied_name=_is_implied_name,
    is_reached_by_type=_is_reached_by_type,
    compared_types=frozenset({DefinitionKind.INTERFACE}),
    module_aliases=crate_aliases,
    import_keys=_import_keys,
    modifier_words=frozenset(("pub", "const", "unsafe", "async", "extern", "mut")),
    exports=RustExports(),
    asks_who_defines=True,
    is_standard=_is_standard,
    rule_name=rule_name,
    fragments=DeclaredFragments("rust", _load_extractor),
)
PROVIDER = RustProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=_packages_of,
)
