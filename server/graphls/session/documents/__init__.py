"""Documents: open buffers and the trees that go with them.

Owns: versions, edits, open parse trees.
Must not know: links, worker processes, protocols.
Invariant: what is read of a buffer equals what is read of its text.
"""
