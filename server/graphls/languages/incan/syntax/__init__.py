"""Syntax: extraction of Incan.

Owns: what an Incan file says by itself.
Must not know: other files.
Invariant: facts are a pure function of bytes.
"""
