"""Provider: Incan as the core sees it.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Set
from typing import Final

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.import_keys import import_key
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.languages.capabilities import Aliases, Capabilities, FileType
from graphls.languages.declared.declared_provider import DeclaredProvider, Extractor, ResolverFactory, implies_no_name
from graphls.languages.declared.rules import rule_name
from graphls.languages.extract.grammars import STAND_ALONE
from graphls.languages.incan.modules import LIBRARY, MANIFESTS, file_of, module_aliases, module_of, packages_of
from graphls.languages.provider import World

EXTRACTOR_VERSION: Final = 1
"""Raised whenever extraction, or the grammar of our own, says something else about the same bytes."""


@attrs.frozen
class IncanExports:
    """`pub` offers a name to other modules; imports are offered too."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """What stands at the top of a file: modules of the project may use it."""
        table = facts.definitions
        top = (row for row, scope in enumerate(table.scope) if scope == 0)
        return frozenset(
            row for row in top if table.kind[row] != DefinitionKind.IMPORT or table.flags[row] & DefinitionFlag.EXPORTED
        )

    def visibility(self, name: str, before: bytes) -> str:
        """By the word before the declaration."""
        return "public" if b"pub" in before.split() else "internal"


def _load_extractor() -> Extractor:
    from graphls.languages.incan.syntax.extraction import extract

    return extract


def _load_resolver() -> ResolverFactory:
    from graphls.languages.incan.types.resolver import IncanResolver

    return IncanResolver


def _import_keys(aliases: Aliases, path: FilePath) -> Collection[str]:
    """A module is imported by the last word of its path, or as a library by the name of its project."""
    keys = {import_key(module_of(path)): None}
    for key, roots in aliases.items():
        if key.startswith(LIBRARY) and any(path.startswith(f"{root}/") or not root for root in roots):
            keys[import_key(key.removeprefix(LIBRARY))] = None
    return tuple(keys)


def _module_finder(world: World) -> Callable[[str, FilePath], FilePath | None]:
    """What the text of an import leads to; behind `#` stands a name in the module."""
    return lambda written, importer: file_of(written.partition("#")[0], importer, world)


def _is_standard(dotted: str) -> bool:
    """Names that come with the language."""
    return dotted.partition(".")[0] in ("builtin", "std")


_RESERVED = frozenset({
    "and", "as", "break", "case", "class", "const", "continue", "crate", "def", "elif", "else", "enum", "extends",
    "false", "fn", "for", "from", "if", "import", "in", "is", "let", "loop", "match", "model", "mut", "newtype", "None",
    "not", "or", "pass", "pub", "python", "return", "rust", "self", "static", "super", "trait", "true", "type", "while",
    "with", "yield",
})  # fmt: skip
CAPABILITIES = Capabilities(
    name="incan",
    untried_rules=frozenset(("maintainability.unused_definition",)),
    reserved=_RESERVED,
    test_runner="incan test",
    test_prefixes=("test_",),
    files={".incn": FileType("incan", "incan", "incan"), ".incan": FileType("incan", "incan", "incan")},
    line_comment="#",
    tier="typed",
    own_grammar=STAND_ALONE["incan"],
    manifests=MANIFESTS,
    is_implied_name=implies_no_name,
    module_aliases=module_aliases,
    module_finder=_module_finder,
    import_keys=_import_keys,
    exports=IncanExports(),
    is_standard=_is_standard,
    rule_name=rule_name,
)
PROVIDER = DeclaredProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=packages_of,
)
