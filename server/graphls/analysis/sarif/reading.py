"""Reading: the results of a SARIF log of any tool, as values.

Owns: which members are read, how places and levels that a log leaves out are filled in, refusals in words.
Must not know: the graph, the disk.
Invariant: a log is taken as a whole or refused as a whole; what a result does not say is "", 0 or empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, cast
from urllib.parse import unquote, urljoin, urlsplit

import attrs

Level = Literal["error", "warning", "note", "none"]
_LEVELS: Final[Mapping[str, Level]] = {"error": "error", "warning": "warning", "note": "note", "none": "none"}
_SHOWN_KINDS: Final = frozenset(("fail", "open", "review", "informational"))
"""Kinds of result that say something is the matter, or may be."""


class SarifRefused(ValueError):
    """Why a log cannot be taken in, in words for users."""


@attrs.frozen(kw_only=True)
class SarifResult:
    """One result. `place`: URI as written, joined with its base; lines and columns from 1, 0 where not said."""

    tool: str
    rule: str
    level: Level
    message: str
    place: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    in_characters: bool = False
    """Columns count characters, not UTF-16 units."""
    symbol: str = ""
    """The symbol path that a log of this program names."""
    finding_id: str = ""
    fingerprint: str = ""
    help: str = ""
    suppressed: str | None = None
    """Why it is suppressed; None where it is not."""


def sarif_results(text: bytes) -> tuple[SarifResult, ...]:
    """All results of all runs, in their order. Raises SarifRefused."""
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError):
        raise SarifRefused("is not JSON") from None
    log = _mapping(raw)
    runs = log.get("runs")
    if not isinstance(runs, list) or not runs:
        raise SarifRefused("has no runs: it is no SARIF log")
    if str(log.get("version", "2.1.0")) != "2.1.0":
        raise SarifRefused(f"is SARIF {str(log.get('version'))[:20]}; 2.1.0 is read")
    return tuple(result for run in cast("Sequence[object]", runs) for result in _run(_mapping(run)))


def _run(run: Mapping[str, object]) -> Iterator[SarifResult]:
    driver = _mapping(_mapping(run.get("tool")).get("driver"))
    tool = _text(driver.get("name")) or "unknown"
    rules = [_mapping(rule) for rule in _sequence(driver.get("rules"))]
    bases = _bases(_mapping(run.get("originalUriBaseIds")))
    characters = run.get("columnKind") == "unicodeCodePoints"
    for raw in _sequence(run.get("results")):
        result = _mapping(raw)
        kind = _text(result.get("kind"))
        if result.get("baselineState") == "absent" or (kind and kind not in _SHOWN_KINDS):
            continue
        yield _result(result, tool, rules, bases, characters=characters)


def _result(
    result: Mapping[str, object],
    tool: str,
    rules: Sequence[Mapping[str, object]],
    bases: Mapping[str, str],
    *,
    characters: bool,
) -> SarifResult:
    rule = _rule_of(result, rules)
    code = _text(result.get("ruleId")) or _text(_mapping(result.get("rule")).get("id")) or _text(rule.get("id"))
    own = {**_mapping(rule.get("properties")), **_mapping(result.get("properties"))}
    location = _mapping(next(iter(_sequence(result.get("locations"))), None))
    physical = _mapping(location.get("physicalLocation"))
    artifact, region = _mapping(physical.get("artifactLocation")), _mapping(physical.get("region"))
    logical = _mapping(next(iter(_sequence(location.get("logicalLocations"))), None))
    line = _number(region.get("startLine"))
    default = _mapping(rule.get("defaultConfiguration")).get("level")
    return SarifResult(
        tool=tool,
        rule=code or "unknown",
        level=_LEVELS.get(_text(result.get("level")) or _text(default), "warning"),
        message=_message(result, rule),
        place=urljoin(bases.get(_text(artifact.get("uriBaseId")), ""), _text(artifact.get("uri"))),
        line=line,
        column=_number(region.get("startColumn")),
        end_line=_number(region.get("endLine")) or line,
        end_column=_number(region.get("endColumn")),
        in_characters=characters,
        symbol=_text(own.get("ast_symbol_path")) or _text(logical.get("fullyQualifiedName")),
        finding_id=_text(own.get("finding_id")),
        fingerprint=_fingerprint(_mapping(result.get("partialFingerprints")), _mapping(result.get("fingerprints"))),
        help=_help(rule),
        suppressed=_suppressed(_sequence(result.get("suppressions"))),
    )


def _rule_of(result: Mapping[str, object], rules: Sequence[Mapping[str, object]]) -> Mapping[str, object]:
    index = result.get("ruleIndex", _mapping(result.get("rule")).get("index"))
    if isinstance(index, int) and 0 <= index < len(rules):
        return rules[index]
    code = result.get("ruleId")
    return next((rule for rule in rules if code and rule.get("id") == code), dict[str, object]())


def _message(result: Mapping[str, object], rule: Mapping[str, object]) -> str:
    message = _mapping(result.get("message"))
    text = _text(message.get("text")) or _text(message.get("markdown"))
    if not text:
        named = _mapping(_mapping(rule.get("messageStrings")).get(_text(message.get("id"))))
        text = _text(named.get("text")) or _text(_mapping(rule.get("shortDescription")).get("text"))
    for number, argument in enumerate(_sequence(message.get("arguments"))):
        text = text.replace(f"{{{number}}}", str(argument))
    return text


def _help(rule: Mapping[str, object]) -> str:
    for member in ("help", "shortDescription", "fullDescription"):
        text = _text(_mapping(rule.get(member)).get("text"))
        if text:
            return text
    return _text(rule.get("helpUri"))


def _fingerprint(partial: Mapping[str, object], whole: Mapping[str, object]) -> str:
    """The surest there is: this program's own, then that of the line, then the first by name."""
    known = {**whole, **partial}
    for name in ("graphls/finding/v1", "graphls/group/v1", "primaryLocationLineHash", *sorted(known)):
        if name in known:
            return f"{name}:{known[name]}"
    return ""


def _suppressed(suppressions: Sequence[object]) -> str | None:
    for raw in suppressions:
        one = _mapping(raw)
        if one.get("status", "accepted") == "accepted":
            return _text(one.get("justification"))
    return None


def _bases(named: Mapping[str, object]) -> Mapping[str, str]:
    """URI of each base, as far as a log says it: bases may stand on bases."""
    found: dict[str, str] = {}

    def of(name: str, depth: int) -> str:
        base = _mapping(named.get(name))
        uri = _text(base.get("uri"))
        above = _text(base.get("uriBaseId"))
        return urljoin(of(above, depth + 1), uri) if above and depth < 10 else uri

    for name in named:
        found[name] = of(name, 0)
    return found


def path_of(place: str) -> str:
    """The path that a URI means: relative to the workspace, or absolute. Raises SarifRefused for other schemes."""
    parts = urlsplit(place)
    if parts.scheme not in ("", "file"):
        # A drive of Windows reads like a scheme.
        if len(parts.scheme) == 1:
            return unquote(place)
        raise SarifRefused(f"has a result in {place[:100]!r}, which is no file")
    return unquote(parts.path)


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _sequence(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value) if isinstance(value, list) else ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
