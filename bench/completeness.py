"""Completeness: what answers that say "complete" miss, and how many say without need that they are not.

    python bench/completeness.py ROOT [--environment FOLDER] [--typescript TSC] [--calls FILE] [--count N] [--seed N]
        [--show N] [--name NAME]

Symbols are sampled over all that a workspace defines. The uses of each are the union of what a checker says (ty for
Python, the `tsc` of TypeScript 7 for TypeScript and JavaScript where it is given): names in the syntax trees that lead
to the symbol; of the names that it cannot decide, those that may mean the symbol; of places that look a member up by a
name which they put together (`getattr(x, "as_" + vendor)`, `` x[`on${kind}`] ``), those whose parts in quotes fit
(`computed.py`); of words in files that no language reads, those that look like a name of it; and of calls that were
seen while a program ran (`--calls`, one JSON object a line: caller and callee as file, first line and name, and the
line of the call). Names that the checker leads elsewhere are no uses. Neither are those of which it says nothing while
graphls knows another meaning: they are counted as `unproven`.

Each symbol is asked about on every face (references, neighbors, show, impact, callers, trace, packs), in three states:
by a command that starts cold, in a session that still links, and once all is linked.

missed     answers that are marked complete and lack a use
needless   answers that are marked incomplete, although nothing is missing and nothing undecided, of all answers; who
           has a callable that is handed on as a value may call it, and no checker decides that
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Final

import attrs
import computed
import two_checkers
import two_compilers
from opinions import Opinion
from tree_sitter import Node

from graphls.context.pack import PackRequest, coverage, pack
from graphls.facts.kinds import DefinitionKind, Role
from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.edge_refs import Node as GraphNode
from graphls.graph.edge_refs import node_of
from graphls.graph.edges import edge_refs_at, edges_to
from graphls.graph.identity import node_id, symbol_name
from graphls.graph.nodes import container
from graphls.graph.nodes import sources as own_nodes
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import provider_for
from graphls.queries.call_hierarchy import callers
from graphls.queries.completeness import COMPLETE, Cause, Completeness
from graphls.queries.findable import names_in
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.neighborhood import NeighborhoodQuery, neighborhood
from graphls.queries.node import node
from graphls.queries.references import references
from graphls.queries.trace import FLOW, MAX_PATHS, TraceQuery, trace
from graphls.session.session import Session, SessionOptions
from graphls.settings.tree import PythonSettings, Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

_PATIENCE = 900
_SURE = 0.7
_MOST = 400
"""Occurrences of one name that are looked at; a name that is more frequent is not sampled."""
_USERS = 3
"""Uses of one symbol from which a way to it is asked for."""
_ROOM = 400_000
"""Tokens of a pack that has room for all it knows."""
_NAMES = two_compilers.NAMES | {"identifier"}
_COMPONENTS = (".vue", ".svelte", ".astro")
_VARIABLES = frozenset((DefinitionKind.FUNCTION, DefinitionKind.VARIABLE, DefinitionKind.CONSTANT))
_HOLDING = frozenset({*_VARIABLES, DefinitionKind.PARAMETER, DefinitionKind.FIELD} - {DefinitionKind.FUNCTION})
_NO_CODE = (".md", ".rst", ".adoc", ".txt", ".markdown", ".lock", ".sum", "-lock.json", "-lock.yaml")
"""Endings of prose, and of lists of packages that tools write: their words are no names of code."""

_MODULE = re.compile(rb"^\s*(?:import|export)\b|\brequire\(|\bexports\b", re.MULTILINE)

Spot = tuple[str, int]
"""File and byte offset."""


@attrs.frozen
class Site:
    path: FilePath
    start: int


@attrs.frozen
class Symbol:
    """One that was sampled: `uses` certainly mean it, `open` may."""

    place: SymbolRef
    name: str
    spelled: str
    uses: Set[Spot]
    held: Set[Spot]
    """Those of `uses` that name a variable which holds the symbol: TypeScript leads a call to both, and lists it among
    the references of the variable alone."""
    open: Set[Spot]
    unproven: int
    called_from: Set[tuple[str, int]]
    """File and line, from 1, of calls that were seen."""
    called_by_c: Set[tuple[str, int]]
    """Those at lines that do not spell the symbol, which stands in for a member outside: code in C called it, which a
    profile does not see. No answer of a graph of the workspace has them."""


@attrs.frozen
class Said:
    """What one face says of a symbol."""

    face: str
    complete: bool
    causes: str
    found: Set[Spot]


def main() -> int:
    """Prints one JSON object a state of the workspace."""
    chosen = _options()
    root = Path(chosen.root).resolve()
    with tempfile.TemporaryDirectory() as cache:
        session = _session(root, chosen, cache, link_all=True)
        try:
            assert session.wait("complete", _PATIENCE), "the workspace was not linked in time"
            snapshot = session.snapshot()
            symbols = list(_symbols(snapshot, root, chosen))
        finally:
            session.close()
    for state in ("cold", "linking", "complete"):
        with tempfile.TemporaryDirectory() as cache:
            session = _session(root, chosen, cache, link_all=state != "cold")
            try:
                assert session.wait("complete" if state == "complete" else "ready", _PATIENCE)
                _report(session, symbols, state, chosen)
            finally:
                session.close()
    return 0


def _session(root: Path, chosen: argparse.Namespace, cache: str, *, link_all: bool) -> Session:
    settings = Settings(python=PythonSettings(environment=chosen.environment))
    store = BlobStore(StoreOptions(cache))
    session = Session(Workspace.of([str(root)]), settings, store, SessionOptions(link_all=link_all, libraries=True))
    session.start()
    return session


# ---------------------------------------------------------------- what is so


def _symbols(snapshot: Snapshot, root: Path, chosen: argparse.Namespace) -> Iterator[Symbol]:
    places = [(path, row) for path in snapshot.files() for row in _rows(snapshot, path)]
    random.Random(chosen.seed).shuffle(places)
    tokens = _tokens(snapshot)
    wanted: list[tuple[SymbolRef, str]] = []
    for path, row in places:
        facts = snapshot.facts(path)
        name = facts.strings[facts.definitions.name[row]]
        if chosen.name and name not in chosen.name:
            continue
        if len(wanted) < chosen.count and name.isidentifier() and len(tokens.get(name, ())) <= _MOST:
            wanted.append((SymbolRef(path, row), name))
    opinions = _opinions(snapshot, root, chosen)
    sites = {site for _, name in wanted for site in tokens.get(name, ())}
    decided: dict[Site, frozenset[tuple[str, int]]] = {}
    for language, opinion in opinions.items():
        own = sorted(
            (site for site in sites if _asked_about(snapshot, site, language)), key=lambda site: (site.path, site.start)
        )
        decided.update({site: said.lines for site, said in opinion.ask(snapshot, own).items()})
    seen, patterns = _seen(chosen.calls), list(computed.patterns(snapshot))
    try:
        for place, name in wanted:
            yield _symbol(snapshot, place, name, tokens.get(name, ()), decided, seen, patterns)
    finally:
        for opinion in opinions.values():
            opinion.end()


def _rows(snapshot: Snapshot, path: FilePath) -> Iterator[int]:
    names = names_in(snapshot, path)
    for symbol in names.rows if len(names.rows) else ():
        row = snapshot.definition_of_symbol(path, symbol)
        if row >= 0:
            yield row


def _asked_about(snapshot: Snapshot, site: Site, language: str) -> bool:
    return snapshot.shards[site.path].language == language and not site.path.endswith(_COMPONENTS)


def _opinions(snapshot: Snapshot, root: Path, chosen: argparse.Namespace) -> Mapping[str, Opinion]:
    languages = {snapshot.shards[path].language for path in snapshot.files()}
    found: dict[str, Opinion] = {}
    if "python" in languages:
        found["python"] = two_checkers.asked("ty server", str(root), chosen.environment, opens=False)
    if "typescript" in languages and chosen.typescript:
        found["typescript"] = two_compilers.asked((chosen.typescript, "--lsp", "--stdio"), str(root), None)
    return found


def _tokens(snapshot: Snapshot) -> Mapping[str, Sequence[Site]]:
    """Identifiers of all syntax trees, by their text."""
    found: dict[str, list[Site]] = {}
    for path in snapshot.files():
        provider, text = provider_for(path), snapshot.text(path)
        if provider is None or text is None:
            continue
        if path.endswith(_COMPONENTS):
            # No checker reads them, and their parts are no tree of one grammar.
            facts = snapshot.facts(path)
            for start, name in zip(facts.occurrences.start, facts.occurrences.name, strict=True):
                found.setdefault(facts.strings[name], []).append(Site(path, start))
            continue
        pending: list[Node] = [provider.parser(path).parse(text).root_node]
        while pending:
            one = pending.pop()
            if one.type in _NAMES and not _is_keyword(one) and not _reads_constructor(one):
                found.setdefault(text[one.start_byte : one.end_byte].decode(errors="replace"), []).append(
                    Site(path, one.start_byte)
                )
            pending.extend(one.children)
    return found


def _is_keyword(token: Node) -> bool:
    """The name of an argument says what a parameter is called, not what is used."""
    above = token.parent
    return above is not None and above.type == "keyword_argument" and above.child_by_field_name("name") == token


def _reads_constructor(token: Node) -> bool:
    """`fn.constructor.name`: what made a value, which runs no `constructor` unless it is called."""
    if token.text != b"constructor" or token.type != "property_identifier":
        return False
    holder = token.parent
    if holder is None or holder.type != "member_expression":
        return False
    above = holder.parent
    called = () if above is None else (above.child_by_field_name(name) for name in ("function", "constructor"))
    return holder not in called


def _symbol(
    snapshot: Snapshot,
    place: SymbolRef,
    name: str,
    tokens: Sequence[Site],
    decided: Mapping[Site, frozenset[tuple[str, int]]],
    seen: Mapping[tuple[str, int], Set[tuple[str, int]]],
    patterns: Sequence[tuple[re.Pattern[str], Spot]],
) -> Symbol:
    facts = snapshot.facts(place.file)
    line = facts.line_column(facts.definitions.start[place.definition])[0]
    uses, held, undecided, unproven = set[Spot](), set[Spot](), set[Spot](), 0
    language = snapshot.shards[place.file].language
    for site in tokens:
        if snapshot.shards[site.path].language != language or _declares(snapshot, site):
            continue
        lines = decided.get(site, frozenset())
        if (place.file, line) in lines:
            uses.add((site.path, site.start))
            if any(_declares_variable(snapshot, said, name) for said in lines - {(place.file, line)}):
                held.add((site.path, site.start))
        elif not lines and (site in decided or site.path.endswith(_COMPONENTS)):
            if _known_elsewhere(snapshot, place, site):
                unproven += 1
            elif _may_mean(snapshot, place, site):
                undecided.add((site.path, site.start))
    undecided |= set(_words(snapshot, place, name))
    undecided |= {spot for pattern, spot in patterns if pattern.fullmatch(name) and _is_of(snapshot, language, spot)}
    first = facts.line_column(facts.definitions.full_start[place.definition])[0] + 1
    called = seen.get((place.file, first), seen.get((place.file, line + 1), frozenset()))
    outside = bool(called) and _stands_in_for_outside(snapshot, place, name)
    by_c = {spot for spot in called if outside and not _spells(snapshot, spot, name)}
    return Symbol(place, name, symbol_name(snapshot, place), uses, held, undecided, unproven, called, by_c)


def _spells(snapshot: Snapshot, spot: Spot, name: str) -> bool:
    text = snapshot.text(FilePath(spot[0])) or b""
    return name.encode() in text.split(b"\n")[spot[1] - 1]


def _targets(snapshot: Snapshot, place: SymbolRef, *kinds: str) -> Sequence[GraphNode]:
    """The other ends of a place's edges of some kinds."""
    return [node_of(ref.target_key) for ref in edge_refs_at(snapshot, place, incoming=False) if ref.kind in kinds]


