"""Store: the only door to what is kept between runs.

Owns: the content-addressed cache, its keys, its format and its limits.
Must not know: what the cached bytes mean, languages, workspaces.
Invariant: a missing, cut or foreign entry is a miss, never an error and never executed.
"""
