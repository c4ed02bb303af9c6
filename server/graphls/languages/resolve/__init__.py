"""Resolve: what every resolver uses.

Owns: units, cycle guards, structural values, the context of one file.
Must not know: any particular language, sessions.
Invariant: an answer does not depend on the order of questions.
"""
