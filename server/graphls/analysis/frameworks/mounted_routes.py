"""Mounted routes: routes under the paths at which other code takes them in.

Owns: which mounts a route is under, the paths that come of it, nodes and edges with these.
Must not know: any particular framework, how mounts are read.
Invariant: a function of what all files say; a route that nothing takes in stays as its own file has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import attrs

from graphls.analysis.frameworks.code_signs import CodeMarks, code_marks, routing_files
from graphls.analysis.frameworks.declared_nodes import FileDerivation, Mount, anchored_nodes
from graphls.analysis.frameworks.procedures import router_words
from graphls.analysis.frameworks.routes import joined_path
from graphls.analysis.frameworks.rules import RuleSet, applies_to
from graphls.facts.kinds import DefinitionKind
from graphls.facts.links import WHOLE_MODULE
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode, Value
from graphls.graph.edges import RawEdge
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import Snapshot, SymbolRef

_MOST_PATHS = 8
_MOST_DEEP = 8


@attrs.frozen
class _DeclarationSite:
    """Where something is declared, and on which object."""

    file: FilePath
    start: int
    by: SymbolRef | None


class _MountPath(NamedTuple):
    """The path before that of a site."""

    path: str
    replaces: bool
    """It stands in the place of an own prefix."""
    verbatim: bool
    """What comes behind follows it as it is written."""


class MountedRoutes:
    """What is derived from the files of one snapshot, with the paths at which routes are met."""

    def __init__(self, snapshot: Snapshot, rules: RuleSet, derived: Callable[[FilePath], FileDerivation]) -> None:
        self._snapshot = snapshot
        self._rules = rules
        self._derived = derived
        self._made: dict[FilePath, tuple[FileDerivation, FileDerivation]] = {}
        self._mounters: frozenset[FilePath] | None = None
        self._included: dict[FilePath, list[Mount]] | None = None
        self._into: dict[FilePath, tuple[Mount, ...]] = {}
        self._whole: tuple[Mount, ...] | None = None

    def of(self, path: FilePath) -> FileDerivation:
        """All that is derived from one file."""
        found = self._derived(path)
        if not any(node.kind == "route" for node in found.nodes) or not self._mounting(path):
            return found
        known = self._made.get(path)
        if known is None or known[0] is not found:
            known = self._made[path] = (found, self._under(found))
        return known[1]

    def _mounting(self, path: FilePath) -> bool:
        """Whether some rule takes in routes of files like this one."""
        if any(applies_to(rule, path) for rule in self._rules.mounts.values()):
            return True
        return bool(code_marks(self._snapshot, path) & CodeMarks.ROUTES)

    def _mounts(self, home: FilePath) -> tuple[Mount, ...]:
        """The mounts of what is written in a file: only what leads there can take it in."""
        known = self._into.get(home)
        if known is None:
            ends = [(home, symbol) for symbol in range(len(self._snapshot.surface(home).symbols))]
            reaching = self._snapshot.reaching([(home, WHOLE_MODULE), *ends])
            near = self._all_mounters() & {home, *reaching.files, *reaching.unsure}
            found = (mount for path in sorted(near) for mount in self._derived(path).mounts if not mount.verbatim)
            known = (*(mount for mount in found if mount.where == home), *self._inclusions(home))
            self._into[home] = known
        return known

    def _all_mounters(self) -> frozenset[FilePath]:
        """Files with calls of the names that mounts have."""
        if self._mounters is None:
            rules, snapshot = self._rules, self._snapshot
            named = ((name, path) for name in rules.mounts for path in snapshot.files_with_name(name))
            routers = (path for name in router_words(snapshot) for path in snapshot.files_with_name(name))
            mounters = (path for name, path in named if rules.calls_in(path, name))
            self._mounters = frozenset((*routers, *mounters, *routing_files(snapshot)))
        return self._mounters

    def _inclusions(self, home: FilePath) -> Sequence[Mount]:
        """Mounts of what is written in a file by those who may name it in a string: no link leads from these to it."""
        includes = self._rules.includes
        if not any(applies_to(one.rule, home) for patterns in includes.values() for one in patterns):
            return ()
        if self._included is None:
            named = ((name, path) for name in includes for path in self._snapshot.files_with_name(name))
            found = {path for name, path in named if any(applies_to(one.rule, path) for one in includes[name])}
            included: dict[FilePath, list[Mount]] = {}
            for mount in (mount for path in sorted(found) for mount in self._derived(path).mounts if mount.verbatim):
                included.setdefault(mount.where, []).append(mount)
            self._included = included  # once it is whole: other threads ask too
        return self._included.get(home, ())

    def _under(self, found: FileDerivation) -> FileDerivation:
        origins: list[DerivedNode] = []
        made: list[DerivedNode] = []
        for node, owner in zip(found.nodes, found.owners, strict=True):
            for moved in self._moved(node, _DeclarationSite(node.file, node.start, owner)):
                origins.append(node)
                made.append(moved)
        become: dict[DerivedNode, list[DerivedNode]] = {}
        facts = self._snapshot.facts(found.nodes[0].file)
        for node, moved in zip(origins, anchored_nodes(made, facts), strict=True):
            become.setdefault(node, []).append(moved)
        nodes = tuple(node for known in found.nodes for node in become[known])
        edges = tuple(edge for known in found.edges for edge in _moved_edges(known, become))
        return attrs.evolve(found, nodes=nodes, edges=edges)

    def _moved(self, node: DerivedNode, site: _DeclarationSite) -> Iterator[DerivedNode]:
        about: dict[str, Value] = dict(node.attributes)
        path, own = about.get("path"), about.get("prefix", "")
        written = node.kind == "route" and not about.get("computed")
        paths = self._paths(site, frozenset()) if written and isinstance(path, str) else ()
        outer = self._of_package(node, str(path)) if paths else ""
        paths = (
            tuple(one._replace(path=joined_path(outer, one.path, slashes=True)) for one in paths) if outer else paths
        )
        if not isinstance(path, str) or not isinstance(own, str) or not any(before.path for before in paths):
            yield node
            return
        known = self._snapshot.capabilities(node.file)
        slashes = known is not None and known.routes_join_by_slash
        label = path or "/"
        for before in paths:
            full, prefix = _joined(before, path, own, slashes=slashes)
            name = node.name[: -len(label)] + (full or "/") if node.name.endswith(label) else node.name
            changed = {**about, "path": full, "prefix": prefix} if prefix else about
            yield attrs.evolve(node, name=name, attributes=tuple(changed.items()))

    def _of_package(self, node: DerivedNode, path: str) -> str:
        """The path before all routes of a framework in the package of a route; "" where several are given."""
        framework = str(dict(node.attributes).get("rule", "")).partition(".")[0]
        if self._whole is None:
            found = (mount for file in sorted(self._all_mounters()) for mount in self._derived(file).mounts)
            self._whole = tuple(mount for mount in found if mount.framework and not is_test_file(mount.file))
        package = self._snapshot.package_of(node.file)
        near = (mount for mount in self._whole if mount.framework == framework)
        there = [mount for mount in near if self._snapshot.package_of(mount.file) == package]
        prefixes = {mount.prefix for mount in there}
        left_out = {text.strip("/") for mount in there for text in mount.but}
        return prefixes.pop() if len(prefixes) == 1 and path.strip("/") not in left_out else ""

    def _paths(self, site: _DeclarationSite, seen: frozenset[Mount]) -> tuple[_MountPath, ...]:
        """Paths before that of a site; one that is empty where nothing takes it in, or what it takes in itself."""
        found: dict[_MountPath, None] = {}
        for mount in self._around(site) if len(seen) < _MOST_DEEP else ():
            if mount in seen:
                continue
            for before in self._paths(_DeclarationSite(mount.file, mount.start, mount.by), seen | {mount}):
                outer, inner = before.path, mount.prefix
                if mount.verbatim:
                    path = f"{outer}{inner}"
                else:
                    path = joined_path(outer, inner, slashes=True).rstrip("/") if outer or inner else ""
                found[_MountPath(path, mount.replaces, mount.verbatim)] = None
        return tuple(found)[:_MOST_PATHS] or (_MountPath("", False, False),)

    def _around(self, site: _DeclarationSite) -> tuple[Mount, ...]:
        """The mounts that take in what is declared at a site: of its object, else of the innermost code around it."""
        test = is_test_file(site.file)
        home = site.by.file if site.by is not None else site.file
        there = [mount for mount in self._mounts(home) if test or not is_test_file(mount.file)]
        named = tuple(mount for mount in there if mount.what is not None and mount.what == site.by)
        if named:
            return named
        here = [mount for mount in self._mounts(site.file) if test or not is_test_file(mount.file)]
        own = site.file, site.start
        inside = [mount for mount in here if (mount.file, mount.start) != own and self._holds(mount, site)]
        least = min((mount.span[1] - mount.span[0] for mount in inside), default=0)
        return tuple(mount for mount in inside if mount.span[1] - mount.span[0] == least)

    def _holds(self, mount: Mount, site: _DeclarationSite) -> bool:
        """Whether a site in the code of what is mounted declares something of it."""
        if not mount.span[0] <= site.start < mount.span[1]:
            return False
        if site.by is None:
            return not mount.made
        if mount.verbatim:
            return mount.what is None and site.by.file == mount.where
        table = self._snapshot.facts(site.by.file).definitions
        inside = site.by.file == mount.where and mount.span[0] <= table.start[site.by.definition] < mount.span[1]
        return inside and (mount.made or table.kind[site.by.definition] == DefinitionKind.PARAMETER)


def _joined(before: _MountPath, path: str, own: str, *, slashes: bool) -> tuple[str, str]:
    """A path behind another one, and the part of that which is its prefix. `own`: the prefix it has without it."""
    if before.verbatim:
        return f"{before.path}{path.lstrip('^')}", f"{before.path}{own}"
    inner, rest = (path.removeprefix(own), "") if before.replaces else (path, own)
    if not before.path:
        return inner, rest
    full = joined_path(before.path, inner, slashes=slashes)
    return full, joined_path(before.path, rest, slashes=slashes or bool(rest))


def _moved_edges(edge: RawEdge, become: Mapping[DerivedNode, list[DerivedNode]]) -> Iterator[RawEdge]:
    sources = become.get(edge.source, [edge.source]) if isinstance(edge.source, DerivedNode) else [edge.source]
    targets = become.get(edge.target, [edge.target]) if isinstance(edge.target, DerivedNode) else [edge.target]
    for source in sources:
        for target in targets:
            yield (
                edge
                if source is edge.source and target is edge.target
                else attrs.evolve(edge, source=source, target=target)
            )
