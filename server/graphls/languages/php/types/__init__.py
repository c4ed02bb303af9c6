"""Types: what names and expressions of PHP denote.

Owns: names, members, calls, links of one file.
Must not know: trees, sessions.
Invariant: as that of the languages with declared types.
"""
