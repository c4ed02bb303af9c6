"""Types: what names and expressions of Swift mean.

Owns: scopes, modules, members, extensions, calls.
Must not know: trees, records, editors.
Invariant: an answer depends on the own file, the surfaces of others and recorded questions alone.
"""
