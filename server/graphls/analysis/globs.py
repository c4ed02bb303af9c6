"""Globs: which paths a pattern names.

Owns: what `**` and `*` mean in settings about files.
Must not know: settings, the disk.
Invariant: a function of the path and the pattern.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache


@lru_cache(maxsize=1_000)
def _glob(pattern: str) -> re.Pattern[str]:
    """`**` is any run of folders, `*` stays within one."""
    parts = [translate(part)[4:-3].replace(".*", "[^/]*") for part in pattern.split("**")]
    return re.compile(f"(?s:{'.*'.join(parts)})\\Z".replace("/.*/", "/(?:.*/)?"))


def glob_match(path: str, pattern: str) -> bool:
    """Whether a path is what a glob names."""
    return _glob(pattern).match(path) is not None
