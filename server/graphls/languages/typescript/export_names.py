"""Export names: names in the table of exports that no code can write.

Owns: what stands for the whole of the exports, and for what a function puts into them.
Must not know: how code is read, what modules mean.
Invariant: a name here is no identifier, so no export of a file has it by chance.
"""

from __future__ import annotations

from typing import Final

ASSIGNED: Final = "export="
"""What `export =` and `module.exports =` give."""
MIXED_IN: Final = "..."
"""A function that is given the exports and puts more into them."""
