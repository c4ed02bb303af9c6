"""Ruby: constants by nesting, open classes, methods by who surely receives them.

Owns: everything that is particular to Ruby.
Must not know: other languages.
Invariant: a method is answered only where the class of what receives it is known; never by equal names alone.
"""
