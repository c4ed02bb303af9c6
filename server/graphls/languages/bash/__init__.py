"""Bash: scripts of the shell, with what they source and what they run.

Owns: everything that is particular to shell scripts.
Must not know: other languages.
Invariant: a command that no function of the files in sight defines is a program, and no guess is made of it.
"""
