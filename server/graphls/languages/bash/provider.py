"""Provider: scripts of the shell as the core sees them.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import Final

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.import_keys import import_key
from graphls.facts.paths import FilePath
from graphls.languages.capabilities import Aliases, Capabilities, FileType
from graphls.languages.declared.declared_provider import (
    DeclaredProvider,
    Extractor,
    ResolverFactory,
    file_names,
    implies_no_name,
)
from graphls.languages.declared.rules import rule_name

EXTRACTOR_VERSION: Final = 3
"""Raised whenever extraction says something else about the same bytes."""


@attrs.frozen
class BashExports:
    """Whatever stands at the top of a script is there for those who source it."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """All at the top."""
        return frozenset(row for row, scope in enumerate(facts.definitions.scope) if scope == 0)

    def visibility(self, name: str, before: bytes) -> str:
        """A leading underscore is a custom."""
        return "private" if name.startswith("_") else "public"


def _load_extractor() -> Extractor:
    from graphls.languages.bash.syntax.extraction import extract

    return extract


def _load_resolver() -> ResolverFactory:
    from graphls.languages.bash.types.resolver import BashResolver

    return BashResolver


def _import_keys(aliases: Aliases, path: FilePath) -> Collection[str]:
    """Files are sourced and run by their names."""
    return (import_key(path),)


def _is_standard(dotted: str) -> bool:
    """What the shell and POSIX bring."""
    return dotted.startswith("builtin.")


_RESERVED: Final = frozenset((
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in", "function",
    "select", "time", "coproc",
))  # fmt: skip
_NAMES: Final = frozenset((
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", "PKGBUILD", "APKBUILD",
    ".envrc",
))  # fmt: skip
_SOURCE: Final = FileType("bash", "shellscript", "bash")
CAPABILITIES = Capabilities(
    name="bash",
    untried_rules=frozenset(("maintainability.unused_definition",)),
    reserved=_RESERVED,
    files={".sh": _SOURCE, ".bash": _SOURCE},
    line_comment="#",
    file_names=_NAMES,
    interpreters=frozenset(("sh", "bash", "dash", "ash", "busybox sh", "busybox ash")),
    script=True,
    is_implied_name=implies_no_name,
    import_keys=_import_keys,
    exports=BashExports(),
    asks_who_defines=True,
    is_standard=_is_standard,
    rule_name=rule_name,
)
PROVIDER = DeclaredProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=file_names,
)
