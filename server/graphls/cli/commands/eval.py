"""Eval: how well packs show what a set of tasks turned out to need.

Owns: arguments of `graphls eval`, the form of a task set, its layout.
Must not know: how packs are made, how they are scored.
Invariant: tasks about files that are not in the graph are counted, not scored.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Annotated, Any

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.context.evaluation import Case, Mean, NeededDeclaration, evaluate, in_graph
from graphls.context.freshness import Freshness, freshness
from graphls.context.term_cache import ready_terms
from graphls.facts.paths import FilePath
from graphls.queries.answer import answer
from graphls.sources.read import read_small

_LARGEST = 500_000_000


@attrs.frozen
class Result:
    """Means at each budget. `left_out`: tasks about files that this workspace does not have."""

    tasks: int
    left_out: int
    budgets: tuple[Mean, ...]
    freshness: Freshness | None
    """None: no edits were asked for."""


COMMAND = CommandEntry(help="Measure packs against tasks whose answers are known.", rank=250)


def run(
    ctx: typer.Context,
    tasks: Annotated[str, typer.Argument(metavar="TASKS.jsonl", help="One task a line: text, declarations, repo.")],
    *,
    budget: Annotated[
        list[int] | None, typer.Option("--budget", "-b", metavar="TOKENS", min=1, help="A budget; repeat.")
    ] = None,
    repo: Annotated[str, typer.Option("--repo", metavar="NAME", help="Tasks of this repository only.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="So many tasks at most; 0: all.")] = 0,
    weight: Annotated[
        list[str] | None, typer.Option("--weight", metavar="NAME=NUMBER", help="Change a weight; repeat.")
    ] = None,
    edits: Annotated[
        int,
        typer.Option("--edits", min=0, help="So many declarations are edited, unsaved, to see packs follow; 0: none."),
    ] = 10,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    cases = [case for case, name in _cases(tasks) if repo in ("", name)]
    weights = dict(_weight(text) for text in weight or ())
    with opened(ctx, root) as workspace:
        snapshot = workspace.snapshot
        ready_terms(snapshot, workspace.store)
        known = [case for case in cases if in_graph(snapshot, case)]
        scored = known[: limit or len(known)]
        means = tuple(
            evaluate(snapshot, scored, tokens, weights, time.perf_counter) for tokens in budget or (2000, 4000, 8000)
        )
        fresh = freshness(workspace.session, scored, edits, time.perf_counter) if edits else None
        result = Result(len(scored), len(cases) - len(known), means, fresh)
        envelope = answer(snapshot)
    if format is Format.JSON:
        write_answer(envelope, result)
    else:
        page = _page(result)
        close_page(page, envelope)
        page.write()
    if not scored:
        raise NegativeAnswer


def _cases(path: str) -> Iterator[tuple[Case, str]]:
    data = read_small(path, _LARGEST)
    if data is None:
        raise UsageError(f"{path!r} cannot be read. Give a file with one task a line.")
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if line.strip():
            try:
                task = json.loads(line)
                yield _case(task, number), str(task.get("repo", ""))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                words = f"{type(error).__name__}: {error}"
                raise UsageError(
                    f"Line {number} of {path!r} is no task ({words}). It needs text and declarations."
                ) from None


def _case(task: Any, number: int) -> Case:
    return Case(
        id=str(task.get("id", number)),
        text=str(task["text"]),
        needed=tuple(_needed(declaration) for declaration in task["declarations"]),
    )


def _needed(declaration: Any) -> NeededDeclaration:
    first = int(declaration["start_line"])
    names: list[Any] = declaration.get("name_lines") or [first]
    touched: list[Any] = declaration.get("touched") or []
    return NeededDeclaration(
        file=FilePath(str(declaration["file"])),
        name_line=int(names[0]),
        touched=tuple((int(span[0]), int(span[1])) for span in touched),
    )


def _weight(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        return name.strip(), float(number)
    except ValueError:
        raise UsageError(f"{text!r} is no weight. Write NAME=NUMBER, for example graph=0.3.") from None


def _page(result: Result) -> TextPage:
    page = TextPage()
    page.line(f"{counted(result.tasks, 'task')}; {result.left_out:,} about files that are not here")
    titles = ("budget", "recall", "sites", "files", "precision", "MRR", "tokens", "whole files", "same", "p50", "p95")
    rows = [
        (
            f"{mean.budget:,}",
            f"{mean.recall:.3f}",
            f"{mean.sites:.3f}",
            f"{mean.files:.3f}",
            f"{mean.precision:.3f}",
            f"{mean.mrr:.3f}",
            f"{mean.tokens:,.0f}",
            f"{mean.whole_files:,.0f}",
            "yes" if mean.same else "no",
            f"{mean.p50_ms:.0f} ms",
            f"{mean.p95_ms:.0f} ms",
        )
        for mean in result.budgets
    ]
    page.rows([titles, *rows])
    fresh = result.freshness
    if fresh is not None:
        page.line(
            f"edited and asked again: {fresh.shown} of {counted(fresh.edits, 'edit')} shown, {fresh.undone} undone, "
            f"p50 {fresh.p50_ms:.0f} ms, p95 {fresh.p95_ms:.0f} ms"
        )
    return page
