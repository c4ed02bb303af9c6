"""Syntax: facts of one file of Ruby from its tree.

Owns: nothing by itself.
Must not know: other files.
Invariant: importing it loads no grammar.
"""
