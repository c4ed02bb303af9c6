"""C++: what its files have beyond those of C.

Owns: the rules of namespaces, classes, templates and overloads.
Must not know: other languages, sessions.
Invariant: a file includes others alike, whichever of the two it is in; so both are one language to the core.
"""
