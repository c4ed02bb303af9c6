"""Cache: values kept in memory and in the store, within bounds.

Owns: contents by key, derived nodes, sizes.
Must not know: how values are made.
Invariant: a cached value equals one made anew.
"""
