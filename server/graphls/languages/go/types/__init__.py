"""Types: resolution of Go.

Owns: what uses in Go files mean.
Must not know: the grammar, records, editors.
Invariant: every look at another file goes through the world, which records it.
"""
