"""Analysis: derived records about a snapshot.

Owns: architecture findings, risk signals, clones, communities, decisions.
Must not know: LSP types, disk, how facts were extracted.
Invariant: every derived record is advisory, says so, and names the evidence it rests on.
"""
