"""Content: the name of a sequence of bytes.

Owns: the content hash.
Must not know: files, paths, who asks.
Invariant: equal bytes, equal hash, on every machine and in every version.
"""

from __future__ import annotations

import hashlib

from graphls.facts.paths import ContentHash


def content_hash(data: bytes) -> ContentHash:
    return ContentHash(hashlib.blake2b(data, digest_size=16).hexdigest())
