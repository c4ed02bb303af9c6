"""Org: the repositories of an organisation, read by many machines, asked as one set of tables.

Owns: arguments of `graphls org`, the layout of reports and answers.
Must not know: tasks, engines, tables inside.
Invariant: what is left out is named; a run that failed in part ends with 1.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.options import AsFormat, Format
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.progress import bar
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted, sized

COMMAND = CommandEntry(help="Index an organisation's repositories, and ask across them.", rank=264)
_QUESTIONS = ("users", "versions", "removal")
_SHOWN = 10


class OrgAction(StrEnum):
    """What to do."""

    INDEX = "index"
    QUERY = "query"


class EngineName(StrEnum):
    """Where tasks run."""

    LOCAL = "local"
    DASK = "dask"


@attrs.frozen(kw_only=True)
class OrgQuestion:
    """What is asked of the tables."""

    words: tuple[str, ...]
    sql: str
    values: dict[str, str]
    limit: int
    depth: int
    seconds: float


def run(
    action: Annotated[OrgAction, typer.Argument(help="Read repositories into a store, or ask the tables there.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD]...",
            help="index: folders, archives, NAME=PLACE, @FILE. query: users NAME, versions PACKAGE, removal NAME.",
        ),
    ] = None,
    *,
    store: Annotated[str, typer.Option("--store", metavar="URL", help="file://, s3://, gs://, az:// or a folder.")],
    engine: Annotated[EngineName, typer.Option("--engine", help="Here, or on a Dask cluster.")] = EngineName.LOCAL,
    scheduler: Annotated[
        str, typer.Option("--scheduler", metavar="ADDRESS", help="Of the Dask cluster, such as tcp://host:8786.")
    ] = "",
    unsigned: Annotated[
        bool, typer.Option("--unsigned", help="Trust whoever may write to the store, in place of GRAPHLS_CACHE_KEY.")
    ] = False,
    sql: Annotated[str, typer.Option("--sql", metavar="SELECT", help="query: a statement; - for standard input.")] = "",
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="query: a value for $NAME; repeat.")
    ] = None,
    depth: Annotated[int, typer.Option("--depth", min=1, max=20, help="query removal: steps to follow.")] = 3,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000_000, help="query: rows.")] = 200,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, max=3600, help="query --sql: time.")] = 60.0,
    format: AsFormat = Format.TEXT,
) -> None:
    from graphls.org.engines import EngineError  # few commands want it, or the libraries behind it
    from graphls.org.objects import OrgStore
    from graphls.org.query import OrgQueryRefused
    from graphls.org.sources import SourceRefused
    from graphls.store.remote_packs import RemoteError
    from graphls.tables.duckdb_file import LibraryMissing

    address = store if "://" in store else Path(os.path.abspath(store)).as_uri()
    place = OrgStore(address, not unsigned)
    try:
        if action is OrgAction.INDEX:
            _index(place, words or (), engine, scheduler, format)
        else:
            values = dict(pair.split("=", 1) for pair in param or () if "=" in pair)
            text = sys.stdin.read() if sql == "-" else sql
            asked = OrgQuestion(
                words=tuple(words or ()), sql=text, values=values, limit=limit, depth=depth, seconds=seconds
            )
            _query(place, asked, format)
    except LibraryMissing as error:
        raise UsageError(f"{error}, or pip install 'graphls[org]' for all that graphls org needs.") from error
    except (EngineError, RemoteError, SourceRefused, OrgQueryRefused) as error:
        raise UsageError(f"{str(error).removesuffix('.')}.") from error


def _index(place: Any, sources: Sequence[str], engine: EngineName, scheduler: str, format: Format) -> None:
    from graphls.org.engines import DaskEngine, LocalEngine
    from graphls.org.index import index_organisation
    from graphls.org.requirements import check_requirements
    from graphls.org.sources import repositories

    if (engine is EngineName.DASK) != bool(scheduler):
        raise UsageError("--engine dask wants the address of its scheduler: --scheduler tcp://host:8786.")
    found = repositories(sources)
    check_requirements(place)
    runner = DaskEngine(scheduler) if engine is EngineName.DASK else LocalEngine()
    try:
        with bar() as shown:
            report = index_organisation(found, runner, place, shown.show)
    finally:
        runner.close()
    if format is Format.JSON:
        write_json(report)
    else:
        _show_report(report)
    if report.left_out:
        raise NegativeAnswer


def _show_report(report: Any) -> None:
    page = TextPage()
    repositories = counted(report.repositories, "repository", "repositories")
    page.line(
        f"{repositories}, {report.lines:,} lines in {sized(report.size)}: {report.indexed:,} read, "
        f"{report.unchanged:,} as before, {report.joined:,} joined"
    )
    page.rows(
        (
            one.phase,
            counted(one.tasks, "task"),
            f"{one.cpu:,.1f} CPU s",
            f"{one.peak_mb:,.0f} MB",
            f"{sized(one.read)} from the store",
            f"{sized(one.written)} to it",
        )
        for one in report.costs
        if one.tasks
    )
    for name, reason in report.left_out.items():
        page.line((f"{name} is left out, or as it was before: {reason}", "yellow"))
    for name, problems in report.problems.items():
        page.line(f"{name}: {counted(len(problems), 'file or step', 'files or steps')} not as it should be")
        page.rows((((one, "dim"),) for one in problems[:_SHOWN]), indent="  ")
    page.write()


def _query(place: Any, asked: OrgQuestion, format: Format) -> None:
    from graphls.org.query import NEEDED, TABLES, opened_tables

    if bool(asked.sql.strip()) == bool(asked.words) or (asked.words and not _is_question(asked.words)):
        raise UsageError("Ask users NAME, versions PACKAGE, removal NAME, or --sql 'SELECT ...'.")
    with opened_tables(place, NEEDED[asked.words[0]] if asked.words else TABLES) as tables:
        match asked.words:
            case ("users", name):
                found = tables.users(name, asked.limit)
            case ("versions", name):
                found = tables.versions(name, asked.limit)
            case ("removal", name):
                found = tables.removal(name, asked.depth, asked.limit)
            case _:
                found = tables.sql(asked.sql, asked.values, asked.limit, asked.seconds)
    if format is Format.JSON:
        write_json(found)
    else:
        _show_answer(found, asked)
    if not found.rows:
        raise NegativeAnswer


def _is_question(words: Sequence[str]) -> bool:
    return len(words) == 2 and words[0] in _QUESTIONS


def _show_answer(found: Any, asked: OrgQuestion) -> None:
    page = TextPage()
    for one in found.offered:
        page.line(("offered by " if asked.words[0] != "versions" else "here: ", "dim"), one)
    if asked.words and not found.offered:
        page.line((f"No repository offers {asked.words[1]}; these are names outside that are called so.", "yellow"))
    page.rows([[str(name) for name in found.columns]])
    page.rows([["" if cell is None else str(cell) for cell in row] for row in found.rows])
    page.line()
    more = f", {found.total - len(found.rows):,} more not shown" if found.total > len(found.rows) else ""
    page.note(f"{counted(found.total, 'row')}{more}; {counted(found.repositories, 'repository', 'repositories')}")
    if found.unlisted:
        page.note(f"not complete: {counted(found.unlisted, 'use')} more in these, of symbols that use it often")
    if found.unresolved or found.left_out:
        page.note(
            f"not complete: {counted(found.unresolved, 'use')} in them could not be resolved, "
            f"{counted(found.left_out, 'file')} left out or read in part"
        )
    page.write()
