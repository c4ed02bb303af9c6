"""Unused imports: names that a module of Python brings in and nothing uses, here or elsewhere.

Owns: which imports are judged, what counts as a use.
Must not know: what an import leads to.
Invariant: any other mention of the name in the file keeps it, as does a file that takes it from this module; what is
    brought in for its effects, in case it is there, or for others, is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.views import Views
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ImportFlag
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import SymbolRef
from graphls.languages.registry import is_stub

CODE: Final = "python.unused_imports"
_KEPT: Final = ImportFlag.CONDITIONAL | ImportFlag.DYNAMIC | ImportFlag.REEXPORT
_OFFERING: Final = frozenset(("__init__", "conftest", "__main__", "api", "compat", "_compat"))
"""Stems of modules that bring in names for others, or for what runs them."""
_SAID: Final = re.compile(rb"#[^\n]*(?:noqa|unused-import|pyflakes|isort:|type:\s*ignore|pragma)", re.IGNORECASE)
_WHOLE: Final = re.compile(
    rb"^#[ \t]*(?:(?:ruff|flake8):[ \t]*noqa|pylint:[ \t]*disable=[^\n]*unused-import)", re.MULTILINE
)
"""A line that speaks of the whole file, or of what follows."""
_WORD: Final = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_Row = tuple[int, str, str, int, int]


def check(views: Views) -> Iterator[Claim]:
    """One claim for each import."""
    for path in views.sources():
        stem = path.rpartition("/")[2].partition(".")[0]
        judged = views.in_scope(path) and views.is_in_language_of(CODE, path) and _is_plain(views, path)
        if not judged or stem in _OFFERING:
            continue
        rows = views.per_file("imports to judge", path, lambda facts: tuple(_rows(facts)))
        silent = views.per_text("unmentioned imports", path, lambda text, rows=rows: _silent(text, rows), ())
        for row in rows:
            if row[3] in silent and not _is_taken(views, path, row[1]):
                yield _claim(views, path, row)


def _is_plain(views: Views, path: FilePath) -> bool:
    """Whether a file is source that checkers read: declarations of Cython are taken by what stands beside them, cells
    of a notebook by who works in it, stubs by everybody."""
    known = views.snapshot.capabilities(path)
    return known is not None and known.file_type(path).checked and not is_stub(path)


def _rows(facts: FileFacts) -> Iterator[_Row]:
    """Imports that bind one name: its definition, the name, what is brought in, where."""
    table, strings = facts.imports, facts.strings
    for row, definition in enumerate(table.definition):
        if definition < 0 or table.flags[row] & _KEPT:
            continue
        name = strings[facts.definitions.name[definition]]
        module = strings[table.module[row]] if table.module[row] >= 0 else ""
        brought = strings[table.name[row]] if table.name[row] >= 0 else module
        effects = table.name[row] < 0 and "." in module and bool(table.flags[row] & ImportFlag.LOCAL)
        if module == "__future__" or not name.strip("_") or effects:
            continue
        yield definition, name, brought, facts.definitions.start[definition], facts.definitions.end[definition]


def _silent(text: bytes, rows: tuple[_Row, ...]) -> tuple[int, ...]:
    """Where the names stand that the text has nowhere else."""
    counts: dict[bytes, int] = {}
    for found in _WORD.finditer(text):
        counts[found[0]] = counts.get(found[0], 0) + 1
    if _WHOLE.search(text):
        return ()
    said = [found.start() for found in _SAID.finditer(text)]
    lines = {text.count(b"\n", 0, at) for at in said} if said else set[int]()
    return tuple(
        start
        for _, name, _, start, end in rows
        if counts.get(name.encode(), 0) == 1 and not (lines and _lines(text, start, end) & lines)
    )


def _lines(text: bytes, start: int, end: int) -> set[int]:
    """Lines of the statement around a name: a word about one of its names may stand at its beginning or end."""
    opening = text.rfind(b"(", 0, start)
    opening = -1 if text.find(b")", opening, start) >= 0 else opening
    close = text.find(b")", end) if opening >= 0 else -1
    first = text.count(b"\n", 0, opening if opening >= 0 else start)
    return set(range(first, text.count(b"\n", 0, close if close >= 0 else end) + 1))


def _is_taken(views: Views, path: FilePath, name: str) -> bool:
    """Whether another file takes the name from this module, or everything, or may mean it behind a dot."""
    snapshot, tail = views.snapshot, views.module(path).rpartition(".")[2]
    spelled = f"{tail}.{name}".encode()
    for other in snapshot.files_with_name(name):
        if other != path and snapshot.shards[other].language:
            facts = snapshot.facts(other)
            table, strings = facts.imports, facts.strings
            for row, imported in enumerate(table.name):
                module = strings[table.module[row]] if table.module[row] >= 0 else ""
                if imported >= 0 and strings[imported] == name and module.rpartition(".")[2] in (tail, ""):
                    return True
            if spelled in (snapshot.text(other) or b""):
                return True
    return _is_taken_whole(views, path, tail)


def _is_taken_whole(views: Views, path: FilePath, tail: str) -> bool:
    """Whether a file brings in all names of a module of this name."""
    for other in views.snapshot.files_with_name(tail):
        if other != path and views.snapshot.shards[other].language:
            facts = views.snapshot.facts(other)
            table, strings = facts.imports, facts.strings
            for row, flags in enumerate(table.flags):
                module = strings[table.module[row]] if table.module[row] >= 0 else ""
                if flags & ImportFlag.STAR and module.rpartition(".")[2] == tail:
                    return True
    return False


def _claim(views: Views, path: FilePath, row: _Row) -> Claim:
    _, name, brought, start, end = row
    module = views.module(path)
    what = name if brought in (name, "") else f"{name} ({brought})"
    return Claim(
        key=(module, name, brought),
        title=f"{module}: {what} is brought in and not used",
        pressure="It costs time while the module loads, and says that the module needs what it does not.",
        confidence="high",
        evidence=(Evidence(path, start, end, f"{name} is named nowhere else in the file", SymbolRef(path, -1)),),
        suggestions=("Remove it, or say with `# noqa: F401` that it is brought in for its effects.",),
    )


RULE = Rule(
    code=CODE,
    category="maintainability",
    priority="P3",
    title="Unused imports",
    doc="""Names that a module of Python brings in, that stand nowhere else in its text, and that no other file takes
    from it. Not below conditions or in `try`, in packages' own files, nor with a word for linters; not in tests.""",
    check=check,
    enabled=False,
)
