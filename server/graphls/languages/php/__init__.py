"""PHP: classes by their namespaces, types by declaration and by doc comments.

Owns: everything that is particular to PHP.
Must not know: other languages, sessions.
Invariant: what sources and doc comments say decides; nothing is ever run.
"""
