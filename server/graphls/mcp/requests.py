"""Requests: what the arguments of tools have in common.

Owns: kinds of arguments, their bounds and what an agent reads about them; words for arguments that do not fit.
Must not know: particular tools, how a request is answered.
Invariant: arguments that fit no field are refused, with words that say which, why and what is allowed.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphls.session.disk_observer import FreshnessMode

Subject = Annotated[
    str,
    Field(min_length=1, max_length=1_000, description="name, module:Class.method, path, path:LINE or id"),
]
Path = Annotated[str, Field(min_length=1, max_length=4_096)]
Cursor = Annotated[str, Field(max_length=1_000, description="next page; same arguments")]
Budget = Annotated[int, Field(ge=200, le=60_000, description="tokens")]
Confidence = Annotated[float, Field(ge=0, le=1)]
Words = Annotated[tuple[str, ...], Field(max_length=40)]
Scope = Annotated[str, Field(max_length=4_096, description="file, folder, package or module")]
Freshly = Annotated[FreshnessMode, Field(description="require-fresh waits for the disk; allow-stale for nothing")]
Form = Annotated[Literal["text", "json"], Field(description="json: structured content")]
Commit = Annotated[str, Field(max_length=250)]
"""A branch, tag or commit; the words about it are in the instructions, once for all tools."""
MOST_UNRESOLVED = 1_000


class ToolRequest(BaseModel):
    """Arguments of a tool."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PagedRequest(ToolRequest):
    """Arguments of a tool whose answer may have pages."""

    cursor: Cursor = ""
    freshness: Freshly = "prefer-fresh"
    format: Form = "text"


class CommitRequest(PagedRequest):
    """Arguments of a tool that may be asked about a commit."""

    at: Commit = ""


def refusal_words(error: ValidationError, model: type[BaseModel]) -> str:
    """Why arguments do not fit, and what is allowed."""
    parts: list[str] = []
    for problem in error.errors(include_url=False, include_input=False)[:5]:
        where = ".".join(str(part) for part in problem["loc"]) or "arguments"
        said = "this is about the files as they are" if where == "at" and "at" not in model.model_fields else ""
        parts.append(f"{where}: {said or problem['msg']}")
    return f"The arguments do not fit. {'; '.join(parts)}. Allowed: {allowed(model)}."


def allowed(model: type[BaseModel]) -> str:
    """The fields of a request with the words they take; `*` marks those that have to be there."""
    return ", ".join(
        f"{name}{'*' if field.is_required() else ''}{_choices(field.annotation)}"
        for name, field in model.model_fields.items()
    )


def _choices(hint: Any) -> str:
    words = _literals(hint)
    return f" ({' | '.join(words)})" if words else ""


def _literals(hint: Any) -> tuple[str, ...]:
    if get_origin(hint) is Literal:
        return tuple(str(word) for word in get_args(hint))
    return tuple(word for inner in get_args(hint) for word in _literals(inner))
