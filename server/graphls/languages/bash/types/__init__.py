"""Types: what the names of a script mean.

Owns: nothing by itself.
Must not know: how facts are made.
Invariant: importing it reads no file.
"""
