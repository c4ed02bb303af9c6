"""Frameworks: what declared rules say about code that frameworks call.

Owns: rules as data, routes and tools, fixtures, strings that name code, entry points of manifests.
Must not know: LSP types, URIs, disk, how facts were extracted.
Invariant: what is derived names its rule and how sure it is; a name alone derives nothing unless a rule says so.
"""
