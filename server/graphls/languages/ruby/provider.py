"""Provider: Ruby as the core sees it.

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
from graphls.facts.kinds import DefinitionKind, ScopeKind
from graphls.facts.paths import FilePath
from graphls.languages.capabilities import Aliases, Capabilities, FileType
from graphls.languages.declared.declared_provider import DeclaredProvider, Extractor, ResolverFactory, file_names
from graphls.languages.declared.rules import rule_name

EXTRACTOR_VERSION: Final = 4
"""Raised whenever extraction says something else about the same bytes."""
_OPEN: Final = frozenset({ScopeKind.MODULE, ScopeKind.NAMESPACE})


@attrs.frozen
class RubyExports:
    """Whatever is called by a constant, or is a method of the file, is there for all."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """All outside of classes that is no variable."""
        table = facts.definitions
        open_scopes = {row for row, kind in enumerate(facts.scopes.kind) if kind in _OPEN}
        rows = (row for row, scope in enumerate(table.scope) if scope in open_scopes)
        return frozenset(row for row in rows if table.kind[row] != DefinitionKind.VARIABLE)

    def visibility(self, name: str, before: bytes) -> str:
        """`private def name` says it; a word on a line of its own above is not seen."""
        return "private" if before.split()[:1] in ([b"private"], [b"private_class_method"]) else "public"


def _load_extractor() -> Extractor:
    from graphls.languages.ruby.syntax.extraction import extract

    return extract


def _load_resolver() -> ResolverFactory:
    from graphls.languages.ruby.types.resolver import RubyResolver

    return RubyResolver


def _import_keys(aliases: Aliases, path: FilePath) -> Collection[str]:
    """Files are required by their paths."""
    return (import_key(path.removesuffix(".rb")), import_key(path))


def _is_standard(dotted: str) -> bool:
    """What comes with the language."""
    from graphls.languages.ruby.types.standard import CONSTANTS

    return dotted.startswith("builtin.") or dotted.partition("::")[0].partition(".")[0] in CONSTANTS


def _is_implied_name(name: str) -> bool:
    """What constructs ask for: no text that rests on them names them."""
    return name in ("initialize", "ClassMethods", "Object", "Kernel") or name.startswith("@")


_RUN: Final = frozenset((
    "initialize", "call", "to_s", "to_str", "to_a", "to_ary", "to_h", "to_hash", "to_proc", "inspect", "each", "hash",
    "eql?", "coerce", "method_missing", "respond_to_missing?", "initialize_copy", "initialize_dup", "included",
    "extended", "prepended", "inherited", "method_added", "const_missing", "marshal_dump", "marshal_load", "exception",
    "to_sym", "succ", "deconstruct", "deconstruct_keys", "setup", "teardown",
))  # fmt: skip


def _is_run_unnamed(name: str) -> bool:
    """Operators, conversions and hooks."""
    return name in _RUN or not (name[:1].isalpha() or name[:1] in "_@$")


_RESERVED: Final = frozenset((
    "BEGIN", "END", "alias", "and", "begin", "break", "case", "class", "def", "defined?", "do", "else", "elsif", "end",
    "ensure", "false", "for", "if", "in", "module", "next", "nil", "not", "or", "redo", "rescue", "retry", "return",
    "self", "super", "then", "true", "undef", "unless", "until", "when", "while", "yield", "__FILE__", "__LINE__",
    "__ENCODING__",
))  # fmt: skip
_NAMES: Final = frozenset((
    "Rakefile", "rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Capfile", "Podfile", "Fastfile", "Appfile",
    "Matchfile", "Deliverfile", "Snapfile", "Brewfile", "Thorfile", "Berksfile", "Dangerfile", "Appraisals",
    "Steepfile", "Puppetfile", "Buildfile", ".irbrc", ".pryrc", ".simplecov",
))  # fmt: skip
"""Files that a tool of the language runs as code."""
_SOURCE: Final = FileType("ruby", "ruby", "ruby")
CAPABILITIES = Capabilities(
    name="ruby",
    untried_rules=frozenset(("maintainability.unused_definition",)),
    test_runner="minitest",
    test_bases=("TestCase", "Test"),
    reserved=_RESERVED,
    package_manager="gem",
    files={".rb": _SOURCE, ".rake": _SOURCE, ".gemspec": _SOURCE, ".ru": _SOURCE},
    line_comment="#",
    file_names=_NAMES,
    interpreters=frozenset(("ruby", "jruby", "truffleruby", "rake", "macruby", "rbx", "bundle exec")),
    tier="typed",
    imports_name_files=False,
    constructors=("initialize",),
    part_word="",
    is_implied_name=_is_implied_name,
    is_run_unnamed=_is_run_unnamed,
    import_keys=_import_keys,
    exports=RubyExports(),
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
