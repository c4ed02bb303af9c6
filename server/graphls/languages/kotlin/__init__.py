"""Kotlin: packages by clause, types by declaration, extensions by receiver.

Owns: everything that is particular to Kotlin.
Must not know: other languages, sessions.
Invariant: what the sources say decides; no Kotlin program is ever run.
"""
