"""Pack: the code that a task needs, ranked and within a budget.

Owns: the request and the answer, the order of the steps from one to the other.
Must not know: LSP types, the command line, how any step works.
Invariant: reads one snapshot; same contents and request, same pack, whatever was asked before.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from typing import Final, Literal

import attrs

from graphls.context.candidates import Candidate, Candidates, Reason, UnitKey
from graphls.context.completeness import pack_coverage
from graphls.context.covering_tests import Covering, covering_tests
from graphls.context.expansion import LinkedUnits, link_scores
from graphls.context.explain import explanation, reason_text
from graphls.context.feedback import Verdict, add_feedback
from graphls.context.files import copies, corpus, worth
from graphls.context.governing_decisions import PackDecision, governing_decisions
from graphls.context.implementations import add_implementations
from graphls.context.left_out import LeftOut, how_to_get, left_out
from graphls.context.packing import Detail, PackedFragments, PackFragment, SourceLines, pack_fragments
from graphls.context.past_changes import add_history
from graphls.context.ranking import Ranking, rank
from graphls.context.recent_changes import add_recent
from graphls.context.seeds import SeedContext, add_explicit, add_given, add_lexical, words_of
from graphls.context.structural_features import StructuralFeatures
from graphls.context.terms import Task, read_task
from graphls.context.weights import Weights, weights_of
from graphls.facts.paths import FilePath
from graphls.graph.addresses import digest_of, format_id
from graphls.graph.errors import BadRequest, NotInGraph
from graphls.graph.identity import node_id, symbol_name
from graphls.graph.request_budget import BudgetSpentError, PartOfBudget, is_spent_to
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage, Next, answer
from graphls.queries.symbol_lookup import one_symbol
from graphls.sources.git_log import CommitPaths
from graphls.sources.git_patches import RecentPatch

Format = Literal["json", "compact", "markdown"]
TOKENIZER: Final = "ceil(characters / 4)"
_PART_OF_LINKS: Final = 0.7
"""Of a request, up to which what is linked to the best is looked for; the rest is for showing what was found."""


@attrs.frozen(kw_only=True)
class PackRequest:
    """What a pack is asked for. At least one of `task`, `files` and `nodes` says something."""

    task: str = ""
    files: tuple[FilePath, ...] = ()
    """Files that matter."""
    nodes: tuple[str, ...] = ()
    """Ids or symbols that matter."""
    budget: int = 8000
    """Tokens, for the text of all items, tests and names of what is left out; for all text in a format that is text."""
    weights: Mapping[str, float] = attrs.field(factory=dict[str, float])
    """Numbers of `Weights` that are changed."""
    explain: bool = False
    format: Format = "json"
    feedback: tuple[Verdict, ...] = ()
    """What was said about items of earlier packs."""
    at: str = ""
    """The commit whose state is asked, "" for what is checked out: only commits up to it count."""
    history: tuple[CommitPaths, ...] = ()
    """What earlier commits changed, newest first."""
    patches: tuple[RecentPatch, ...] = ()
    """What the last commits changed in the files, and what was not committed, newest first."""
    tests: bool | None = None
    """Whether tests, examples and documentation take part; None: when the task is about them."""


@attrs.frozen(kw_only=True)
class Item:
    """Lines of one declaration, and why they are here. Lines count from 1, the last is included."""

    file: FilePath
    start_line: int
    end_line: int
    text: str
    detail: Detail
    """`signature`: its head; `documented`: that and what it says of itself; `body`: all of it; `elided`: the beginning
    of one that is too long, of which telling lines follow, each stretch as a `part`."""
    whole_start: int
    """First line of the declaration; what lies between its items is elided."""
    whole_end: int
    node: str
    symbol: str
    score: float
    reason: str
    tokens: int
    also: tuple[str, ...] = ()
    """Ids of further declarations that these lines show; the item is about all of them."""


@attrs.frozen(kw_only=True)
class PackLink:
    """A link between two items, by number in the list."""

    source: int
    target: int
    kind: str


@attrs.frozen(kw_only=True)
class Pack:
    """The answer: items, most valuable first."""

    id: str
    task: str
    budget: int
    used: int
    tokenizer: str
    items: tuple[Item, ...]
    links: tuple[PackLink, ...]
    tests: tuple[Covering, ...]
    """Tests that cover items, those of the best items first."""
    decisions: tuple[PackDecision, ...]
    """Decisions that govern items."""
    left_out: tuple[LeftOut, ...]
    """The best declarations that found no room, by name."""
    omitted: int
    """Declarations that were ranked and found no room, those named among them."""
    more: str
    """How to get what was left out."""
    complete: bool
    next: str
    """`answer`, `inspect` or `clarify`: what to do with the pack."""
    explanation: Mapping[str, object]
    """Seeds, words, weights and merits, when the request asks for them."""


def pack(snapshot: Snapshot, request: PackRequest) -> Pack:
    """The pack for a request. Raises GraphError for a request that makes no sense."""
    weights, task = weights_of(request.weights), read_task(request.task)
    if not request.task.strip():
        # Beside what a request names all else is unlikely; what that is linked to is wanted all the same.
        weights = attrs.evolve(weights, unlikely=0.0)
    found = _rank(snapshot, request, weights, task)
    sources = SourceLines(snapshot, found.words.rarity)
    aside = int(request.budget * (weights.tests_named + weights.left_out))
    packed = pack_fragments(sources, found.ranked, request.budget - aside, weights)
    return _answer(found.context, request, _RankedPack(task, found.ranked, packed, sources), found.links)


def ranked_declarations(snapshot: Snapshot, request: PackRequest) -> tuple[list[Candidate], Ranking]:
    """What a pack for the request takes its items from, best first, and how its words are spread."""
    found = _rank(snapshot, request, weights_of(request.weights), read_task(request.task))
    return found.ranked, found.words


@attrs.frozen
class _RankedDeclarations:
    """The steps before anything is cut to a budget."""

    context: SeedContext
    words: Ranking
    ranked: list[Candidate]
    links: LinkedUnits


def _rank(snapshot: Snapshot, request: PackRequest, weights: Weights, task: Task) -> _RankedDeclarations:
    places = _check_request(snapshot, request)
    asides = request.tests if request.tests is not None else task.about_tests
    named = frozenset((*request.files, *(place.file for place in places)))
    context = SeedContext(snapshot, corpus(snapshot, asides=asides, named=named), weights)
    ranking = rank(context.corpus, words_of(task, weights), weights)
    found = Candidates()
    add_lexical(context, task, ranking, found)
    add_explicit(context, task, found)
    add_given(context, places, request.files, found)
    links = _expand(context, ranking, found)
    if weights.graph:
        # What was found so far is ranked; the answer says that it is less.
        with contextlib.suppress(BudgetSpentError), PartOfBudget(_PART_OF_LINKS):
            add_implementations(context, places, found)
    StructuralFeatures(context.corpus, ranking, weights).add(found)
    add_history(task, request.history, weights, found)
    add_recent(snapshot, context.corpus, request.patches, weights, found)
    add_feedback(context, task, request.feedback, found)
    _value(context, task, found, named)
    ranked = [candidate for candidate in found.ranked() if candidate.score > 0]
    return _RankedDeclarations(context, ranking, ranked, links)


def _check_request(snapshot: Snapshot, request: PackRequest) -> tuple[SymbolRef, ...]:
    if not (request.task.strip() or request.files or request.nodes):
        raise BadRequest("Say what the pack is for: a task, files or nodes.")
    if request.budget < 1:
        raise BadRequest("The budget must be at least 1 token.")
    for path in request.files:
        if path not in snapshot.shards:
            raise NotInGraph(path)
    return tuple(one_symbol(snapshot, node) for node in request.nodes)


def _value(context: SeedContext, task: Task, found: Candidates, named: frozenset[FilePath]) -> None:
    known: dict[FilePath, float] = {}
    repeated = copies((candidate.key for candidate in found), context.corpus)
    for candidate in found:
        path = candidate.key.file
        if path not in known:
            about, terms = task.about_tests, context.corpus[path]
            known[path] = 1.0 if path in named else worth(path, terms, context.weights, about_tests=about)
        candidate.factor = known[path] * (context.weights.copy if candidate.key in repeated else 1.0)


def _expand(context: SeedContext, ranking: Ranking, found: Candidates) -> LinkedUnits:
    """Add what has links with declarations whose words fit, or which the task or the request names."""
    weights = context.weights
    links = LinkedUnits(context.snapshot, context.corpus, weights)
    if not weights.graph:
        return links
    spelled_out = {candidate.key: min(candidate.strength, 1.0) for candidate in found}
    best = found.ranked()[: weights.reach]
    links.read(frozenset(candidate.key.file for candidate in best))
    there = link_scores(links, lambda key: max(ranking.score(key), spelled_out.get(key, 0.0)))
    most = math.log1p(max((end.mass for end in there.values()), default=0.0)) or 1.0
    for key, end in sorted(there.items(), key=lambda pair: (-pair[1].mass, pair[0].file, pair[0].unit)):
        if is_spent_to(_PART_OF_LINKS):
            break
        reason = Reason("links", weights.graph * math.log1p(end.mass) / most, f"{end.kind} {_symbol(context, end.via)}")
        found.add(key, context.corpus[key.file].starts[key.unit], reason)
    return links


@attrs.frozen
class _RankedPack:
    """What the steps came to."""

    task: Task
    ranked: list[Candidate]
    packed: PackedFragments
    sources: SourceLines


def _answer(context: SeedContext, request: PackRequest, made: _RankedPack, links: LinkedUnits) -> Pack:
    ranked, packed, weights = made.ranked, made.packed, context.weights
    by_key = {candidate.key: candidate for candidate in ranked}
    items = tuple(
        _item(made.sources, context.snapshot, fragment, by_key[fragment.key]) for fragment in packed.fragments
    )
    shown = [by_key[fragment.key] for fragment in packed.fragments]
    item_numbers: dict[UnitKey, int] = {}
    for number, fragment in enumerate(packed.fragments):
        for key in (fragment.key, *fragment.also):
            item_numbers.setdefault(key, number)
    room = int(request.budget * weights.tests_named)
    tests = covering_tests(context.snapshot, context.corpus, item_numbers, room) if room else ()
    used = packed.used + sum(test.tokens for test in tests)
    room = min(int(request.budget * weights.left_out), request.budget - used)
    governed = {made.sources.place(key): number for key, number in item_numbers.items()}
    decided = governing_decisions(context.snapshot, governed, room)
    room -= sum(row.tokens for row in decided)
    left = left_out(context.snapshot, made.sources, packed.rest, room)
    used += sum(row.tokens for row in (*decided, *left))
    envelope = answer(context.snapshot, _coverage(context.snapshot, request, items, len(packed.rest)), next_step(items))
    return Pack(
        id=_id(request, items, (*tests, *left), decided),
        task=request.task,
        budget=request.budget,
        used=used,
        tokenizer=TOKENIZER,
        items=items,
        links=_links(links, item_numbers),
        tests=tests,
        decisions=decided,
        left_out=left,
        omitted=len(packed.rest),
        more=how_to_get(request.budget, left, len(packed.rest)),
        complete=envelope.complete,
        next=envelope.next.kind,
        explanation=explanation(made.task, weights, shown) if request.explain else {},
    )


def coverage(snapshot: Snapshot, request: PackRequest, made: Pack) -> Coverage:
    """What a pack that was made for a request lacks."""
    return _coverage(snapshot, request, made.items, made.omitted)


def next_step(items: Sequence[Item]) -> Next:
    """What to do with a pack: one without items asks for other words."""
    if items:
        return Next("answer", symbol=items[0].symbol)
    return Next("clarify", reason="no declaration fits the request: use other words, or name files or symbols")


def _coverage(snapshot: Snapshot, request: PackRequest, items: Sequence[Item], omitted: int) -> Coverage:
    places = tuple(one_symbol(snapshot, node) for node in request.nodes)
    needs_ranking = bool(request.task.strip() or request.files)
    shown = {node: (item.whole_start, item.whole_end) for item in items for node in (item.node, *item.also)}
    return pack_coverage(snapshot, places, shown, needs_ranking=needs_ranking, omitted=omitted)


def _item(sources: SourceLines, snapshot: Snapshot, fragment: PackFragment, candidate: Candidate) -> Item:
    return Item(
        file=fragment.key.file,
        start_line=fragment.start_line,
        end_line=fragment.end_line,
        text=fragment.text,
        detail=fragment.detail,
        whole_start=fragment.whole[0],
        whole_end=fragment.whole[1],
        node=node_id(snapshot, fragment.place),
        symbol=symbol_name(snapshot, fragment.place),
        score=round(fragment.score, 4),
        reason=reason_text(candidate),
        tokens=fragment.tokens,
        also=tuple(node_id(snapshot, sources.place(key)) for key in fragment.also),
    )


def _links(links: LinkedUnits, item_numbers: Mapping[UnitKey, int]) -> tuple[PackLink, ...]:
    found = {
        PackLink(source=number, target=item_numbers[step.target], kind=step.kind)
        for key, number in item_numbers.items()
        for step in links.forward(key)
        if item_numbers.get(step.target, number) != number
    }
    return tuple(sorted(found, key=lambda link: (link.source, link.target, link.kind)))


def _symbol(context: SeedContext, key: UnitKey) -> str:
    row = context.corpus[key.file].rows[key.unit]
    return symbol_name(context.snapshot, SymbolRef(key.file, row))


def _id(
    request: PackRequest,
    items: tuple[Item, ...],
    rows: tuple[Covering | LeftOut, ...],
    decided: tuple[PackDecision, ...],
) -> str:
    parts = [f"{item.file}:{item.start_line}-{item.end_line}\0{item.text}" for item in items]
    parts += [f"{row.file}:{row.line} {row.symbol}" for row in rows]
    parts += [f"{row.file}:{row.line} {row.title}" for row in decided]
    return format_id("p", digest_of(request.task, str(request.budget), *request.files, *request.nodes, *parts))


__all__ = ["Covering", "Item", "LeftOut", "Pack", "PackDecision", "PackLink", "PackRequest", "Weights", "pack"]
