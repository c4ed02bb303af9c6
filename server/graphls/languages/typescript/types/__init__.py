"""Resolution of TypeScript and JavaScript names, members and evident types.

Owns: the language's rules of scope, import, class, interface and type.
Must not know: disk, editors, checkers.
Invariant: silent where code does not decide; a name alone is never a reason for an edge.
"""

from __future__ import annotations

from graphls.languages.typescript.types.occurrences import TypeScriptResolver

__all__ = ["TypeScriptResolver"]
