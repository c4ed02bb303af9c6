"""Session: the single writer of a workspace.

Owns: open documents, changes, scheduling, the sequence of snapshots.
Must not know: LSP types, how answers are shown.
Invariant: only the session makes snapshots, and each has a revision higher than the last.
"""
