"""Syntax: the facts of one Python file from its tree.

Owns: which node gives which fact.
Must not know: other files, sessions.
Invariant: facts are a function of the bytes of one file.
"""
