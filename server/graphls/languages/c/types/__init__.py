"""Types: what uses in C files mean.

Owns: names by inclusion and linkage, members by declared types.
Must not know: other languages, sessions.
Invariant: an answer comes from the files that a file includes, or from what links to these; never from equal names.
"""
