"""Sources: the only door to disk.

Owns: walking, ignore rules, reading, overlays of open buffers, watching, settings files, environments.
Must not know: languages, facts beyond their path types, the store, any face.
Invariant: nothing outside the workspace is read as source, and nothing found on disk is ever run.
"""
