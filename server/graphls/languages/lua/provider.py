"""Provider: Lua as the core sees it.

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
from graphls.languages.declared.declared_provider import DeclaredProvider, Extractor, ResolverFactory, file_names
from graphls.languages.declared.rules import rule_name
from graphls.languages.lua.loading import loaded_file, module_aliases
from graphls.languages.provider import World

EXTRACTOR_VERSION: Final = 3
"""Raised whenever extraction says something else about the same bytes."""


@attrs.frozen
class LuaExports:
    """Globals and types are there for all, what a file gives back for those who require it; local variables are not."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """Globals and types."""
        table = facts.definitions
        wide = DefinitionFlag.GLOBAL | DefinitionFlag.TYPE_ONLY
        return frozenset(
            row
            for row, scope in enumerate(table.scope)
            if scope == 0 and table.flags[row] & wide and table.kind[row] != DefinitionKind.PARAMETER
        )

    def visibility(self, name: str, before: bytes) -> str:
        """`local` hides a name, a leading underscore is a custom."""
        return "private" if name.startswith("_") or b"local" in before.split()[:1] else "public"


def _load_extractor() -> Extractor:
    from graphls.languages.lua.syntax.extraction import extract

    return extract


def _load_resolver() -> ResolverFactory:
    from graphls.languages.lua.types.resolver import LuaResolver

    return LuaResolver


def _import_keys(aliases: Aliases, path: FilePath) -> Collection[str]:
    """A module is called by the last part of its path, or by what a rockspec calls it."""
    stem = path.removesuffix(".lua").removesuffix("/init")
    given = (import_key(name) for name, files in aliases.items() if path in files)
    return tuple(dict.fromkeys((import_key(stem), *given)))


def _module_finder(world: World) -> Callable[[str, FilePath], FilePath | None]:
    return lambda written, importer: loaded_file(written, importer, world)


def _is_standard(dotted: str) -> bool:
    """What Lua and the programs that run it bring."""
    from graphls.languages.lua.types.standard import HOSTS, LANGUAGE

    first = dotted.partition(".")[0]
    return first == "builtin" or first in LANGUAGE or first in HOSTS


def _is_implied_name(name: str) -> bool:
    """What constructs ask for: no text that rests on them names it."""
    return name in ("__index", "return", "new")


def _is_run_unnamed(name: str) -> bool:
    """Metamethods, and what libraries of classes run when an instance is made."""
    return name.startswith("__") or name in ("init", "_init", "initialize", "new", "setup", "_class_init")


_RESERVED: Final = frozenset((
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
))  # fmt: skip
_SOURCE: Final = FileType("lua", "lua", "lua")
CAPABILITIES = Capabilities(
    name="lua",
    untried_rules=frozenset(("maintainability.unused_definition",)),
    reserved_prefix="__",
    reserved=_RESERVED,
    package_manager="luarocks",
    test_runner="busted",
    test_prefixes=("test", "Test"),
    tests_are_offered=True,
    hides_unexported=True,
    files={".lua": _SOURCE, ".rockspec": _SOURCE},
    file_names=frozenset((".luacheckrc", ".busted", ".luacov", "config.ld")),
    interpreters=frozenset(("lua", "luajit", "resty", "tarantool", "nvim -l", "texlua", "lua5")),
    line_comment="--",
    manifests=("*.rockspec",),
    package_files=frozenset(("init",)),
    is_implied_name=_is_implied_name,
    is_run_unnamed=_is_run_unnamed,
    module_aliases=module_aliases,
    module_finder=_module_finder,
    import_keys=_import_keys,
    exports=LuaExports(),
    is_standard=_is_standard,
    asks_who_defines=True,
    rule_name=rule_name,
)
PROVIDER = DeclaredProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=file_names,
)
