"""Syntax: the walk over one tree of C#.

Owns: which node says what.
Must not know: other files.
Invariant: a pure function of bytes and tree.
"""
