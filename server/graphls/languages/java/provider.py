"""Provider: Java as the core sees it.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from graphls.facts.import_keys import import_key
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.languages.capabilities import Aliases, Capabilities, FileType
from graphls.languages.declared.accessors import accessor_names, renamed_accessor
from graphls.languages.declared.declared_provider import (
    DeclaredFragments,
    DeclaredProvider,
    ResolverFactory,
    RunExtractor,
)
from graphls.languages.declared.exports import WordedExports
from graphls.languages.declared.jdk_types import JDK_MEMBERS
from graphls.languages.declared.rules import rule_name
from graphls.languages.java.checker import JDTLS
from graphls.languages.java.functional import calls_given, is_functional
from graphls.languages.java.packages import MANIFESTS, dotted_name, package_names
from graphls.languages.test_annotations import JUNIT

EXTRACTOR_VERSION: Final = 7
"""Raised whenever extraction says something else about the same bytes."""
_STANDARD: Final = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


def _load_extractor() -> RunExtractor:
    from graphls.languages.java.syntax.extraction import extract

    return extract


def _load_resolver() -> ResolverFactory:
    from graphls.languages.java.types.resolver import JavaResolver

    return JavaResolver


def _import_keys(aliases: Aliases, path: FilePath) -> Collection[str]:
    """Files are imported by the names of their types, or with their whole package."""
    names = package_names(path)[1:]
    keys = {import_key(name): None for name in names}
    keys[import_key(dotted_name(path))] = None
    return tuple(keys)


def _is_standard(dotted: str) -> bool:
    """Names that come with the language."""
    return dotted.startswith(_STANDARD)


def _is_implied_name(name: str) -> bool:
    """What an import with a star brings in is asked for by other names."""
    return name == "*"


def _is_reached_by_type(kind: int, flags: int) -> bool:
    """A lambda rests on the method of an interface, a pattern on the components of a record, without their names."""
    return kind == DefinitionKind.INTERFACE or bool(flags & DefinitionFlag.INSTANCE)


_RESERVED = frozenset({
    "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
    "default", "do", "double", "else", "enum", "extends", "false", "final", "finally", "float", "for", "goto",
    "if", "implements", "import", "instanceof", "int", "interface", "long", "native", "new", "null", "package",
    "private", "protected", "public", "return", "short", "static", "strictfp", "super", "switch", "synchronized",
    "this", "throw", "throws", "transient", "true", "try", "void", "volatile", "while",
})  # fmt: skip
CAPABILITIES = Capabilities(
    name="java",
    shared_package="clause",
    imports_load=False,
    checker=JDTLS,
    test_runner="junit",
    test_annotations=JUNIT,
    reserved=_RESERVED,
    package_manager="maven",
    outside_members=JDK_MEMBERS,
    files={".java": FileType("java", "java", "java")},
    keys_name_methods=True,
    line_comment="//",
    package_clauses=True,
    overloads=True,
    main_method="main",
    interop=frozenset({"kotlin"}),
    accessors_of_fields=True,
    interop_names=accessor_names,
    interop_renamed=renamed_accessor,
    manifests=MANIFESTS,
    is_implied_name=_is_implied_name,
    is_reached_by_type=_is_reached_by_type,
    import_keys=_import_keys,
    modifier_words=frozenset(
        (
            "public",
            "protected",
            "private",
            "default",
            "sealed",
            "synchronized",
            "native",
            "transient",
            "volatile",
        )
    ),
    modifier_decorators={"Override": "override"},
    library_run=frozenset(("readObject", "writeObject", "readObjectNoData", "writeReplace", "readResolve")),
    exports=WordedExports(),
    constructor_words=("super", "this", "new"),
    class_names_file=True,
    is_functional=is_functional,
    calls_given=calls_given,
    asks_who_defines=True,
    is_standard=_is_standard,
    rule_name=rule_name,
    fragments=DeclaredFragments("java", _load_extractor),
)
PROVIDER = DeclaredProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=package_names,
)
