"""Snapshot: the state of the whole workspace at one revision.

Owns: the mapping of files to shards, the questions every query starts from.
Must not know: who edits, how facts are kept, protocols.
Invariant: two reads of one snapshot agree; links computed late are those that would have been computed early.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import Final, NewType, Protocol, TypeAlias

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import EdgeKind, Resolution
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links, Targets
from graphls.facts.paths import ContentHash, FilePath
from graphls.facts.surface import Surface, SurfaceHash
from graphls.graph.derivation import Derivation
from graphls.graph.import_rows import ImportRow
from graphls.graph.open_names import OpenNames
from graphls.graph.packages import DeclaredPackage
from graphls.graph.verification import ReportedProblems, Verification, VerificationResult
from graphls.languages.capabilities import Capabilities
from graphls.languages.provider import ModuleName
from graphls.languages.registry import capabilities_for, capabilities_of
from graphls.linking.libraries import LibraryDefinition
from graphls.linking.module_table import ModuleTable

Revision = NewType("Revision", int)


@attrs.frozen(eq=False)
class Shard:
    """One file of one snapshot. Equal contents share one shard between snapshots."""

    path: FilePath
    language: str
    """Provider name, or "" for a plain file: then it has no facts."""
    content: ContentHash
    size: int
    surface_hash: SurfaceHash
    dirty: bool
    """The contents are those of an editor's unsaved buffer."""
    imported: str = ""
    """Names what an index says of it, where that alone tells what is in it."""
    memo: dict[str, object] = attrs.field(factory=dict[str, object], init=False, repr=False)
    """Answers that are functions of the contents, kept by the modules that compute them."""


UNLISTED: Final = "folder cannot be read"
"""How the reason begins for which a whole folder is not in the graph."""


@attrs.frozen
class SkippedFile:
    """A file that is in the workspace but not in the graph, and why."""

    path: FilePath
    reason: str


End: TypeAlias = tuple[FilePath, int]
"""What a link leads to: a file, and a row of its surface's symbols or `WHOLE_MODULE`."""


@attrs.frozen
class ReachingFiles:
    """Files from which links lead to something. `unsure`: those for which that is not known without looking."""

    files: tuple[FilePath, ...]
    unsure: Set[FilePath]