def _stands_in_for_outside(snapshot: Snapshot, place: SymbolRef, name: str) -> bool:
    """Whether a class outside declares a member of this name that the place takes the part of."""
    owner = container(snapshot.facts(place.file), place.definition)
    if owner < 0:
        return False
    bases = _targets(snapshot, SymbolRef(place.file, owner), "extends")
    return any(isinstance(base, str) and snapshot.outside(f"{base}.{name}") is not None for base in bases)


def _is_of(snapshot: Snapshot, language: str, spot: Spot) -> bool:
    return snapshot.shards[FilePath(spot[0])].language == language


def _declares_variable(snapshot: Snapshot, said: tuple[str, int], name: str) -> bool:
    """Whether a variable or a member of a name stands on a line, from 0."""
    path = FilePath(said[0])
    if path not in snapshot.shards or not snapshot.shards[path].language:
        return False
    facts = snapshot.facts(path)
    table = facts.definitions
    return any(
        kind in _HOLDING
        and facts.strings[table.name[row]] == name
        and facts.line_column(table.start[row])[0] == said[1]
        for row, kind in enumerate(table.kind)
    )


def _declares(snapshot: Snapshot, site: Site) -> bool:
    return site.start in snapshot.facts(site.path).definitions.start


def _occurrence(snapshot: Snapshot, site: Site) -> int:
    try:
        return snapshot.facts(site.path).occurrences.start.index(site.start)
    except ValueError:
        return -1


