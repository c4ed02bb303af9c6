"""Types: what uses in C++ files mean.

Owns: names by scope, namespace and inclusion, members by declared types.
Must not know: other languages, sessions.
Invariant: an answer comes from the file and what it includes; never from equal names.
"""
