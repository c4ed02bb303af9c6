"""Unused imports of scripts: names that a file of TypeScript or JavaScript brings in and nothing in it uses.

Owns: which imports are judged, what counts as a use.
Must not know: what an import leads to.
Invariant: any other mention of the name in the file keeps it, comments and templates among them; the names of modules
    in imports are no mention. What is brought in for its effects, or to be added to, is not judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Final

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.views import Views
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ImportFlag
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import SymbolRef
from graphls.languages.registry import is_stub

CODE: Final = "typescript.unused_imports"
_KEPT: Final = ImportFlag.CONDITIONAL | ImportFlag.DYNAMIC | ImportFlag.REEXPORT
_SPECIFIER: Final = re.compile(rb"""(?:\bfrom|\bimport|\brequire\s*\()\s*(?:"[^"\n]*"|'[^'\n]*')""")
_WORD: Final = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_MARKUP: Final = frozenset(("React", "Preact", "h", "jsx", "jsxs", "Fragment", "createElement"))
"""What markup may run without naming it."""
_SAID: Final = re.compile(
    rb"(?:eslint|biome|tslint|oxlint|deno-lint|ts)-?(?:disable|ignore|expect|nocheck)", re.IGNORECASE
)
_ADDS: Final = re.compile(rb"\bdeclare\s+(?:module|global)\b")
"""A file that adds to a module brings it in for that."""
_BEFORE_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_Row = tuple[int, str, str, int, int]


def check(views: Views) -> Iterator[Claim]:
    """One claim for each name."""
    for path in views.sources():
        if not (views.in_scope(path) and views.is_in_language_of(CODE, path)) or is_stub(path):
            continue
        rows = views.per_file("imports of scripts to judge", path, lambda facts: tuple(_rows(facts)))
        if rows:
            judged = partial(_silent, rows=rows, template=_has_template(views, path))
            silent = views.per_text("unused imports of scripts", path, judged, ())
            for row in rows:
                if row[3] in silent:
                    yield _claim(views, path, row)


def _rows(facts: FileFacts) -> Iterator[_Row]:
    """Imports that bind a name at the top: its definition, the name, what is brought in, where."""
    table, strings, names = facts.imports, facts.strings, facts.definitions
    for row, definition in enumerate(table.definition):
        if definition < 0 or table.flags[row] & _KEPT or names.kind[definition] != DefinitionKind.IMPORT:
            continue
        name = strings[names.name[definition]]
        if names.scope[definition] == 0 and not name.startswith("_"):
            brought = strings[table.name[row]] if table.name[row] >= 0 else "*"
            yield definition, name, brought, names.start[definition], names.end[definition]


def _has_template(views: Views, path: FilePath) -> bool:
    known = views.snapshot.capabilities(path)
    return known is not None and known.file_type(path).component


def _silent(text: bytes, rows: tuple[_Row, ...], *, template: bool) -> tuple[int, ...]:
    """Where the names stand that the text has nowhere else. `template`: it may spell `EditorContent` as
    `editor-content`."""
    if _ADDS.search(text):
        return ()
    counts = Counter(found[0] for found in _WORD.finditer(_SPECIFIER.sub(b"", text)))
    said = {text.count(b"\n", 0, found.start()) for found in _SAID.finditer(text)}
    if any(b"no-unused" in line or b"nocheck" in line for line in text[:2000].split(b"\n")[:20]):
        return ()
    return tuple(
        start
        for _, name, _, start, _ in rows
        if counts[name.encode()] == 1
        and name not in _MARKUP
        and not (template and _BEFORE_CAPITAL.sub("-", name).lower().encode() in text)
        and not said & {(line := text.count(b"\n", 0, start)), line - 1}
    )


def _claim(views: Views, path: FilePath, row: _Row) -> Claim:
    _, name, brought, start, end = row
    module = views.module(path)
    what = name if brought in (name, "*", "default") else f"{name} ({brought})"
    return Claim(
        key=(path, name, brought),
        title=f"{module}: {what} is brought in and not used",
        pressure="Who reads the file, or moves what it names, takes it for needed.",
        confidence="high",
        evidence=(Evidence(path, start, end, f"{name} is named nowhere else in the file", SymbolRef(path, -1)),),
        suggestions=("Remove it; where the module is needed for its effects, import it without a name.",),
    )


RULE = Rule(
    code=CODE,
    category="maintainability",
    priority="P3",
    title="Unused imports",
    doc="""Names that a file of TypeScript or JavaScript imports or requires at its top, and that stand nowhere else in
    its text. Not names that begin with an underscore, what markup may run unnamed, what stands beside a word for
    linters, files that add to a module, nor tests.""",
    check=check,
    enabled=False,
)