def _known_elsewhere(snapshot: Snapshot, place: SymbolRef, site: Site) -> bool:
    row = _occurrence(snapshot, site)
    targets = snapshot.targets(site.path, row) if row >= 0 else ()
    # Of several that may be meant each is unlikely; all of them together are what graphls knows.
    return sum(target.confidence for target in targets) >= _SURE and all(target.place != place for target in targets)


def _may_mean(snapshot: Snapshot, place: SymbolRef, site: Site) -> bool:
    """A plain name means no member; other files can name what a module exports, and all of a script of a page."""
    text = snapshot.text(site.path) or b""
    facts = snapshot.facts(place.file)
    dotted = text[: site.start].rstrip().endswith(b".")
    own = facts.strings[facts.definitions.name[place.definition]] != "default"
    if own and place.file.endswith(_COMPONENTS) and facts.definitions.kind[place.definition] in _VARIABLES:
        # What a script of a component declares is no member of it.
        return site.path == place.file and not dotted
    if facts.definitions.scope[place.definition] > 0:
        return dotted
    name = facts.strings[facts.definitions.name[place.definition]]
    return (
        site.path == place.file
        or snapshot.shards[place.file].language == "python"
        or _exports(snapshot, place.file, name)
    )


def _exports(snapshot: Snapshot, path: FilePath, name: str) -> bool:
    text, word = snapshot.text(path) or b"", rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])"
    if not path.endswith(_COMPONENTS) and not _MODULE.search(text):
        return True
    listed = rb"\bexport\b[^\n;]*?", rb"\bexport\s*\{[^}]*?", rb"\bexports\b(?:(?!\bfunction\b)[^;])*?"
    return any(re.search(before + word, text) for before in listed)


