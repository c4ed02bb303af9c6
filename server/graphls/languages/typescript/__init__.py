"""TypeScript and JavaScript: one language with several grammars.

Owns: extraction, module rules and resolution of both.
Must not know: disk, editors, checkers, other languages.
Invariant: facts depend on the bytes and the ending of the name alone.
"""
