"""Standard: what PHP itself declares that inference asks for.

Owns: methods that constructs run, members that every enum has, variables that nothing has to assign.
Must not know: files, how names are found.
Invariant: what is not listed gives something that is not known.
"""

from __future__ import annotations

from typing import Final

ELEMENTS: Final = ("current", "getIterator", "offsetGet")
"""Methods that give what a container holds, the surest first."""
PREDEFINED: Final = frozenset(
    ("GLOBALS", "_SERVER", "_GET", "_POST", "_FILES", "_COOKIE", "_SESSION", "_REQUEST", "_ENV", "http_response_header")
)
"""Variables that every scope has."""
PREDEFINED_IN_FILES: Final = frozenset(("argc", "argv"))
"""Variables that the code outside of functions has."""
INSTALLED: Final = "vendor/"
"""The folder of packages that Composer makes, which no repository has."""
ENUM: Final = "UnitEnum"
"""What is above every enum."""
ENUM_MEMBERS: Final = frozenset(("cases", "from", "tryFrom", "name", "value"))
