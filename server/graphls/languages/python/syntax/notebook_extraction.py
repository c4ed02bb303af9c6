"""Notebook extraction: the facts of a Jupyter notebook.

Owns: the way from a notebook's cells to facts of the file, what of it is said not to be read.
Must not know: other files, disk, settings, how cells are found.
Invariant: a pure function of the bytes; every offset is one of the file.
"""

from __future__ import annotations

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ProblemKind
from graphls.languages.extract import grammars
from graphls.languages.extract.relocation import relocated, with_problems
from graphls.languages.python.notebooks import read_notebook
from graphls.languages.python.syntax.extraction import extract


def extract_notebook(data: bytes) -> FileFacts:
    """Facts of one notebook."""
    parser = grammars.parser("python")
    found = read_notebook(data)
    text = found.module.text()
    tree = grammars.parse(parser, text)
    if tree.root_node.has_error:
        found = read_notebook(data, lambda cell: grammars.parse(parser, cell).root_node.has_error)
        text = found.module.text()
        tree = grammars.parse(parser, text)
    facts = relocated(extract(text, tree), found.module, data)
    return with_problems(
        facts,
        [
            (int(ProblemKind.SYNTAX if one.broken else ProblemKind.PARTIAL), one.start, one.end, one.text)
            for one in found.problems
        ],
    )
