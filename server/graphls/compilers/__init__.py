"""Compilers: facts that a real checker settled.

Owns: running checkers, importing their answers, the overlay of verified sites.
Must not know: faces, editors, how the graph is shown.
Invariant: nothing depends on a checker being present; a failed one is named, never silent.
"""