def _words(snapshot: Snapshot, place: SymbolRef, name: str) -> Iterator[Spot]:
    """Words of files that nobody reads, where they look like the name of the symbol."""
    stem = place.file.rpartition("/")[2].partition(".")[0]
    home = re.escape(stem.encode())
    word = rb"(?<![\w$-])" + re.escape(name.encode()) + rb"(?![\w$-])"
    before = rb"\b" + home + rb"[.:]"
    whole, data = re.compile(rb"(?:" + before + rb"|import[^\n;]*?)" + word), re.compile(before + word)
    for path, shard in snapshot.shards.items():
        if shard.language or path.endswith(_NO_CODE):
            continue
        text = snapshot.text(path) or b""
        if name.encode() in text:
            pattern = data if path.endswith(".json") else whole
            yield from ((path, found.end() - len(name.encode())) for found in pattern.finditer(text))


def _seen(calls: str) -> Mapping[tuple[str, int], Set[tuple[str, int]]]:
    """Where a callee (file and first line) was called from."""
    found: dict[tuple[str, int], set[tuple[str, int]]] = {}
    for line in Path(calls).read_text().splitlines() if calls else ():
        record = json.loads(line)
        callee, caller = record["callee"], record["caller"]
        is_body = callee[0] == caller[0] and callee[1] == record["line"]  # a class statement runs what is in it
        if record.get("via") is None and not is_body:
            found.setdefault((callee[0], callee[1]), set()).add((caller[0], record["line"]))
    return found


