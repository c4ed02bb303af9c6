"""Import keys: the short word by which files that may import a module are found.

Owns: which word a written module name has.
Must not know: which file a name means, any language.
Invariant: a function of the text; two names of one module may have different keys, which only its language knows.
"""

from __future__ import annotations

PREFIX = "/"
"""Stands before a key where names of all kinds are kept together: no name begins with it."""


def import_key(written: str) -> str:
    """`utils` of `../lib/utils.service.js`; "" of `.` and of `..`."""
    return written.rstrip("/").rpartition("/")[2].partition(".")[0]


def marked_key(key: str) -> str:
    """A key as it is kept among names."""
    return PREFIX + key
