"""Java: packages by folder and clause, types by declaration.

Owns: everything that is particular to Java.
Must not know: other languages, sessions.
Invariant: what the sources say decides; no Java program is ever run.
"""
