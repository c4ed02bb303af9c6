"""Secret files: files that hold passwords, tokens or keys, by where they stand and what they are called.

Owns: the names.
Must not know: who asks, what a file holds.
Invariant: examples of such files are none.
"""

from __future__ import annotations

import re
from typing import Final

_SECRET: Final = re.compile(
    r"(^|/)(?:\.env(?:\.[^/]*)?|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials|credentials(?:\.json)?"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx))$"
    r"|(^|/)\.(?:ssh|aws|gnupg|azure|kube|docker)/",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(r"\.(?:example|sample|template|dist|defaults?|test)$", re.IGNORECASE)


def is_secret_file(path: str) -> bool:
    """Whether a file is likely to hold secrets."""
    return _SECRET.search(path) is not None and _EXAMPLE.search(path) is None
