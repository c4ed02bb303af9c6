"""Check: whether a file of records is what the schema promises.

Owns: arguments of `graphls check`, the words and the exit code of its answer.
Must not know: what is checked.
Invariant: needs no workspace; 0 where nothing is wrong, 1 where something is, 2 where there is nothing to look at.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, BinaryIO

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.options import AsFormat, Format
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted, visible
from graphls.graph.conformance import RULES, Conformance, conformance

COMMAND = CommandEntry(help="Check that a file of records is what the schema promises.", rank=70)


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An export as JSON lines; - for standard input.")],
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Examples of each rule.")] = 5,
    format: AsFormat = Format.TEXT,
) -> None:
    with _opened(file) as stream:
        found = conformance(stream, limit)
    if format is Format.JSON:
        write_json(_answer(file, found))
    else:
        _page(file, found).write()
    if found.breaches:
        raise NegativeAnswer


@contextmanager
def _opened(file: str) -> Generator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        with open(file, "rb") as stream:
            yield stream
    except OSError as error:
        raise UsageError(f"{file!r} cannot be read: {error.strerror or error}.") from error


def _answer(file: str, found: Conformance) -> dict[str, object]:
    counts = found.counts
    return {
        "file": file,
        "conforms": not found.breaches,
        "counts": {
            "nodes": counts.nodes,
            "edges": counts.edges,
            "diagnostics": counts.diagnostics,
            "others": found.others,
        },
        "breaches": {rule: found.breaches[rule] for rule in RULES if found.breaches[rule]},
        "examples": [{"line": one.line, "rule": one.rule, "message": one.message} for one in found.examples],
    }


def _page(file: str, found: Conformance) -> TextPage:
    page, counts = TextPage(), found.counts
    parts = [counted(counts.nodes, "node"), counted(counts.edges, "edge"), counted(counts.diagnostics, "diagnostic")]
    parts += [counted(found.others, "record") + " of unknown kinds"] if found.others else []
    page.line(f"{visible(file)}: {', '.join(parts)}")
    if not found.breaches:
        page.line("Everything conforms.")
        return page
    for rule, meaning in RULES.items():
        if not found.breaches[rule]:
            continue
        page.heading(f"{rule}: {counted(found.breaches[rule], 'breach', 'breaches')}")
        page.note(f"  {meaning}")
        examples = [one for one in found.examples if one.rule == rule]
        page.rows([(f"line {one.line}" if one.line else "", visible(one.message)) for one in examples], indent="  ")
        if found.breaches[rule] > len(examples):
            page.note(f"  and {found.breaches[rule] - len(examples):,} more")
    return page
