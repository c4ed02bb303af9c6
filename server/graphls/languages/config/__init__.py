"""Configuration and documents: what their text says by itself.

Owns: readers of formats, tables of known schemas.
Must not know: the workspace, what a value leads to.
Invariant: a function of a file's name and bytes; what a file contains never makes it raise.
"""
