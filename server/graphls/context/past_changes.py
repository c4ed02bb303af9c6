"""Past changes: which files were changed by commits that say what the task says.

Owns: how like a commit and a task are, what that adds to the declarations of the files that it changed.
Must not know: how the log is read, links, budgets.
Invariant: only the commits that were given count; without any, nothing is added.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from graphls.context.candidates import Candidates, Reason
from graphls.context.terms import Task, terms
from graphls.context.weights import Weights
from graphls.sources.git_log import CommitPaths

CONSIDERED: Final = 200
"""Commits that are read: with 100 the ranking is worse, 500 add nothing."""
_SPREAD: Final = 9


def add_history(task: Task, commits: Sequence[CommitPaths], weights: Weights, found: Candidates) -> None:
    """A merit for every declaration in files that like commits changed; those in the likeliest file get all of it."""
    if not weights.history:
        return
    likely = past_likeness({*task.title, *task.body}, commits)
    most = max((likely.get(candidate.key.file, 0.0) for candidate in found), default=0.0)
    for candidate in list(found) if most else ():
        share = likely.get(candidate.key.file, 0.0) / most
        if share:
            reason = Reason("history", weights.history * damped(share), candidate.key.file)
            found.add(candidate.key, candidate.start, reason)


def damped(share: float) -> float:
    """What a share of the most is worth, both from 0 to 1: a tenth is worth more than a quarter."""
    return math.log1p(_SPREAD * share) / math.log1p(_SPREAD)


def past_likeness(words: set[str], commits: Sequence[CommitPaths]) -> Mapping[str, float]:
    """Path -> how like the task the commits that changed it are, together (idea: the similar reports of BugLocator,
    Zhou, Zhang and Lo 2012). A commit that changed many files says less about each."""
    subjects = [set(terms(commit.subject)) for commit in commits]
    spread = Counter(word for subject in subjects for word in subject)
    rarity = {word: math.log(1 + (len(commits) - count + 0.5) / (count + 0.5)) for word, count in spread.items()}
    unseen = math.log(1 + (len(commits) + 0.5) / 0.5)
    asked = sum(rarity.get(word, unseen) for word in sorted(words))
    found: defaultdict[str, float] = defaultdict(float)
    for commit, subject in zip(commits, subjects, strict=True):
        shared = sum(rarity[word] for word in sorted(words & subject))
        said = sum(rarity[word] for word in sorted(subject))
        for path in commit.paths if shared else ():
            found[path] += shared**2 / (asked * said) / math.sqrt(len(commit.paths))
    return found
