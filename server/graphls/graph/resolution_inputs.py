"""Resolution inputs: what links rest on besides the contents of files.

Owns: one digest of module names, of what manifests say about these, and of the libraries outside the workspace.
Must not know: what links say, where libraries lie, who compares.
Invariant: equal contents and an equal digest give equal links, whichever folder or machine they are in.
"""

from __future__ import annotations

from hashlib import blake2b

from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot

_DIGEST = 16
_MEMO = Memo[bytes]("resolution inputs")


def resolution_inputs(snapshot: Snapshot) -> bytes:
    """Digest of everything that answers questions about modules, inside the workspace and outside."""
    known = _MEMO.get(snapshot)
    if known is not None:
        return known
    digest = blake2b(digest_size=_DIGEST)
    for language, table in sorted(snapshot.modules.items()):
        stamp = "" if table.libraries is None else table.libraries.stamp
        digest.update(f"{language}\n{stamp}\n{sorted(table.aliases.items())}\n".encode(errors="surrogatepass"))
        for path in sorted(table.names):
            name = table.names[path]
            spelled = (path, name.dotted, name.root, str(name.package), str(name.local), *name.also, *name.packages)
            digest.update("\0".join((*spelled, "\n")).encode(errors="surrogatepass"))
    return _MEMO.put(snapshot, digest.digest())


def follow(before: Snapshot, snapshot: Snapshot) -> None:
    """The module tables are the very ones of the snapshot before."""
    _MEMO.carry(before, snapshot)
