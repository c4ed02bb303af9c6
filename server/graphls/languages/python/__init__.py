"""Python: the provider of the Python language.

Owns: its tree-sitter queries, name rules, import forms and surface rule.
Must not know: other files, disk, installed packages, how names are resolved.
Invariant: extraction returns facts and problems and never raises on broken code.
"""
