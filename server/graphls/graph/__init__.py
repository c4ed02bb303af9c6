"""Graph: one immutable snapshot and its projections.

Owns: snapshots, node and edge records, identity, export formats.
Must not know: disk, editors, scheduling, LSP types.
Invariant: the records of a snapshot are a function of its contents, byte for byte.
"""
