"""Types: what constants, variables and calls of Ruby mean.

Owns: nothing by itself.
Must not know: how facts are made.
Invariant: importing it reads no file.
"""
