"""Analysis: derived records about the graph, each with its evidence.

Owns: rules, findings, their suppression and the actions on them.
Must not know: LSP types, URIs, disk, how facts were extracted.
Invariant: a finding cites the places it rests on and says what it cannot see.
"""
