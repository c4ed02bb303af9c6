"""Syntax: the facts of PHP files.

Owns: which node of the grammar and which tag of a doc comment says what.
Must not know: other files, how uses are resolved.
Invariant: a pure function of bytes and tree.
"""
