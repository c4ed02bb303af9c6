"""Types: what names and members denote in Lua.

Owns: nothing by itself.
Must not know: how facts are made.
Invariant: importing it reads no file.
"""