# ---------------------------------------------------------------- what is said


_BEYOND: Final = ("passed_value", "used_outside", "passed_value used_outside")
"""Causes that speak of code which nobody here can see: no search of the workspace proves them needless."""


def _report(session: Session, symbols: Sequence[Symbol], state: str, chosen: argparse.Namespace) -> None:
    count: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    shown: dict[str, list[str]] = {"missed": [], "needless": []}
    for symbol in symbols:
        snapshot = session.snapshot()
        for said in _faces(snapshot, symbol):
            count["answers"] += 1
            count["complete"] += said.complete
            missing = _missing(snapshot, symbol, said)
            if said.complete and missing:
                count["missed"] += 1
                count[f"missed {said.face}"] += 1
                shown["missed"].append(f"{said.face} {symbol.spelled}: {', '.join(sorted(missing)[:3])}")
            elif not said.complete and not missing and not symbol.open and said.causes not in _BEYOND:
                count["needless"] += 1
                causes[said.causes] += 1
                shown["needless"].append(f"{said.face} {symbol.spelled}: {said.causes}")
    share = round(count["needless"] / max(count["answers"], 1), 3)
    figures = {"workspace": Path(chosen.root).name, "state": state, "symbols": len(symbols), **count}
    print(
        json.dumps({**figures, "needless_share": share, "unproven": sum(one.unproven for one in symbols)}), flush=True
    )
    for kind, lines in shown.items():
        for line in lines[: chosen.show]:
            print(f"  {kind}: {line}")
    if chosen.show:
        print(f"  causes of needless: {dict(causes.most_common(6))}", flush=True)


def _faces(snapshot: Snapshot, symbol: Symbol) -> Iterator[Said]:
    place = symbol.place
    listed = references(snapshot, place)
    uses = {(use.file, use.start) for use in listed.uses}
    edges = {(str(site[0]), site[1]) for edge in edges_to(snapshot, place) for site in edge.sites}
    yield _said("references", listed.completeness, uses)
    near = neighborhood(snapshot, place, NeighborhoodQuery(direction="in", limit=2_000))
    if not near.coverage.truncated:
        yield _said("neighbors", near.coverage.completeness, uses | edges | _calls_above(snapshot, place))
    yield _said("show", node(snapshot, place).coverage.completeness, uses | edges)
    around = impact(snapshot, ImpactQuery(place, depth=1))
    yield _said("impact", around.coverage.completeness, uses | edges)
    calling = callers(snapshot, place)
    called = {(str(site.file), site.start) for one in calling.calls for site in one.sites}
    yield _said("callers", calling.completeness, uses | edges | called)
    yield from _traces(snapshot, symbol, uses | edges)
    yield from _packs(snapshot, place)


def _calls_above(snapshot: Snapshot, place: SymbolRef) -> Set[Spot]:
    """Uses of the members that a member stands in for: a neighborhood shows these, one step away."""
    return {
        (str(site[0]), site[1])
        for member in _targets(snapshot, place, "overrides", "implements")
        if isinstance(member, SymbolRef)
        for edge in edges_to(snapshot, member)
        for site in edge.sites
    }


def _traces(snapshot: Snapshot, symbol: Symbol, known: Set[Spot]) -> Iterator[Said]:
    """One step back from a symbol; then from some of those that surely use it to it."""
    place = symbol.place
    around = trace(snapshot, TraceQuery(place, direction="in", depth=1, paths=MAX_PATHS))
    if not around.coverage.truncated:
        walked = {
            (str(site[0]), site[1])
            for path in around.paths
            for edge in (*path.edges, *path.parallel)
            for site in edge.sites
        }
        besides = {
            (str(site[0]), site[1])
            for edge in edges_to(snapshot, place)
            if edge.kind not in FLOW
            for site in edge.sites
        }
        yield _said("trace", around.coverage.completeness, walked | besides)
    for path, start in sorted(symbol.uses)[:_USERS]:
        site = Site(FilePath(path), start)
        row = _occurrence(snapshot, site)
        facts = snapshot.facts(site.path)
        owner = facts.occurrences.owner[row] if row >= 0 else -1
        if (
            owner < 0
            or facts.occurrences.role[row] in (Role.IMPORT, Role.EXPORT)
            or SymbolRef(site.path, owner) == place
        ):
            continue
        for user in own_nodes(facts, {owner}).get(owner, ()):
            way = trace(snapshot, TraceQuery(SymbolRef(site.path, user), place, depth=2))
            # Whether there are more ways nobody asked: one is enough.
            lacking = way.coverage.completeness if not way.paths else COMPLETE
            gaps = " ".join(sorted({str(gap.cause) for gap in lacking.gaps}))
            yield Said(
                "trace to", not gaps, gaps, symbol.uses | symbol.open if way.paths else symbol.uses - {(path, start)}
            )


