"""Requests: the arguments of each tool.

Owns: names, bounds, defaults and what an agent reads about them.
Must not know: how a request is answered.
Invariant: arguments that fit no field are refused, with words that say which and why.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from graphls.session.looking import FreshnessMode

Subject = Annotated[
    str,
    Field(
        min_length=1,
        max_length=1_000,
        description="Node id (n:...), module:Class.method, dotted or bare name, path, or path:LINE. An ambiguous name "
        "is answered with its candidates.",
    ),
]
Path = Annotated[str, Field(min_length=1, max_length=4_096, description="Path relative to the workspace.")]
Cursor = Annotated[str, Field(max_length=1_000, description="From an earlier answer to the same arguments.")]
Budget = Annotated[int, Field(ge=100, le=60_000, description="Tokens, counted as ceil(characters / 4).")]
Confidence = Annotated[float, Field(ge=0, le=1, description="Leave out edges that are less sure.")]
EdgeKinds = Annotated[
    tuple[str, ...],
    Field(max_length=40, description="Follow these edge kinds only, e.g. calls, instantiates, imports."),
]
Unresolved = Annotated[
    int,
    Field(
        ge=0,
        le=1_000,
        description="List so many of the uses that could not be resolved and may belong here, each with its line of "
        "code, the cause, and what it may mean.",
    ),
]
Freshly = Annotated[
    FreshnessMode,
    Field(
        description="prefer-fresh looks at the disk first and waits a little for what changed; require-fresh waits for "
        "all of it; allow-stale answers at once from what is known.",
    ),
]
Scope = Annotated[
    str, Field(max_length=4_096, description="File, folder, package or module; everything when left out.")
]


class ToolRequest(BaseModel):
    """Arguments of a tool."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PagedRequest(ToolRequest):
    """Arguments of a tool whose answer may have pages."""

    cursor: Cursor = ""
    freshness: Freshly = "prefer-fresh"


class ContextForTask(PagedRequest):
    task: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100_000,
            description="What is to be done, in any words: an issue, an error, a stack trace.",
        ),
    ]
    files: Annotated[tuple[Path, ...], Field(max_length=200, description="Files that matter for sure.")] = ()
    symbols: Annotated[tuple[Subject, ...], Field(max_length=200, description="Symbols that matter for sure.")] = ()
    budget: Budget | None = None
    tests: Annotated[bool | None, Field(description="Hold tests too; decided by the task when left out.")] = None


class ContextForFiles(PagedRequest):
    files: Annotated[tuple[Path, ...], Field(min_length=1, max_length=200, description="Files to be worked on.")]
    task: Annotated[str, Field(max_length=100_000, description="What is to be done with them.")] = ""
    budget: Budget | None = None
    tests: Annotated[bool | None, Field(description="Hold tests too; decided by the task when left out.")] = None


class ExplainContext(ContextForTask):
    task: Annotated[str, Field(max_length=100_000, description="The task of the pack to explain.")] = ""
    node: Annotated[str, Field(max_length=1_000, description="Explain this item only: its id or symbol.")] = ""


class ImpactAnalysis(PagedRequest):
    symbol: Subject
    direction: Annotated[
        Literal["upstream", "downstream"],
        Field(description="upstream: what depends on it and may break; downstream: what it depends on."),
    ] = "upstream"
    depth: Annotated[int, Field(ge=1, le=6, description="Steps to go.")] = 3
    min_confidence: Confidence = 0.0
    include_tests: bool = True
    limit: Annotated[int, Field(ge=1, le=5_000, description="Nodes at most.")] = 500
    edges: Annotated[int, Field(ge=0, le=200, description="Edges on the way at most; 0: only the nodes.")] = 0
    unresolved: Unresolved = 0


class ChangedCodeImpact(PagedRequest):
    changes: Annotated[
        Literal["unstaged", "staged", "all", "compare", "unsaved"],
        Field(
            description="Not staged; staged; both against the last commit; everything since `base`; or only what an "
            "editor has not saved."
        ),
    ] = "all"
    base: Annotated[str, Field(max_length=250, description="With compare: a branch, tag or commit.")] = ""
    depth: Annotated[int, Field(ge=1, le=6, description="Steps to go.")] = 3
    min_confidence: Confidence = 0.0
    include_tests: bool = True
    limit: Annotated[int, Field(ge=1, le=5_000, description="Affected nodes at most.")] = 500
    unresolved: Unresolved = 0


