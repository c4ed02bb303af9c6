"""Resolve: from names to the definitions they mean.

Owns: module tables, scopes, members, the types that code states or constructs.
Must not know: disk, syntax trees, compilers, LSP types.
Invariant: a name that no rule resolves stays unresolved; equal names alone make no link.
"""
