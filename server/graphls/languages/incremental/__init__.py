"""Incremental: what an edit reads again of a file, and what it reuses.

Owns: fragments of a file and the rows that they gave.
Must not know: any particular language, other files.
Invariant: facts read again equal facts read from scratch.
"""
