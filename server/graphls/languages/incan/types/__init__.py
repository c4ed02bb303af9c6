"""Types: resolution of Incan.

Owns: what uses in Incan files mean.
Must not know: the grammar, records, editors.
Invariant: every look at another file goes through the world, which records it.
"""
