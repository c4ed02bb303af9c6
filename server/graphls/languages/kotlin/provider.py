"""Provider: Kotlin as the core sees it.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.languages.capabilities import Capabilities, FileType
from graphls.languages.declared.accessors import accessor_names, renamed_accessor
from graphls.languages.declared.declared_provider import DeclaredProvider, Extractor, ResolverFactory
from graphls.languages.declared.exports import WordedExports
from graphls.languages.declared.jdk_types import JDK_MEMBERS
from graphls.languages.declared.rules import rule_name
from graphls.languages.kotlin.functional import is_functional
from graphls.languages.test_annotations import JUNIT

EXTRACTOR_VERSION: Final = 5
"""Raised whenever extraction says something else about the same bytes."""
_STANDARD: Final = ("kotlin.", "java.", "javax.", "jdk.", "builtin.")


def _load_extractor() -> Extractor:
    from graphls.languages.kotlin.syntax.extraction import extract

    return extract


def _load_resolver() -> ResolverFactory:
    from graphls.languages.kotlin.types.resolver import KotlinResolver

    return KotlinResolver


def _packages_of(path: FilePath) -> tuple[str, ...]:
    """Folders do not tell: which files declare a name is asked of all files."""
    return ()


def _is_standard(dotted: str) -> bool:
    """Names that come with the language, or with the platform below it."""
    return dotted.startswith(_STANDARD)


def _is_implied_name(name: str) -> bool:
    """What operators, loops and companions ask for: no text that rests on them names them."""
    return name in _IMPLIED or name.startswith("component")


_IMPLIED: Final = frozenset((
    "*", "constructor", "Companion", "plus", "minus", "times", "div", "rem", "rangeTo", "rangeUntil", "get", "set",
    "invoke", "iterator", "next", "getValue", "this", "super",
))  # fmt: skip


def _is_reached_by_type(kind: int, flags: int) -> bool:
    """A lambda rests on the one method of an interface, a value that is taken apart on its properties, unnamed."""
    return kind == DefinitionKind.INTERFACE or bool(flags & DefinitionFlag.INSTANCE)


_RESERVED = frozenset({
    "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in", "interface", "is", "null",
    "object", "package", "return", "super", "this", "throw", "true", "try", "typealias", "typeof", "val", "var",
    "when", "while",
})  # fmt: skip
CAPABILITIES = Capabilities(
    name="kotlin",
    untried_rules=frozenset(("maintainability.unused_definition",)),
    shared_package="clause",
    imports_load=False,
    test_runner="junit",
    test_annotations=JUNIT,
    reserved=_RESERVED,
    package_manager="maven",
    outside_members=JDK_MEMBERS,
    files={".kt": FileType("kotlin", "kotlin", "kotlin"), ".kts": FileType("kotlin", "kotlin", "kotlin")},
    line_comment="//",
    package_clauses=True,
    overloads=True,
    interop=frozenset({"java"}),
    interop_names=accessor_names,
    interop_renamed=renamed_accessor,
    tier="typed",
    constructors=("constructor",),
    labels_of_class=("this@", "super@", ">@"),
    bracket_links=True,
    is_functional=is_functional,
    is_implied_name=_is_implied_name,
    is_reached_by_type=_is_reached_by_type,
    modifier_words=frozenset(
        (
            "public",
            "protected",
            "private",
            "internal",
            "override",
            "open",
            "data",
            "sealed",
            "inner",
            "inline",
            "operator",
            "infix",
            "tailrec",
            "lateinit",
            "const",
            "suspend",
            "annotation",
            "expect",
            "actual",
        )
    ),
    exports=WordedExports("public"),
    is_standard=_is_standard,
    asks_who_defines=True,
    rule_name=rule_name,
)
PROVIDER = DeclaredProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=_packages_of,
)
