"""Index: from files on disk to their facts.

Owns: walks, file events, the table of files, extraction.
Must not know: what names mean, protocols.
Invariant: a file in the table says what its content key says.
"""
