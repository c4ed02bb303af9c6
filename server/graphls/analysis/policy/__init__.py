"""Policy: rules of a team, as expressions over facts.

Owns: the facts that expressions see, their compilation, what is a finding of a rule.
Must not know: version control, layout, where rules are written.
Invariant: the program collects facts, an expression only decides; what was not collected is absent.
"""
