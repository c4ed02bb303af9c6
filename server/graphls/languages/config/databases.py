"""Databases: what parts of a database are called, wherever they are declared or named.

Owns: kinds of entries and of references to them.
Must not know: how anything is read; who imports this loads no parser.
Invariant: a kind means the same in every format.
"""

from __future__ import annotations

from typing import Final

TABLE: Final = "table"
COLUMN: Final = "column"
TYPE: Final = "type"
EMBEDDED: Final = "sql"
"""The attribute `via` of edges that begin in a statement inside of code."""
