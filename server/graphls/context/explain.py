"""Explain: why a pack holds what it holds, in words and numbers.

Owns: the sentence of an item, the full account of a pack.
Must not know: output formats.
Invariant: every number that made the ranking is in the account, or is a default of `Weights`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphls.context.candidates import Candidate
from graphls.context.terms import Task
from graphls.context.weights import Weights

_WORDS = {
    "words": "shares {}",
    "name": "named {} in the task",
    "symbol": "{} stands in the task",
    "line": "{} stands in the task",
    "file": "in {}",
    "given": "{}",
    "links": "linked: {}",
    "called": "its name is in the task",
    "place": "in a file about the task",
    "inside": "its class is what the task is about",
    "history": "changed by commits like the task",
    "recent": "changed of late",
    "size": "",
}


def reason_text(candidate: Candidate) -> str:
    """One line, the strongest merit first."""
    reasons = sorted(candidate.reasons, key=lambda reason: (-reason.score, reason.kind, reason.note))
    phrases = (_WORDS.get(reason.kind, "{}").format(reason.note) for reason in reasons)
    return "; ".join([text for text in phrases if text][:3])


def explanation(task: Task, weights: Weights, ranked: Sequence[Candidate]) -> Mapping[str, object]:
    """The full account, as plain values."""
    return {
        "words": list(dict.fromkeys(task.as_written(term) for term in (*task.title, *task.body))),
        "identifiers": list(task.identifiers),
        "symbols": list(task.dotted),
        "files": list(task.files),
        "changed_weights": dict(weights.changed()),
        "merits": [
            {
                "file": candidate.key.file,
                "factor": candidate.factor,
                "reasons": [
                    {"kind": reason.kind, "score": round(reason.score, 4), "note": reason.note}
                    for reason in candidate.reasons
                ],
            }
            for candidate in ranked
        ],
    }
