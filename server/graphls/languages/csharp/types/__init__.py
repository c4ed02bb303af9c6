"""Types: what names of C# mean, by declarations.

Owns: namespaces, types and their members, calls, links.
Must not know: trees, other languages.
Invariant: what no declaration decides stays open.
"""
