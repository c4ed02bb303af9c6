"""SARIF: findings as a log of SARIF 2.1.0, and logs of other tools as findings.

Owns: nothing itself; `log` writes, `reading` and `imported` take in, `line_hash` is a fingerprint that others know.
Must not know: where a log is kept, who asks.
Invariant: what is written says the same for the same contents, whatever the folder is called.
"""
