"""Languages: one folder a language, each with its queries and one provider.

Owns: discovering providers; grammar, names, imports and types of each language.
Must not know: disk, other files, how names are resolved, which face asked.
Invariant: a provider reads nothing but the bytes that it is given.
"""
