"""Syntax: the facts of Swift files.

Owns: which node of the grammar says what.
Must not know: other files, how uses are resolved.
Invariant: a pure function of bytes and tree.
"""
