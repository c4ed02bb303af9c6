"""Facts: the vocabulary of what one file says.

Owns: kinds, columns, FileFacts, Surface, Links, line positions and their encoded form.
Must not know: any other layer of graphls.
Invariant: values only; nothing here reads a file, a clock or a setting.
"""
