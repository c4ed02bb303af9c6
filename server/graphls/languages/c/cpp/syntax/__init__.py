"""Syntax: the facts of C++ files.

Owns: which node of the grammar says what.
Must not know: other files, how uses are resolved.
Invariant: a pure function of bytes and tree; every branch of a condition is read.
"""
