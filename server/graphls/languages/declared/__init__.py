"""Declared: languages whose declarations say their types.

Owns: the facts builder, the values and the inference that these languages share.
Must not know: any particular language, sessions.
Invariant: a use has an answer only where scopes, imports and written types decide it; never by equal names alone.
"""
