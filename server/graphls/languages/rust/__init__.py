"""Rust: how the core reads it.

Owns: everything that is particular to Rust.
Must not know: other languages, sessions.
Invariant: no other folder mentions it.
"""
