"""Prompts: ways of working that a user may choose in a client.

Owns: which prompts there are, their arguments and words.
Must not know: transports, how a tool answers.
Invariant: a prompt names tools and arguments only; no text of a workspace enters it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

_WORDS: Final[Mapping[str, tuple[str, str, str, str]]] = {
    "plan-change": (
        "Change a symbol everywhere",
        "symbol",
        "what is to be changed, and how",
        (
            "Change {0}. Call change_plan for the symbol with the kind of change, edit every certain line in the "
            "order given, decide each possible and unresolved one by reading it, then call changes: nothing may be "
            "broken. Run the tests that it names."
        ),
    ),
    "review-edits": (
        "Review what was edited",
        "base",
        "branch, tag or commit to compare with, or HEAD",
        (
            "Review the edits since {0}. Call changes (compare with that base, or all for HEAD), then change_plan for "
            "each changed signature, and report lines that are broken, uses that were not adapted, and tests to run."
        ),
    ),
    "learn-repository": (
        "Learn the repository",
        "question",
        "what you want to know",
        (
            "Answer: {0}. Call map once, then where for the names in the question, then understand for the two or "
            "three symbols that matter. Quote path:line for each claim."
        ),
    ),
}
DECLARED: Final = tuple(
    Prompt(
        name=name,
        title=title,
        description=f"{title}.",
        arguments=[PromptArgument(name=argument, description=about, required=True)],
    )
    for name, (title, argument, about, _) in _WORDS.items()
)
NAMES: Final = tuple(_WORDS)


def prompt(name: str, arguments: Mapping[str, str]) -> GetPromptResult | None:
    """A prompt with its argument; None for one that there is not, or without what it needs."""
    if name not in _WORDS:
        return None
    title, argument, _, words = _WORDS[name]
    value = arguments.get(argument, "").strip()
    if not value:
        return None
    text = words.format(value)
    return GetPromptResult(description=title, messages=[PromptMessage(role="user", content=TextContent(text=text))])
