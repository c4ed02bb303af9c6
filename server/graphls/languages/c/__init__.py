"""C: files by inclusion, types by declaration.

Owns: everything that is particular to C.
Must not know: other languages, sessions.
Invariant: what the sources say decides; no preprocessor and no compiler is run.
"""
