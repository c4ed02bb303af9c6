"""Sources: the only door to the disk of a workspace.

Owns: walking, ignore rules, overlays of open buffers, watching, reading settings files.
Must not know: languages, facts, resolution, LSP types.
Invariant: every byte that is indexed came through here and stays inside the workspace.
"""
