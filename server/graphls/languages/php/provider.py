"""Provider: PHP as the core sees it.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.paths import FilePath
from graphls.languages.capabilities import Capabilities, FileType
from graphls.languages.declared.declared_provider import (
    DeclaredFragments,
    DeclaredProvider,
    ResolverFactory,
    RunExtractor,
)
from graphls.languages.declared.exports import WordedExports
from graphls.languages.declared.rules import rule_name
from graphls.languages.php.known_types import KNOWN_MEMBERS

EXTRACTOR_VERSION: Final = 3
"""Raised whenever extraction says something else about the same bytes."""


def _load_extractor() -> RunExtractor:
    from graphls.languages.php.syntax.extraction import extract

    return extract


def _load_resolver() -> ResolverFactory:
    from graphls.languages.php.types.resolver import PhpResolver

    return PhpResolver


def _packages_of(path: FilePath) -> tuple[str, ...]:
    """Which files declare a name is asked of all files."""
    return ()


def _is_standard(dotted: str) -> bool:
    """Names without a namespace that no file declares come with the language, or with an extension of it."""
    return "\\" not in dotted


def _is_implied_name(name: str) -> bool:
    """What constructs ask for: no text that rests on them names them."""
    return name in ("__construct", "__invoke", "getIterator", "current", "offsetGet")


_RESERVED = frozenset({
    "abstract", "and", "array", "as", "break", "callable", "case", "catch", "class", "clone", "const", "continue",
    "declare", "default", "do", "echo", "else", "elseif", "empty", "enddeclare", "endfor", "endforeach", "endif",
    "endswitch", "endwhile", "eval", "exit", "extends", "final", "finally", "fn", "for", "foreach", "function",
    "global", "goto", "if", "implements", "include", "instanceof", "insteadof", "interface", "isset", "list", "match",
    "namespace", "new", "or", "print", "private", "protected", "public", "readonly", "require", "return", "static",
    "switch", "throw", "trait", "try", "unset", "use", "var", "while", "xor", "yield",
})  # fmt: skip
CAPABILITIES = Capabilities(
    name="php",
    untried_rules=frozenset(("maintainability.unused_definition",)),
    shared_package="folder",
    imports_load=False,
    reserved_prefix="__",
    reserved=_RESERVED,
    package_manager="composer",
    outside_members=KNOWN_MEMBERS,
    files={".php": FileType("php", "php", "php")},
    line_comment="//",
    interpreters=frozenset(("php", "php-cgi")),
    tier="typed",
    manifests=("composer.json",),
    constructors=("__construct",),
    class_names_file=True,
    is_implied_name=_is_implied_name,
    modifier_words=frozenset(("public", "protected", "private", "readonly", "const")),
    exports=WordedExports("public"),
    is_standard=_is_standard,
    asks_who_defines=True,
    rule_name=rule_name,
    fragments=DeclaredFragments("php", _load_extractor, head=1),
)
PROVIDER = DeclaredProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=_packages_of,
)
