"""Rules: one module a rule, found by discovery; each defines `RULE`.

Owns: nothing but the list of its modules.
Must not know: suppression, baselines, who shows findings.
Invariant: a rule reads views of one snapshot and yields claims; it keeps no state.
"""
