"""Incan: the language folder.

Owns: everything that knows Incan.
Must not know: other languages.
Invariant: the core reaches it through `provider` alone.
"""
