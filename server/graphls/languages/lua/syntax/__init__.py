"""Syntax: facts of one file of Lua from its tree.

Owns: nothing by itself.
Must not know: other files.
Invariant: importing it loads no grammar.
"""
