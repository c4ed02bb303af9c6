"""Swift: modules by folders, types by declaration, extensions by the type that they extend.

Owns: everything that is particular to Swift.
Must not know: other languages, sessions.
Invariant: what the sources say decides; no Swift program and no manifest is ever run.
"""