def _packs(snapshot: Snapshot, place: SymbolRef) -> Iterator[Said]:
    """A pack with room for everything: who uses the symbol stands in one of its items."""
    request = PackRequest(nodes=(node_id(snapshot, place),), budget=_ROOM)
    made = pack(snapshot, request)
    lacking = coverage(snapshot, request, made)
    if lacking.truncated:
        return
    found: set[Spot] = set()
    for item in made.items:
        text = snapshot.text(item.file) or b""
        lines = LineIndex(text)
        starts = snapshot.facts(item.file).occurrences.start
        found |= {
            (item.file, start)
            for start in starts
            if item.whole_start <= lines.position(start, "utf-8")[0] + 1 <= item.whole_end
        }
    causes = sorted({str(gap.cause) for gap in lacking.completeness.gaps if gap.direction == "in"})
    yield Said("pack", not causes, " ".join(causes), found | _brought(snapshot, place))


def _brought(snapshot: Snapshot, place: SymbolRef) -> Set[Spot]:
    """Imports of the symbol: no pack shows them."""
    bringing = (Role.IMPORT, Role.EXPORT)
    return {(use.file, use.start) for use in references(snapshot, place).uses if use.role in bringing}


def _said(face: str, lacking: Completeness, found: Set[Spot]) -> Said:
    causes = sorted({str(gap.cause) for gap in lacking.gaps if gap.direction == "in"})
    return Said(face, not causes, " ".join(causes), found)


def _missing(snapshot: Snapshot, symbol: Symbol, said: Said) -> Set[str]:
    due = symbol.uses - symbol.held if said.face == "references" else symbol.uses
    wanted = {spot for spot in due | symbol.open if spot not in said.found}
    lines = {f"{path}:{_line(snapshot, path, start)}" for path, start in wanted}
    if said.face == "callers":
        lines = {f"{path}:{_line(snapshot, path, start)}" for path, start in wanted if _is_call(snapshot, path, start)}
    # A neighborhood shows where a callable is handed on; who has it may call it.
    gaps = callers(snapshot, symbol.place).completeness.gaps if said.face == "neighbors" else ()
    handed_on = any(gap.cause == Cause.VALUE for gap in gaps)
    if said.face in ("callers", "neighbors") and not handed_on:
        known = {(path, _line(snapshot, path, start)) for path, start in said.found}
        known |= symbol.called_by_c
        lines |= {f"{path}:{line} (ran)" for path, line in symbol.called_from if (path, line) not in known}
    return lines


def _is_call(snapshot: Snapshot, path: str, start: int) -> bool:
    """Whether a use runs what it names; so does a place that is no name in code."""
    site = Site(FilePath(path), start)
    row = _occurrence(snapshot, site) if snapshot.shards[site.path].language else -1
    return row < 0 or snapshot.facts(site.path).occurrences.role[row] in (Role.CALL, Role.DECORATE)


def _line(snapshot: Snapshot, path: str, start: int) -> int:
    return LineIndex(snapshot.text(FilePath(path)) or b"").position(start, "utf-8")[0] + 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("root")
    parser.add_argument("--environment", default="", help="folder of a virtual environment")
    parser.add_argument("--typescript", default="", help="the tsc of TypeScript 7")
    parser.add_argument("--calls", default="", help="calls that were seen while a program ran, one JSON object a line")
    parser.add_argument("--count", type=int, default=200, help="symbols that are asked about")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--name", action="append", default=[], help="only symbols of this name")
    parser.add_argument("--show", type=int, default=0, help="examples of each kind")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
