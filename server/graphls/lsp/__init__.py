"""LSP: the language server face.

Owns: protocol types, positions and their encoding, capabilities, handlers.
Must not know: the other faces, syntax trees, disk.
Invariant: a handler parses, asks one query on one snapshot and converts the answer.
"""
