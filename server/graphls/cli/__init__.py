"""Command line: the face for people and scripts.

Owns: arguments, exit codes, text and JSON output.
Must not know: the other faces' protocols, syntax trees, how facts are stored.
Invariant: standard output holds the answer alone; a user never sees a traceback.
"""
