"""Types: resolution of Rust.

Owns: what uses in Rust files mean.
Must not know: the grammar, records, editors.
Invariant: every look at another file goes through the world, which records it.
"""
