"""Standard: which names belong to the standard library.

Owns: the names of the standard library's modules.
Must not know: what is installed anywhere.
Invariant: the answer does not depend on the version of Python that runs graphls.
"""

from __future__ import annotations

import sys

# Modules that some supported version of Python has and another lacks.
_COME_AND_GONE = frozenset({
    "aifc", "annotationlib", "asynchat", "asyncore", "audioop", "binhex", "cgi", "cgitb", "chunk", "compression",
    "crypt", "distutils", "imghdr", "imp", "lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "pipes",
    "smtpd", "sndhdr", "spwd", "sunau", "telnetlib", "tomllib", "uu", "xdrlib",
})  # fmt: skip


def is_standard(dotted: str) -> bool:
    """Whether a dotted name starts in the standard library or is a built-in."""
    top = dotted.partition(".")[0]
    return top == "builtins" or top in sys.stdlib_module_names or top in _COME_AND_GONE
