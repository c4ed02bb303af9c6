"""graphls: a language server with one live, provenance-tagged code graph.

Owns: the version.
Must not know: anything else; importing it loads no other module of the package.
Invariant: every face reports this version.
"""

from __future__ import annotations

__version__ = "0.1.0"
