"""Types: resolution of Java.

Owns: what uses in Java files mean.
Must not know: the grammar, records, editors.
Invariant: every look at another file goes through the world, which records it.
"""
