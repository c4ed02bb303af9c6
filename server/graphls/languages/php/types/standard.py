"""Standard: what PHP itself declares that inference asks for.

Owns: methods that constructs run, members that every enum has.
Must not know: files, how names are found.
Invariant: what is not listed gives something that is not known.
"""

from __future__ import annotations

from typing import Final

ELEMENTS: Final = ("current", "getIterator", "offsetGet")
"""Methods that give what a container holds, the surest first."""
ENUM: Final = "UnitEnum"
"""What is above every enum."""
ENUM_MEMBERS: Final = frozenset(("cases", "from", "tryFrom", "name", "value"))
