"""Standard names: modules that Python itself has.

Owns: their names.
Must not know: files, what is installed beside Python.
Invariant: what imports them means the standard library, unless a declared root has a module of the name.
"""

from __future__ import annotations

import sys
from typing import Final

STANDARD: Final = frozenset(sys.stdlib_module_names) - {"test", "this"}
"""But for two whose names projects take for folders of their own, and that nobody imports."""
