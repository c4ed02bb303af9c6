"""Find filter: which symbols a search leaves in, by kind, by language, by folder and by severity.

Owns: the words for kinds and severities, which kinds derived nodes have, whether a file and a symbol are wanted.
Must not know: names, words, ranks, faces.
Invariant: filters are hard; a symbol of another kind, language, folder or severity is never among the results. A word
that is no kind, no language or no severity is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DIAGNOSTIC, DerivedNode
from graphls.graph.errors import BadRequest
from graphls.graph.nodes import kind_of
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import capabilities_of, providers

HEADING: Final = "heading"
_TEST: Final = "test"
_DERIVED: Final = frozenset(("route", "tool", HEADING, DIAGNOSTIC))
_BY_KIND: Mapping[int, frozenset[str]] = {
    DefinitionKind.FUNCTION: frozenset({"callable", "function"}),
    DefinitionKind.METHOD: frozenset({"method"}),
    DefinitionKind.CLASS: frozenset({"declaration", "class"}),
    DefinitionKind.VARIABLE: frozenset({"declaration", "variable"}),
    DefinitionKind.CONSTANT: frozenset({"declaration", "constant"}),
    DefinitionKind.FIELD: frozenset({"field"}),
    DefinitionKind.PROPERTY: frozenset({"declaration", "property"}),
    DefinitionKind.TYPE_ALIAS: frozenset({"declaration", "type_alias"}),
    DefinitionKind.ENUM_MEMBER: frozenset({"enum_variant"}),
    DefinitionKind.INTERFACE: frozenset({"declaration", "interface"}),
    DefinitionKind.ENUM: frozenset({"declaration", "enum"}),
    DefinitionKind.NAMESPACE: frozenset({"declaration", "namespace"}),
}
"""What every definition of a kind is."""
_BY_NODE: Mapping[int, frozenset[str]] = {
    DefinitionKind.FUNCTION: frozenset({_TEST}),
    DefinitionKind.METHOD: frozenset({_TEST}),
    DefinitionKind.CLASS: frozenset({"enum", "protocol"}),
}
"""What some definitions of a kind are: the node says which."""
FIND_KINDS: Final = frozenset(
    {*_DERIVED, *(word for table in (_BY_KIND, _BY_NODE) for words in table.values() for word in words)}
)
"""Every kind that a request may name."""
SEVERITIES: Final = ("error", "warning", "information", "hint")
"""Every severity that a request may name, the worst first."""
NO_TEXT: Final = (
    "Say what to find: a name, words, or all of a kind that no name binds: route, tool, heading or diagnostic."
)


@attrs.frozen
class FindFilter:
    """What may be found; everything where nothing is asked for."""

    kinds: frozenset[str] = frozenset()
    """Kinds and subkinds as records spell them: `callable`, `method`, `class`, `constant` ..."""
    languages: frozenset[str] = frozenset()
    under: str = ""
    """Only files below this folder, or this file."""
    severities: frozenset[str] = frozenset()
    """Of diagnostics: how bad they are; all where none is named."""

    @property
    def lists(self) -> bool:
        """Whether all of it may be asked for, without a text."""
        return bool(self.kinds) and not self.symbols

    @property
    def derived(self) -> frozenset[str]:
        """Those of the kinds that derived nodes have."""
        return self.kinds & (_DERIVED | {_TEST})

    @property
    def symbols(self) -> bool:
        """Whether symbols of code can be found at all."""
        return not self.kinds or bool(self.kinds - _DERIVED)

    @property
    def sections(self) -> bool:
        """Whether sections of documents can be found: they are in no language."""
        return not self.languages and (not self.kinds or HEADING in self.kinds)

    @property
    def whole(self) -> bool:
        """Whether every file takes part."""
        return not self.languages and not self.folder

    @property
    def folder(self) -> str:
        """The folder or file, without slashes around it; "" for all."""
        named = self.under.strip().removeprefix("./").strip("/")
        return "" if named == "." else named

    def takes_file(self, snapshot: Snapshot, path: FilePath) -> bool:
        """Whether what a file declares may be found."""
        if not self.is_under(path):
            return False
        return not self.languages or snapshot.shards[path].language in self.languages

    def is_under(self, path: FilePath) -> bool:
        """Whether a file is below the folder."""
        folder = self.folder
        return not folder or path == folder or path.startswith(f"{folder}/")

    def may_take(self, kind: int) -> bool:
        """Whether a definition of a kind may be wanted; `takes` knows of each."""
        if not self.kinds:
            return True
        return not self.kinds.isdisjoint(_BY_KIND.get(kind, frozenset()) | _BY_NODE.get(kind, frozenset()))

    def takes_all(self, kind: int) -> bool:
        """Whether every definition of a kind is wanted."""
        return not self.kinds or not self.kinds.isdisjoint(_BY_KIND.get(kind, frozenset()))

    def takes(self, snapshot: Snapshot, path: FilePath, row: int) -> bool:
        """Whether a definition is of a kind that is wanted."""
        facts = snapshot.facts(path)
        kind = facts.definitions.kind[row]
        if self.takes_all(kind):
            return True
        wanted = self.kinds & _BY_NODE.get(kind, frozenset())
        if not wanted:
            return False
        node = kind_of(facts, path, row, snapshot.shards[path].language)
        return not wanted.isdisjoint((node.kind, node.subkind))

    def takes_derived(self, snapshot: Snapshot, node: DerivedNode) -> bool:
        """Whether a derived node is of a kind that is wanted, in a file that is."""
        wanted = self.derived
        # Frameworks that tests declare are none of the program's; tests themselves are what is asked for.
        shown = not node.test or (node.kind == _TEST and _TEST in wanted)
        if self.severities and dict(node.attributes).get("severity") not in self.severities:
            return False
        return shown and not wanted.isdisjoint((node.kind, node.subkind)) and self.takes_file(snapshot, node.file)


NO_FILTER: Final = FindFilter()


def checked_filter(
    snapshot: Snapshot,
    kinds: Iterable[str] = (),
    languages: Iterable[str] = (),
    under: str = "",
    severities: Iterable[str] = (),
) -> FindFilter:
    """The filter of a request; words that are no kind, no language, no folder and no severity are refused. Who names
    severities asks for diagnostics."""
    kinds, severe = frozenset(kinds), frozenset(severities)
    unrated = sorted(severe.difference(SEVERITIES))
    if unrated:
        raise BadRequest(f"There is no severity {unrated[0]!r}. Use one of: {', '.join(SEVERITIES)}.")
    if severe:
        kinds = kinds or frozenset((DIAGNOSTIC,))
        if kinds != frozenset((DIAGNOSTIC,)):
            raise BadRequest("Diagnostics alone have a severity: leave out the severity, or the other kinds.")
    unknown = sorted(kinds - FIND_KINDS)
    if unknown:
        raise BadRequest(f"There is no kind {unknown[0]!r}. Use one of: {', '.join(sorted(FIND_KINDS))}.")
    names = frozenset(name.strip().lower() for name in languages)
    unread = sorted(name for name in names if capabilities_of(name) is None)
    if unread:
        raise BadRequest(f"There is no language {unread[0]!r}. Use one of: {', '.join(sorted(providers()))}.")
    made = FindFilter(kinds, names, under, severe)
    if made.folder and not any(map(made.is_under, snapshot.shards)):
        raise BadRequest(f"{under!r} is no folder and no file of the workspace.")
    return made
