"""Provider: C# as the core sees it.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import attrs

from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.languages.capabilities import Capabilities, FileType
from graphls.languages.csharp.known_types import KNOWN_MEMBERS
from graphls.languages.csharp.projects import MANIFESTS, project_aliases, project_around, project_folders
from graphls.languages.declared.declared_provider import (
    DeclaredFragments,
    DeclaredProvider,
    EditedExtractor,
    ResolverFactory,
    RunExtractor,
)
from graphls.languages.declared.exports import WordedExports
from graphls.languages.declared.rules import rule_name
from graphls.languages.provider import Imports, ModuleName, no_imports

EXTRACTOR_VERSION: Final = 7
"""Raised whenever extraction says something else about the same bytes."""


@attrs.frozen
class CSharpProvider(DeclaredProvider):
    """The C# language: its projects are known by their files."""

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports = no_imports
    ) -> tuple[str, ...]:
        """Folders of projects."""
        return project_folders(manifests)

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The path itself; files of one project are listed together."""
        return ModuleName(path, False, "", packages=(project_around(path, roots),))


def _load_extractor() -> RunExtractor:
    from graphls.languages.csharp.syntax.extraction import extract

    return extract


def _load_edited() -> EditedExtractor:
    from graphls.languages.csharp.syntax.extraction import extract_edited

    return extract_edited


def _load_resolver() -> ResolverFactory:
    from graphls.languages.csharp.types.resolver import CSharpResolver

    return CSharpResolver


def _is_functional(dotted: str) -> bool:
    """Whether it calls a delegate."""
    return dotted == "System.Delegate.Invoke"


def _packages_of(path: FilePath) -> tuple[str, ...]:
    """Only project files tell."""
    return ()


def _is_standard(dotted: str) -> bool:
    """Names that come with the platform."""
    return dotted.startswith(("System.", "builtin.", "Microsoft.")) or dotted == "System"


def _is_implied_name(name: str) -> bool:
    """Usings for the whole project, indexers and what constructs ask for: no text that rests on them names them."""
    return name in ("*", "this", "Deconstruct") or name.endswith("Attribute")


def _is_reached_by_type(kind: int, flags: int) -> bool:
    """A lambda rests on a delegate, a pattern on the components of a record, without their names."""
    return kind == DefinitionKind.INTERFACE or bool(flags & DefinitionFlag.INSTANCE)


_RESERVED = frozenset({
    "abstract", "as", "base", "bool", "break", "byte", "case", "catch", "char", "checked", "class", "const",
    "continue", "decimal", "default", "delegate", "do", "double", "else", "enum", "event", "explicit", "extern",
    "false", "finally", "fixed", "float", "for", "foreach", "goto", "if", "implicit", "in", "int", "interface",
    "internal", "is", "lock", "long", "namespace", "new", "null", "object", "operator", "out", "override", "params",
    "private", "protected", "public", "readonly", "ref", "return", "sbyte", "sealed", "short", "sizeof", "stackalloc",
    "static", "string", "struct", "switch", "this", "throw", "true", "try", "typeof", "uint", "ulong", "unchecked",
    "unsafe", "ushort", "using", "virtual", "void", "volatile", "while",
})  # fmt: skip
_TEST_ATTRIBUTES = frozenset(
    ("Fact", "Theory", "Test", "TestCase", "TestCaseSource", "TestMethod", "DataTestMethod", "FactAttribute")
)
CAPABILITIES = Capabilities(
    name="csharp",
    shared_package="folder",
    imports_load=False,
    test_runner="dotnet test",
    test_annotations=_TEST_ATTRIBUTES,
    reserved=_RESERVED,
    package_manager="nuget",
    outside_members=KNOWN_MEMBERS,
    files={".cs": FileType("csharp", "csharp", "csharp")},
    line_comment="//",
    overloads=True,
    program_files=frozenset(("Program",)),
    main_method="Main",
    imports_name_files=False,
    tier="typed",
    manifests=MANIFESTS,
    is_implied_name=_is_implied_name,
    is_reached_by_type=_is_reached_by_type,
    module_aliases=project_aliases,
    modifier_words=frozenset(
        (
            "public",
            "protected",
            "private",
            "internal",
            "override",
            "virtual",
            "sealed",
            "readonly",
            "const",
            "partial",
            "async",
            "unsafe",
            "extern",
            "required",
            "volatile",
            "new",
        )
    ),
    exports=WordedExports(),
    constructor_words=("base", "this"),
    part_word="partial",
    is_functional=_is_functional,
    asks_who_defines=True,
    is_standard=_is_standard,
    rule_name=rule_name,
    fragments=DeclaredFragments("csharp", _load_extractor, _load_edited),
)
PROVIDER = CSharpProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=_packages_of,
)