class GraphDiff(PagedRequest):
    before: Annotated[str, Field(min_length=1, max_length=250, description="A branch, tag or commit.")] = "HEAD"
    after: Annotated[
        str, Field(max_length=250, description="A branch, tag or commit; the files as they are now when left out.")
    ] = ""
    all_edges: Annotated[
        bool, Field(description="Compare the edges of every file, not only of files that differ; slow.")
    ] = False
    limit: Annotated[int, Field(ge=1, le=10_000, description="Records of each kind of difference.")] = 1_000


class SymbolContext(PagedRequest):
    symbol: Subject
    include_source: Annotated[bool, Field(description="Add the text of the symbol.")] = False
    limit: Annotated[int, Field(ge=1, le=1_000, description="Edges of each kind and direction.")] = 20
    unresolved: Unresolved = 0


class EntryContext(PagedRequest):
    name: Annotated[
        str,
        Field(
            min_length=1, max_length=1_000, description="GET /items, /items, the name of a tool or command, or an id."
        ),
    ]
    depth: Annotated[int, Field(ge=1, le=6, description="Steps to go from the handlers.")] = 2
    limit: Annotated[int, Field(ge=1, le=1_000, description="Nodes at most.")] = 100
    unresolved: Unresolved = 0


class GraphFind(PagedRequest):
    text: Annotated[
        str, Field(min_length=1, max_length=200, description="Name or part of it; Container.name asks for members.")
    ]
    mode: Literal["exact", "prefix", "fuzzy"] = "fuzzy"
    kinds: Annotated[
        tuple[str, ...],
        Field(max_length=30, description="class, function, method, callable, field, constant, test, route, tool ..."),
    ] = ()
    limit: Annotated[int, Field(ge=1, le=1_000)] = 50


class GraphNeighbors(PagedRequest):
    symbol: Subject
    depth: Annotated[int, Field(ge=1, le=5)] = 1
    direction: Literal["in", "out", "both"] = "both"
    edge_kinds: EdgeKinds = ()
    node_kinds: Annotated[tuple[str, ...], Field(max_length=40, description="Go through these node kinds only.")] = ()
    min_confidence: Confidence = 0.0
    limit: Annotated[int, Field(ge=1, le=2_000, description="Nodes at most.")] = 200
    unresolved: Unresolved = 0


class GraphTrace(PagedRequest):
    source: Subject
    target: Annotated[str, Field(max_length=1_000, description="Where to; wherever it leads when left out.")] = ""
    direction: Literal["in", "out", "both"] = "out"
    edge_kinds: EdgeKinds = ()
    depth: Annotated[int, Field(ge=1, le=12, description="The longest path.")] = 6
    paths: Annotated[int, Field(ge=1, le=20)] = 5
    min_confidence: Confidence = 0.0
    unresolved: Unresolved = 0


class GraphSummary(ToolRequest):
    scope: Scope = ""
    freshness: Freshly = "prefer-fresh"


class ListFindings(PagedRequest):
    scope: Scope = ""
    rules: Annotated[tuple[str, ...], Field(max_length=100, description="These rules only.")] = ()
    least: Annotated[Literal["P1", "P2", "P3", "info"], Field(description="Leave out what is less pressing.")] = "info"
    status: Literal["open", "suppressed", "baselined"] = "open"


class RecordFeedback(ToolRequest):
    node: Annotated[str, Field(min_length=1, max_length=1_000, description="Id or symbol of an item of a pack.")]
    useful: bool
    task: Annotated[str, Field(max_length=100_000, description="The task of the pack.")] = ""
    pack: Annotated[str, Field(max_length=100, description="Id of the pack (p:...).")] = ""


class Reindex(ToolRequest):
    paths: Annotated[
        tuple[Path, ...], Field(max_length=1_000, description="Files to read again; all when left out.")
    ] = ()
