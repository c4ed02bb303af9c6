"""Task search: the declarations that a wanted change is about.

Owns: the answer to a text that asks for a change, in the form of a search.
Must not know: how a pack ranks, budgets, faces.
Invariant: the order is that in which a pack for the same text takes its items.

Words of a change say less about where it belongs than words of a documentation do: what is linked to the declarations
that have them, and what earlier commits with these words changed, counts too. Figures in docs/accuracy.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphls.context.files import corpus
from graphls.context.pack import PackRequest, ranked_declarations
from graphls.context.search import (
    DeclarationFilter,
    SearchHit,
    SearchHits,
    SearchQuery,
    chosen_files,
    takes_asides,
    words_as_written,
)
from graphls.context.terms import read_task
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.sources.git_log import CommitPaths
from graphls.sources.git_patches import RecentPatch


def search_for_task(
    snapshot: Snapshot, query: SearchQuery, history: Sequence[CommitPaths] = (), patches: Sequence[RecentPatch] = ()
) -> SearchHits:
    """What a change is about, best first. `history`: earlier commits; `patches`: what the last of them changed."""
    task = read_task(query.text)
    asides = takes_asides(query, task)
    request = PackRequest(task=query.text, history=tuple(history), patches=tuple(patches), tests=asides)
    ranked, words = ranked_declarations(snapshot, request)
    files = chosen_files(snapshot, query, corpus(snapshot, asides=asides, named=()))
    fits = DeclarationFilter(snapshot, files, query.only)
    chosen = [one for one in ranked if one.key.file in files and fits.wanted(one.key)]
    hits = tuple(
        SearchHit(
            key=one.key,
            place=SymbolRef(one.key.file, files[one.key.file].rows[one.key.unit]),
            score=round(one.score, 4),
            words=words_as_written(task, words, files[one.key.file], one.key.unit),
            word_rank=number,
            vector_rank=0,
        )
        for number, one in enumerate(chosen[: query.limit], 1)
    )
    return SearchHits(hits=hits, sections=(), total=len(chosen), vectors="", method="task")
