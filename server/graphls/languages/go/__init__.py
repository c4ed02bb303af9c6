"""Go: packages by folder, types by declaration.

Owns: everything that is particular to Go.
Must not know: other languages, sessions.
Invariant: what the sources say decides; the `go` program is never run.
"""
