"""C#: projects by their files, namespaces by their clauses, types by declaration.

Owns: everything that is particular to C#.
Must not know: other languages, sessions.
Invariant: what the sources say decides; no build is ever run.
"""
