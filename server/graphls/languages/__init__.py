"""Languages: one folder each, found by name.

Owns: the contract every language fulfils, grammars, what is common to all extraction.
Must not know: disk, editors, resolution across files.
Invariant: adding a language adds a folder and changes nothing else.
"""
