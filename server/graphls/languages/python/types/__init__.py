"""Resolution of Python names, members and evident types.

Owns: Python's rules of scope, import, class and annotation.
Must not know: disk, editors, checkers.
Invariant: silent where code does not decide; a name alone is never a reason for an edge.
"""

from __future__ import annotations

from graphls.languages.python.types.occurrences import PythonResolver

__all__ = ["PythonResolver"]
