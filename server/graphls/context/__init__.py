"""Context: from a task to a ranked pack within a budget.

Owns: seeds, ranking, detail levels, the budget, the reasons given for each item.
Must not know: LSP types, disk, which face asked.
Invariant: same snapshot, task and budget give the same pack, and it never exceeds the budget.
"""
