"""Pack: the code that a task needs.

Owns: arguments of `graphls pack`, the forms of a pack.
Must not know: how code is ranked.
Invariant: the JSON form is one object with `items`, most valuable first, lines counted from 1 and the last included.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import EVERY, WITHIN, At, Root, Unresolved, Verify, Within
from graphls.cli.rendering.packs import write_pack
from graphls.cli.symbols import file_of
from graphls.cli.verification import settled_pack
from graphls.context.formats import Heading, compact, markdown
from graphls.context.pack import Pack, PackRequest, coverage, next_step
from graphls.queries.answer import Answer, answer


class PackFormat(StrEnum):
    """How a pack is written."""

    MARKDOWN = "markdown"
    COMPACT = "compact"
    JSON = "json"


Task = Annotated[
    str, typer.Option("--task", "-t", metavar="TEXT", help="What is to be done, in any words; - reads standard input.")
]
TaskArgument = Annotated[str, typer.Argument(metavar="[TASK]", help="The same as --task.")]
Files = Annotated[list[str] | None, typer.Option("--file", metavar="PATH", help="A file that matters; repeat.")]
Nodes = Annotated[list[str] | None, typer.Option("--node", metavar="SYMBOL", help="A symbol that matters; repeat.")]
Budget = Annotated[
    int, typer.Option("--budget", "-b", metavar="TOKENS", min=0, help="At most so many tokens; 0: as set up.")
]
Weights = Annotated[
    list[str] | None, typer.Option("--weight", metavar="NAME=NUMBER", help="Change a weight of the ranking; repeat.")
]


COMMAND = CommandEntry(
    help="Gather the code that a task needs, in a budget of tokens.",
    rank=200,
    read_only=True,
    synonyms=("context", "context-pack"),
)


def run(
    ctx: typer.Context,
    *,
    words: TaskArgument = "",
    task: Task = "",
    file: Files = None,
    node: Nodes = None,
    budget: Budget = 0,
    weight: Weights = None,
    tests: Annotated[
        bool | None, typer.Option("--tests/--no-tests", help="Hold tests too; decided by the task if not given.")
    ] = None,
    verify: Verify = False,
    unresolved: Unresolved = False,
    within: Within = WITHIN,
    root: Root = ".",
    at: At = "",
    format: Annotated[
        PackFormat, typer.Option("--format", "-f", help="How the pack is written.")
    ] = PackFormat.MARKDOWN,
) -> None:
    if words and task:
        raise UsageError("The task is given twice: as an argument and by --task. Give it once.")
    with opened(ctx, root, checker=verify, at=at, within=within) as workspace:
        task = words or task
        request = request_for(workspace, task, file or [], node or [], weight or [], budget=budget, tests=tests, at=at)
        workspace, made = settled_pack(workspace, request, wanted=verify)
        envelope = answer_of(workspace, request, made, EVERY if unresolved else 0)
        text = _text(made, envelope, format)
    if text:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    else:
        write_pack(envelope, made)
    if not made.items:
        raise NegativeAnswer


def request_for(
    workspace: OpenWorkspace,
    task: str,
    files: list[str],
    nodes: list[str],
    weights: list[str],
    *,
    budget: int,
    tests: bool | None,
    explain: bool = False,
    at: str = "",
) -> PackRequest:
    """What the arguments ask for."""
    return PackRequest(
        task=sys.stdin.read() if task == "-" else task,
        files=tuple(file_of(workspace, path) for path in files),
        nodes=tuple(nodes),
        budget=budget or workspace.settings.pack.budget,
        weights=dict(_weight(text) for text in weights),
        explain=explain,
        at=at,
        tests=tests,
    )


def answer_of(workspace: OpenWorkspace, request: PackRequest, made: Pack, listed: int = 0) -> Answer:
    """The envelope of a pack."""
    return answer(workspace.snapshot, coverage(workspace.snapshot, request, made), next_step(made.items), listed)


def _weight(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        return name.strip(), float(number)
    except ValueError:
        raise UsageError(f"{text!r} is no weight. Write NAME=NUMBER, for example graph=0.3.") from None


def _text(made: Pack, envelope: Answer, format: PackFormat) -> str:
    heading = Heading.of(envelope)
    if format is PackFormat.JSON:
        return ""
    return (compact if format is PackFormat.COMPACT else markdown)(made, heading)
