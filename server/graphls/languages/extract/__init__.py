"""Extract: what every extractor uses.

Owns: tables under construction, kinds, grammars, surfaces, syntax errors.
Must not know: any particular language, other files.
Invariant: facts are a function of the bytes of one file.
"""
