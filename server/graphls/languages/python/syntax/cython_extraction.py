"""Cython extraction: the facts of a file of Cython.

Owns: the way from Cython to facts by Python's grammar, what of it is said not to be read.
Must not know: other files, disk, settings, how Cython is written as Python.
Invariant: a pure function of the bytes; every offset is one of the file, and what is not understood is no error of it.
"""

from __future__ import annotations

from operator import eq, gt

import attrs

from graphls.facts.columns import Problems
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ProblemKind
from graphls.languages.extract import grammars
from graphls.languages.extract.relocation import StretchedText, relocated, with_problems
from graphls.languages.python.cython import read_cython
from graphls.languages.python.syntax.extraction import extract

_PARTIAL = int(ProblemKind.PARTIAL)
_LEFT_OUT = "Not read: a type or a declaration of C."
_UNKNOWN = "Not read: Python has no such code."


def extract_cython(data: bytes) -> FileFacts:
    """Facts of one file."""
    found = read_cython(data)
    text = found.module.text()
    facts = relocated(extract(text, grammars.parse(grammars.parser("python"), text)), found.module, data)
    starts, ends = facts.definitions.start, facts.definitions.end
    if any(map(eq, starts, ends)) or any(map(gt, starts, starts[1:])):
        # In broken code a word may be taken for a name that stands nowhere in the file, or elsewhere.
        empty = relocated(extract(b"", grammars.parser("python").parse(b"")), StretchedText(), data)
        return with_problems(empty, [(_PARTIAL, 0, len(data), _UNKNOWN)])
    table = facts.problems
    broken = [row for row, kind in enumerate(table.kind) if kind == ProblemKind.SYNTAX]
    further = [(_PARTIAL, table.start[row], max(table.end[row], table.start[row] + 1), _UNKNOWN) for row in broken]
    rest = zip(table.kind, table.start, table.end, table.text, strict=True)
    facts = attrs.evolve(facts, problems=Problems.of([row for row in rest if row[0] != ProblemKind.SYNTAX]))
    return with_problems(facts, [*further, *((_PARTIAL, start, end, _LEFT_OUT) for start, end in found.left_out)])
