"""Context: from a task to a ranked, budgeted pack of code.

Owns: reading the task, ranking declarations, filling the budget, saying why.
Must not know: LSP types, URIs, disk, how facts were extracted.
Invariant: same snapshot and request, same pack; never over the budget.
"""
