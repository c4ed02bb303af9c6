"""Contracts: edges between code that asks, code that answers, and what both name: routes, methods of services, keys.

Owns: what is offered in a workspace, which of it a use means.
Must not know: any particular framework or generator, how uses are found.
Invariant: an edge rests on a declaration on both sides; where a name means several declarations, all are possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from graphls.analysis.frameworks.code_signs import CodeMarks, files_marked
from graphls.analysis.frameworks.declared_nodes import ContractUse, FileDerivation, merged_edges
from graphls.analysis.frameworks.document_entries import document_of, entry_nodes, is_plain_document
from graphls.analysis.frameworks.member_routes import ACTION
from graphls.analysis.frameworks.procedures import ASKED_BY, CLIENT, PROCEDURE, caller_words, router_words
from graphls.analysis.frameworks.requests import ANY_METHOD
from graphls.analysis.frameworks.rules import NamePattern, RuleSet, applies_to
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DERIVED, DerivedNode
from graphls.graph.evidence import RawEdge
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.url_paths import fits, request_path, route_segments
from graphls.languages.config.environment import VARIABLE, is_environment_file

_MANIFEST: Final = "manifest_declared"
_RPC: Final = "rpc"
_KINDS: Final = ("http", _RPC, "key")
_PROTO: Final = ".proto"
_MOST: Final = 8
"""Declarations that one use may mean; a name that more have says nothing."""
_Route: TypeAlias = "tuple[DerivedNode, tuple[str, ...], frozenset[str]]"
"""A route, its segments, its methods."""
_Meant: TypeAlias = "tuple[Sequence[DerivedNode], bool]"
"""What a use means, and whether it is only one of these."""


class Contracts:
    """The edges of one snapshot."""

    def __init__(self, snapshot: Snapshot, rules: RuleSet, derived: Callable[[FilePath], FileDerivation]) -> None:
        self._snapshot = snapshot
        self._rules = rules
        self._derived = derived
        self._routes: Sequence[_Route] | None = None
        self._methods: Mapping[str, Sequence[tuple[str, DerivedNode]]] | None = None
        self._keys: Mapping[str, Sequence[DerivedNode]] | None = None
        self._uses: dict[str, Sequence[ContractUse]] = {}
        self._edges: dict[ContractUse, Sequence[RawEdge]] = {}

    def edges_from(self, path: FilePath) -> Sequence[RawEdge]:
        """Edges whose source is in one file."""
        return merged_edges(self._from(path))

    def _from(self, path: FilePath) -> Iterator[RawEdge]:
        for use in self._derived(path).uses:
            if not use.serves and use.kind in _KINDS:
                yield from self._of(use)
        if path.endswith(_PROTO) and is_plain_document(self._snapshot, path):
            served = (edge for use in self._all(_RPC) if use.serves for edge in self._of(use))
            yield from (edge for edge in served if _file(edge.source) == path)

    def edges_to(self, place: SymbolRef | DerivedNode) -> Sequence[RawEdge]:
        """Edges that end at one place."""
        return merged_edges(self._to(place))

    def _to(self, place: SymbolRef | DerivedNode) -> Iterator[RawEdge]:
        if isinstance(place, SymbolRef):
            for use in self._derived(place.file).uses:
                if use.serves and use.source == place and use.kind in _KINDS:
                    yield from self._of(use)
            return
        kind = _kind_of(place)
        for use in self._all(kind) if kind else ():
            if not use.serves:
                yield from (edge for edge in self._of(use) if edge.target == place)

    def answered_methods(self) -> Iterator[DerivedNode]:
        """Methods of services that code answers."""
        for use in self._all(_RPC):
            for edge in self._of(use) if use.serves else ():
                if isinstance(edge.source, DerivedNode) and edge.source.in_document:
                    yield edge.source

    def _of(self, use: ContractUse) -> Sequence[RawEdge]:
        known = self._edges.get(use)
        if known is None:
            known = self._edges[use] = tuple(self._made(use))
        return known

    def _made(self, use: ContractUse) -> Iterator[RawEdge]:
        nodes, unsure = self._meant(use)
        if len(nodes) > _MOST:
            return
        for node in nodes:
            about: dict[str, str | bool] = {"via": use.kind}
            if use.rule:
                about["rule"] = use.rule
            yield RawEdge(
                source=node if use.serves else use.source,
                target=use.source if use.serves else node,
                kind="handles" if use.serves else "references",
                provenance=DERIVED if use.kind == "http" else _MANIFEST,
                resolution="name",
                confidence=round(use.confidence * (1.0 / len(nodes) if unsure else 1.0), 4),
                ambiguous=unsure,
                sites=((use.source.file, use.start, use.end),),
                attributes=about,
            )

    # ---- what a use means

    def _meant(self, use: ContractUse) -> _Meant:
        if use.kind == "http":
            return self._route(use)
        return self._method(use) if use.kind == _RPC else self._key(use)

    def _route(self, use: ContractUse) -> _Meant:
        """The routes whose path is spelled most alike, of those with the method."""
        method, _, text = use.name.partition(" ")
        asked = request_path(text)
        if asked is None:
            return (), False
        best, most = list[DerivedNode](), -1
        for node, segments, methods in self._all_routes():
            if (node.test and node.file != use.source.file) or (node.subkind == PROCEDURE) != (use.rule == CLIENT):
                continue
            if ANY_METHOD not in (method, *methods) and methods and method not in methods:
                continue
            alike = fits(asked, segments)
            # A whole path is surer than one that may begin otherwise.
            alike = alike * 2 + (len(segments) == len(asked.segments)) if alike >= 0 else -1
            if alike > most:
                best, most = [node], alike
            elif alike == most and alike >= 0:
                best.append(node)
        near = _nearest(use, best)
        if len(near) > 1 and method == ANY_METHOD:
            near = self._called_alike(use, near)
        return near, len(near) > 1

    def _called_alike(self, use: ContractUse, routes: Sequence[DerivedNode]) -> Sequence[DerivedNode]:
        """Of several routes that whose handler gave the code its name, as tools do that write clients."""
        if use.source.definition < 0:
            return routes
        facts = self._snapshot.facts(use.source.file)
        own = _letters(facts.strings[facts.definitions.name[use.source.definition]])
        found = {route: most for route in routes if (most := max(map(len, self._handlers(route, own)), default=0))}
        most = max(found.values(), default=0)
        return [route for route, size in found.items() if size == most] or routes

    def _handlers(self, route: DerivedNode, own: str) -> Iterator[str]:
        """Names of functions that handle a route, as far as they are in another name."""
        for edge in self._derived(route.file).edges:
            target = edge.target
            if edge.source == route and edge.kind == "handles" and isinstance(target, SymbolRef):
                facts = self._snapshot.facts(target.file)
                name = (
                    _letters(facts.strings[facts.definitions.name[target.definition]]) if target.definition >= 0 else ""
                )
                if name and name in own:
                    yield name

    def _method(self, use: ContractUse) -> _Meant:
        """Methods of services of this name; one service may be declared alike in several files."""
        full, _, method = use.name.partition("/")
        package, _, service = full.rpartition(".")
        found = self._all_methods().get(_folded(f"{service}/{method}"), ())
        if package:
            found = [one for one in found if one[0] == package]
        return [node for _, node in found], len({package for package, _ in found}) > 1

    def _key(self, use: ContractUse) -> _Meant:
        known = self._all_keys().get(use.name, ())
        around = [node for node in known if is_environment_file(node.file) and _is_above(node.file, use.source.file)]
        deepest = max((node.file.count("/") for node in around), default=0)
        given = _nearest(use, [node for node in known if not is_environment_file(node.file)])
        found = [*(node for node in around if node.file.count("/") == deepest), *given] or known
        return found, len(found) > 1

    # ---- what is offered

    def _all_routes(self) -> Sequence[_Route]:
        if self._routes is None:
            found: list[_Route] = []
            for path, shard in self._snapshot.shards.items():
                for node in self._derived(path).nodes if shard.language else ():
                    about = dict(node.attributes)
                    spelled, methods = about.get("path"), about.get("methods")
                    if node.kind == "route" and isinstance(spelled, str) and not about.get("computed"):
                        segments = route_segments(spelled)
                        verbs = frozenset(methods) if isinstance(methods, tuple) else frozenset[str]()
                        verbs = frozenset((ANY_METHOD,)) if verbs & {"ALL", "ANY"} else verbs
                        found.append((node, segments, verbs))
                        below = () if node.subkind == ACTION else self._rules.below.get(str(about.get("rule")), ())
                        found += ((node, (*segments, *route_segments(rest)), verbs) for rest in below)
            self._routes = found
        return self._routes

    def _all_methods(self) -> Mapping[str, Sequence[tuple[str, DerivedNode]]]:
        if self._methods is None:
            found: dict[str, list[tuple[str, DerivedNode]]] = {}
            for path in self._snapshot.shards:
                if path.endswith(_PROTO) and is_plain_document(self._snapshot, path):
                    package = document_of(self._snapshot, path).package
                    for node in entry_nodes(self._snapshot, path):
                        if node.subkind == _RPC:
                            found.setdefault(_folded(node.name.replace(".", "/")), []).append((package, node))
            self._methods = found
        return self._methods

    def _all_keys(self) -> Mapping[str, Sequence[DerivedNode]]:
        if self._keys is None:
            found: dict[str, list[DerivedNode]] = {}
            for path in self._snapshot.shards:
                if is_plain_document(self._snapshot, path):
                    for node in entry_nodes(self._snapshot, path):
                        if node.subkind == VARIABLE:
                            found.setdefault(node.name.rpartition(".")[2], []).append(node)
            self._keys = found
        return self._keys

    # ---- who uses

    def _all(self, kind: str) -> Sequence[ContractUse]:
        known = self._uses.get(kind)
        if known is None:
            files = sorted(set(self._candidates(kind)))
            known = [use for path in files for use in self._derived(path).uses if use.kind == kind]
            self._uses[kind] = known
        return known

    def _candidates(self, kind: str) -> Iterator[FilePath]:
        """Files that may have uses of a kind, by the names that they spell."""
        snapshot = self._snapshot
        if kind == _RPC:
            yield from files_marked(snapshot, CodeMarks.REMOTE)
            for service in {key.partition("/")[0] for key in self._all_methods()}:
                for name in _generated_names(service):
                    yield from snapshot.files_with_name(name)
            return
        rules = self._rules
        tables = (rules.requests,) if kind == "http" else (rules.reads,)
        patterns = [one for table in tables for known in table.values() for one in known]
        if kind == "http" and router_words(snapshot):
            asking = (*sorted(ASKED_BY), *sorted(caller_words(snapshot)))
            yield from (path for name in asking for path in snapshot.files_with_name(name))
        if kind == "http":
            written = [path for path in snapshot.shards if any(applies_to(rule, path) for rule in rules.literals)]
            yield from (path for path in written if snapshot.shards[path].language)
        if kind == "key":
            patterns += [one for one in rules.bases if one.rule.yields == "key"]
        yield from self._named_by(patterns)

    def _named_by(self, patterns: Iterable[NamePattern]) -> Iterator[FilePath]:
        asked: set[str] = set()
        for pattern in patterns:
            last = pattern.text.rpartition(".")[2]
            name = last if pattern.rule.on == "read" or pattern.rule.files or "." not in pattern.text else pattern.root
            if name not in asked:
                asked.add(name)
                yield from self._snapshot.files_with_name(name)


def _generated_names(service: str) -> Iterator[str]:
    """Names by which code that deals with a service is found. A folded name begins with a small letter."""
    for name in {service, service[:1].upper() + service[1:]}:
        yield from (f"{name}{ending}" for ending in ("", "Servicer", "Stub", "Server", "Client", "Grpc", "ImplBase"))
        yield f"I{name}Server"
        yield f"I{name}Client"


def _folded(name: str) -> str:
    """Generators write the first letter of a method as their language does."""
    service, _, method = name.partition("/")
    return f"{service}/{method[:1].lower()}{method[1:]}"


def _letters(name: str) -> str:
    return name.replace("_", "").lower()


def _kind_of(node: DerivedNode) -> str:
    if node.kind == "route":
        return "http"
    return {_RPC: _RPC, VARIABLE: "key"}.get(node.subkind, "") if node.in_document else ""


def _file(end: SymbolRef | DerivedNode | str) -> str:
    return end if isinstance(end, str) else end.file


def _nearest(use: ContractUse, nodes: Sequence[DerivedNode]) -> Sequence[DerivedNode]:
    """Of several declarations those whose place shares a name with the place of the code, where some do."""
    if len(nodes) < 2:
        return nodes
    own = set(_words(use.source.file))
    shared = [len(own.intersection((*_words(node.file), *node.name.split(".")))) for node in nodes]
    most = max(shared)
    return [node for node, count in zip(nodes, shared, strict=True) if count == most]


def _is_above(path: str, other: str) -> bool:
    """Whether the folder of a file is that of another one or around it."""
    folder = path.rpartition("/")[0]
    return not folder or other.startswith(f"{folder}/")


def _words(path: str) -> Iterator[str]:
    *folders, name = path.split("/")
    yield from folders
    yield name.partition(".")[0]