class SnapshotReader(Protocol):
    """Where a snapshot's contents come from; answers are functions of the shard alone."""

    def facts(self, shard: Shard) -> FileFacts:
        """Facts of a file that has a language."""
        ...

    def surface(self, shard: Shard) -> Surface:
        """Surface of a file that has a language."""
        ...

    def links(self, snapshot: Snapshot, shard: Shard) -> Links:
        """Links of a file, computed now if nobody did before."""
        ...

    def links_at(
        self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int], frame: bool, constructs: bool
    ) -> Links:
        """Links that have every row of `links` for these occurrences, perhaps for others too; see Snapshot.links_at."""
        ...

    def known_links(self, snapshot: Snapshot, shard: Shard) -> Links | None:
        """Links of a file if they were made before, else None."""
        ...

    def links_stamp(self, snapshot: Snapshot, shard: Shard) -> str:
        """Names the contents of a file and all that its links rest on; "" when that is not known at once."""
        ...

    def links_state(self, snapshot: Snapshot, shard: Shard) -> str:
        """Names all that the links of a file rest on, as it is now; "" when that is not known at once."""
        ...

    def types_at(self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int]) -> Links:
        """The classes of the values that these occurrences have, as targets; `reads` names what that rests on."""
        ...

    def reaching(self, snapshot: Snapshot, ends: Collection[End]) -> ReachingFiles:
        """Files whose links lead to any of these ends in other files."""
        ...

    def take_in_links(self, snapshot: Snapshot) -> None:
        """Has links that an earlier run made at hand, where there are any: for who would look at many files instead."""
        ...

    def renamed(self, snapshot: Snapshot, ends: Collection[End]) -> Mapping[FilePath, Sequence[str]]:
        """Linked files that pass any of these ends on under another name, with these names."""
        ...

    def open_names(self, snapshot: Snapshot, shard: Shard) -> OpenNames | None:
        """Uses in a file that its own links cannot tell the meaning of; None when it is not linked yet."""
        ...

    def import_rows(self, snapshot: Snapshot, shard: Shard) -> Sequence[ImportRow] | None:
        """Which files each line of a file imports, by its own links; None when that is not known at once."""
        ...

    def may_be_uncertain(self, snapshot: Snapshot, shard: Shard) -> bool:
        """Whether a checker may know more about some use in a file; False only where that is known at once."""
        ...

    def open_counts(self, snapshot: Snapshot, language: str, name: int) -> Sequence[int] | None:
        """Uses of a defined name, as `open_names.same_name` spells it, that own links of all files of a language cannot
        tell the meaning of, by OpenKind; None where only each file can tell."""
        ...

    def defined_names(self, snapshot: Snapshot, language: str) -> Set[int]:
        """All names that files of a language define for others, as `open_names.same_name` spells them."""
        ...

    def link_failures(self, snapshot: Snapshot) -> Mapping[FilePath, str]:
        """Files that could not be linked, and why, among those that somebody tried to link; sorted."""
        ...

    def not_linked(self, snapshot: Snapshot) -> Set[FilePath]:
        """Files that nobody linked yet."""
        ...

    def text(self, shard: Shard) -> bytes | None:
        """The bytes the shard was made from, or None when they are gone."""
        ...

    def files_with_name(self, snapshot: Snapshot, name: str) -> tuple[FilePath, ...]:
        """Files whose facts mention a name, sorted."""
        ...

    def words(self, snapshot: Snapshot, paths: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        """Of plain files, sorted numbers of the words that may name code; those whose text is gone lack."""
        ...

    def file_values(self, snapshot: Snapshot, subject: str, paths: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        """What was stored of files with their present contents; those of which nothing is known lack."""
        ...

    def store_file_values(self, snapshot: Snapshot, subject: str, values: Mapping[FilePath, bytes]) -> None:
        """Has values for later runs, each a function of the path and contents of its file and of the subject, which
        names a version as well."""
        ...


@attrs.frozen
class SymbolRef:
    """A definition in the workspace: row of `facts(file).definitions`, or -1 for the module itself."""

    file: FilePath
    definition: int


@attrs.frozen
class Target:
    """One answer to "what does this occurrence mean". Exactly one of `place` and `external` is set."""

    place: SymbolRef | None
    external: str
    """Dotted name outside the workspace, or ""."""
    edge: EdgeKind
    resolution: Resolution
    confidence: float
    ambiguous: bool
    rule: int


@attrs.frozen(eq=False)
class Snapshot:
    """Revision plus immutable shards. All queries take one of these and nothing else."""

    revision: Revision
    name: str
    """Name of the workspace: a function of its contents, so not that of its folder."""
    shards: Mapping[FilePath, Shard]
    """Sorted by path."""
    modules: Mapping[str, ModuleTable]
    """By language name."""
    skipped: tuple[SkippedFile, ...]
    pending: tuple[FilePath, ...]
    """Files known to have changed that this snapshot does not show yet."""
    reader: SnapshotReader
    packages: Mapping[FilePath, str] = attrs.field(factory=dict[FilePath, str])
    """Folder of each manifest -> declared package name; "" stands for the workspace itself."""
    declared: Mapping[FilePath, DeclaredPackage] = attrs.field(factory=dict[FilePath, DeclaredPackage])
    """What the manifests of these folders say beside the name."""
    verification: Verification | None = None
    """What checkers said, as of the moment this snapshot was handed out."""
    verification_result: VerificationResult | None = None
    """What verification came to for the answer that this snapshot was handed out for; None when nobody asked."""
    unlinked: tuple[SkippedFile, ...] = ()
    """Files that are in the graph without what they use: to link them ended a worker process, or took too long."""
    unread: tuple[SkippedFile, ...] = ()
    """Text files, of languages or not, of which nothing but the name is known, and why; sorted by path."""
    looked: bool = True
    """Whether the disk was looked at for whoever this snapshot was handed out to: else nobody knows what changed."""
    reports: ReportedProblems | None = None
    """What logs of other tools say, for an answer that tells of it; see `diagnoses`."""
    derivation: Derivation | None = None
    """What follows by rules about frameworks, strings and manifests."""
    memo: dict[str, object] = attrs.field(factory=dict[str, object], init=False, repr=False)
    """Answers that are functions of this snapshot, kept by the modules that compute them."""

    def files(self) -> Iterator[FilePath]:
        """All files that have facts, in order of path."""
        return (path for path, shard in self.shards.items() if shard.language)

    def facts(self, path: FilePath) -> FileFacts:
        """Facts of one file. Raises KeyError for a path outside the snapshot."""
        return self.reader.facts(self.shards[path])

    def surface(self, path: FilePath) -> Surface:
        """Surface of one file."""
        return self.reader.surface(self.shards[path])

    def links(self, path: FilePath) -> Links:
        """Links of one file, computed on demand, verified as far as verification goes."""
        own = self.own_links(path)
        return own if self.verification is None else self.verification.links(self, self.shards[path], own)

    def own_links(self, path: FilePath) -> Links:
        """Links of one file as graphls' own rules find them."""
        return self.reader.links(self, self.shards[path])

    def links_at(
        self, path: FilePath, occurrences: Collection[int], frame: bool = False, constructs: bool = False
    ) -> Links:
        """Links with every row that `links` has for these occurrences, without linking the whole file for them.

        Numbers of files and externals are those of the answer itself; `overrides` and `module_targets` are there
        with `frame` only, what constructs of the definitions that own these occurrences run with `constructs` only.
        """
        shard = self.shards[path]
        own = self.reader.links_at(self, shard, occurrences, frame, constructs)
        return own if self.verification is None else self.verification.links_at(self, shard, own, occurrences)

    def own_links_at(self, path: FilePath, occurrences: Collection[int], constructs: bool = False) -> Links:
        """The same by graphls' own rules, whatever a checker said."""
        return self.reader.links_at(self, self.shards[path], occurrences, False, constructs)

    def known_links(self, path: FilePath) -> Links | None:
        """Own links of one file if they were made before; makes none."""
        return self.reader.known_links(self, self.shards[path])

    def links_stamp(self, path: FilePath) -> str:
        """Names the contents of a file and all that its own links rest on; "" when that is not known at once."""
        return self.reader.links_stamp(self, self.shards[path])

    def links_state(self, path: FilePath) -> str:
        """Names all that the own links of a file rest on, as it is now, also where that changed and links did not."""
        return self.reader.links_state(self, self.shards[path])

    def reaching(self, ends: Collection[End]) -> ReachingFiles:
        """Files, sorted, whose links lead to any of these ends in other files."""
        found = self.reader.reaching(self, ends)
        if self.verification is None:
            return found
        more = {path for path in self.verification.reaching(ends) if path in self.shards}
        return ReachingFiles(tuple(sorted(more.union(found.files))), found.unsure) if more else found

    def take_in_links(self) -> None:
        """Has links that an earlier run made at hand: for who is about to go through many files."""
        self.reader.take_in_links(self)

    def link_failures(self) -> Mapping[FilePath, str]:
        """Files whose names are not resolved, and why: `unlinked`, and of the files that are linked those at which the
        resolver failed. Whatever these files use is unknown; each of their occurrences is an unresolved one."""
        found = self.reader.link_failures(self)
        if not self.unlinked:
            return found
        return dict(sorted({**found, **{file.path: file.reason for file in self.unlinked}}.items()))

    def not_linked(self) -> Set[FilePath]:
        """Files that nobody linked yet: what they use is not known without linking them."""
        return self.reader.not_linked(self)

    def renamed(self, ends: Collection[End]) -> Mapping[FilePath, Sequence[str]]:
        """Linked files that pass any of these ends on under another name (`default` for their default export)."""
        return self.reader.renamed(self, ends)

    def own_open_counts(self, language: str, name: int) -> Sequence[int] | None:
        """Uses of a defined name, as `open_names.same_name` spells it, that own links of all files of a language cannot
        tell the meaning of, by OpenKind; None where only each file can tell."""
        return self.reader.open_counts(self, language, name)

    def defined_names(self, language: str) -> Set[int]:
        """All names that files of a language define for others, as `open_names.same_name` spells them."""
        return self.reader.defined_names(self, language)

    def own_open_names(self, path: FilePath) -> OpenNames | None:
        """Uses in a file that its own links cannot tell the meaning of; None when it is not linked yet."""
        return self.reader.open_names(self, self.shards[path])

    def own_import_rows(self, path: FilePath) -> Sequence[ImportRow] | None:
        """Which files each line of a file imports, by its own links; None when that is not known at once."""
        return self.reader.import_rows(self, self.shards[path])

    def may_be_uncertain(self, path: FilePath) -> bool:
        """Whether a checker may know more about some use in a file; False only where that is known at once."""
        return self.reader.may_be_uncertain(self, self.shards[path])

    def text(self, path: FilePath) -> bytes | None:
        """The bytes behind the facts."""
        return self.reader.text(self.shards[path])

    def capabilities(self, path: FilePath) -> Capabilities | None:
        """What the language of a file can do, by its name where the file is not in the graph; None for a plain file."""
        shard = self.shards.get(path)
        return capabilities_for(path) if shard is None else capabilities_of(shard.language)

    def module_name(self, path: FilePath) -> ModuleName:
        """The module name of a file; the path itself where the language has none."""
        shard = self.shards.get(path)
        table = self.modules.get(shard.language) if shard else None
        return (table.names.get(path) if table else None) or ModuleName(path, False, "")

    def package_of(self, path: FilePath) -> str:
        """Name of the innermost declared package around a file, or the workspace's name."""
        return self.packages.get(self.package_folder(path), self.name)

    def package_folder(self, path: FilePath) -> FilePath:
        """Folder of that package, "" for the workspace."""
        folder = path.rpartition("/")[0]
        while folder and folder not in self.packages:
            folder = folder.rpartition("/")[0]
        return FilePath(folder)

    def outside(self, dotted: str) -> LibraryDefinition | None:
        """Where a library defines what a dotted name stands for; None when that is not known."""
        for table in self.modules.values():
            found = None if table.libraries is None else table.libraries.definition_of(dotted)
            if found is not None:
                return found
        return None

    def distribution(self, dotted: str) -> tuple[str, str]:
        """Name and version of the installed package that a dotted name belongs to; empty when that is not known."""
        for table in self.modules.values():
            found = ("", "") if table.libraries is None else table.libraries.distribution(dotted)
            if found[0]:
                return found
        return "", ""

    def files_with_name(self, name: str) -> tuple[FilePath, ...]:
        """Files that mention a name anywhere."""
        return self.reader.files_with_name(self, name)

    def definition_of_symbol(self, path: FilePath, symbol: int) -> int:
        """Row of `definitions` for a row of the same file's surface; -1 when there is none."""
        try:
            return self.facts(path).definitions.surface.index(symbol)
        except ValueError:
            return -1

    def targets(self, path: FilePath, occurrence: int) -> tuple[Target, ...]:
        """What one occurrence means, best first; empty when it is unresolved."""
        links = self.links_at(path, (occurrence,))
        return tuple(self.target(path, links, row) for row in rows_of(links.targets, occurrence))

    def type_targets(self, path: FilePath, occurrence: int) -> tuple[Target, ...]:
        """The classes that the value of one occurrence is an instance of, as far as code decides them."""
        links = self.reader.types_at(self, self.shards[path], (occurrence,))
        return tuple(self.target(path, links, row) for row in rows_of(links.targets, occurrence))

    def target(self, path: FilePath, links: Links, row: int) -> Target:
        """One row of a file's link targets, with places instead of numbers."""
        return self._target(path, links, links.targets, row, links.rules[row])

    def module_target(self, path: FilePath, links: Links, row: int) -> Target:
        """One row of a file's `module_targets`."""
        return self._target(path, links, links.module_targets, row, -1)

    def _target(self, path: FilePath, links: Links, table: Targets, row: int, rule: int) -> Target:
        symbol = table.symbol[row]
        place, external = None, ""
        if symbol == EXTERNAL:
            external = links.externals[table.file[row]]
        elif symbol == WHOLE_MODULE:
            place = SymbolRef(FilePath(links.files[table.file[row]]), -1)
        elif table.file[row] == OWN_FILE:
            place = SymbolRef(path, symbol)
        else:
            file = FilePath(links.files[table.file[row]])
            place = SymbolRef(file, self.definition_of_symbol(file, symbol))
        return Target(
            place=place,
            external=external,
            edge=EdgeKind(table.edge[row]),
            resolution=Resolution(table.resolution[row]),
            confidence=table.confidence[row] / 100,
            ambiguous=bool(table.ambiguous[row]),
            rule=rule,
        )


def without_disk_check(snapshot: Snapshot) -> Snapshot:
    """The same snapshot, handed out without a look at the disk."""
    return _with_memo(attrs.evolve(snapshot, looked=False), snapshot)


def with_pending(snapshot: Snapshot, paths: Collection[FilePath]) -> Snapshot:
    """The same snapshot, handed out while these files have edits that it does not show."""
    more = sorted({*paths}.difference(snapshot.pending))
    return _with_memo(attrs.evolve(snapshot, pending=(*snapshot.pending, *more)), snapshot) if more else snapshot


def _with_memo(seen: Snapshot, snapshot: Snapshot) -> Snapshot:
    # The same contents: what was kept for one is right for the other.
    object.__setattr__(seen, "memo", snapshot.memo)
    return seen


def rows_of(table: Targets, occurrence: int) -> range:
    """Rows of one occurrence; `Targets` is sorted by it."""

    return range(bisect_left(table.occurrence, occurrence), bisect_right(table.occurrence, occurrence))
