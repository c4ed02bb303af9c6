"""Reading: the results of a SARIF log of any tool, as values.

Owns: which members are read, how places and levels that a log leaves out are filled in, refusals in words.
Must not know: the graph, the disk.
Invariant: a log is taken as a whole or refused as a whole; what a result does not say is "", 0 or empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final, Literal, cast
from urllib.parse import unquote, urljoin, urlsplit

import attrs

from graphls.facts.json_values import mapping_of, number_of, sequence_of, text_of

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
    run: int = 0
    """Which run of its log it is of."""
    policy: str = ""
    skill: str = ""
    principles: tuple[str, ...] = ()
    """What the properties of the result, else of its rule, say of a policy."""


@attrs.frozen(kw_only=True)
class SarifRun:
    """One run of a log; "" for what it does not say. `digest`: of all that it says."""

    tool: str
    version: str = ""
    category: str = ""
    guid: str = ""
    baseline_guid: str = ""
    produced_at: str = ""
    digest: str


@attrs.frozen
class SarifLog:
    """What a log holds."""

    runs: tuple[SarifRun, ...]
    results: tuple[SarifResult, ...]


def read_sarif(text: bytes) -> SarifLog:
    """All runs and their results, in their order. Raises SarifRefused."""
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError):
        raise SarifRefused("is not JSON") from None
    log = mapping_of(raw)
    runs = log.get("runs")
    if not isinstance(runs, list) or not runs:
        raise SarifRefused("has no runs: it is no SARIF log")
    if str(log.get("version", "2.1.0")) != "2.1.0":
        raise SarifRefused(f"is SARIF {str(log.get('version'))[:20]}; 2.1.0 is read")
    known = [mapping_of(run) for run in cast("Sequence[object]", runs)]
    results = (attrs.evolve(result, run=number) for number, run in enumerate(known) for result in _run(run))
    return SarifLog(tuple(map(_head, known)), tuple(results))


def _head(run: Mapping[str, object]) -> SarifRun:
    driver = mapping_of(mapping_of(run.get("tool")).get("driver"))
    details = mapping_of(run.get("automationDetails"))
    invocation = mapping_of(next(iter(sequence_of(run.get("invocations"))), None))
    return SarifRun(
        tool=text_of(driver.get("name")) or "unknown",
        version=text_of(driver.get("semanticVersion")) or text_of(driver.get("version")),
        category=text_of(details.get("id")),
        guid=text_of(details.get("guid")),
        baseline_guid=text_of(run.get("baselineGuid")),
        produced_at=text_of(invocation.get("endTimeUtc")) or text_of(invocation.get("startTimeUtc")),
        digest=blake2b(json.dumps(run, sort_keys=True).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest(),
    )


def _run(run: Mapping[str, object]) -> Iterator[SarifResult]:
    driver = mapping_of(mapping_of(run.get("tool")).get("driver"))
    tool = text_of(driver.get("name")) or "unknown"
    rules = [mapping_of(rule) for rule in sequence_of(driver.get("rules"))]
    bases = _bases(mapping_of(run.get("originalUriBaseIds")))
    characters = run.get("columnKind") == "unicodeCodePoints"
    for raw in sequence_of(run.get("results")):
        result = mapping_of(raw)
        kind = text_of(result.get("kind"))
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
    code = text_of(result.get("ruleId")) or text_of(mapping_of(result.get("rule")).get("id")) or text_of(rule.get("id"))
    own = {**mapping_of(rule.get("properties")), **mapping_of(result.get("properties"))}
    location = mapping_of(next(iter(sequence_of(result.get("locations"))), None))
    physical = mapping_of(location.get("physicalLocation"))
    artifact, region = mapping_of(physical.get("artifactLocation")), mapping_of(physical.get("region"))
    logical = mapping_of(next(iter(sequence_of(location.get("logicalLocations"))), None))
    line = number_of(region.get("startLine"))
    default = mapping_of(rule.get("defaultConfiguration")).get("level")
    return SarifResult(
        tool=tool,
        rule=code or "unknown",
        level=_LEVELS.get(text_of(result.get("level")) or text_of(default), "warning"),
        message=_message(result, rule),
        place=urljoin(bases.get(text_of(artifact.get("uriBaseId")), ""), text_of(artifact.get("uri"))),
        line=line,
        column=number_of(region.get("startColumn")),
        end_line=number_of(region.get("endLine")) or line,
        end_column=number_of(region.get("endColumn")),
        in_characters=characters,
        symbol=text_of(own.get("ast_symbol_path")) or text_of(logical.get("fullyQualifiedName")),
        finding_id=text_of(own.get("finding_id")),
        fingerprint=_fingerprint(mapping_of(result.get("partialFingerprints")), mapping_of(result.get("fingerprints"))),
        help=_help(rule),
        suppressed=_suppressed(sequence_of(result.get("suppressions"))),
        policy=text_of(own.get("policy_id")),
        skill=text_of(own.get("skill_id")),
        principles=tuple(filter(None, map(text_of, sequence_of(own.get("principle_ids"))))),
    )


def _rule_of(result: Mapping[str, object], rules: Sequence[Mapping[str, object]]) -> Mapping[str, object]:
    index = result.get("ruleIndex", mapping_of(result.get("rule")).get("index"))
    if isinstance(index, int) and 0 <= index < len(rules):
        return rules[index]
    code = result.get("ruleId")
    return next((rule for rule in rules if code and rule.get("id") == code), dict[str, object]())


def _message(result: Mapping[str, object], rule: Mapping[str, object]) -> str:
    message = mapping_of(result.get("message"))
    text = text_of(message.get("text")) or text_of(message.get("markdown"))
    if not text:
        named = mapping_of(mapping_of(rule.get("messageStrings")).get(text_of(message.get("id"))))
        text = text_of(named.get("text")) or text_of(mapping_of(rule.get("shortDescription")).get("text"))
    for number, argument in enumerate(sequence_of(message.get("arguments"))):
        text = text.replace(f"{{{number}}}", str(argument))
    return text


def _help(rule: Mapping[str, object]) -> str:
    for member in ("help", "shortDescription", "fullDescription"):
        text = text_of(mapping_of(rule.get(member)).get("text"))
        if text:
            return text
    return text_of(rule.get("helpUri"))


def _fingerprint(partial: Mapping[str, object], whole: Mapping[str, object]) -> str:
    """The surest there is: this program's own, then that of the line, then the first by name."""
    known = {**whole, **partial}
    for name in ("graphls/finding/v1", "graphls/group/v1", "primaryLocationLineHash", *sorted(known)):
        if name in known:
            return f"{name}:{known[name]}"
    return ""


def _suppressed(suppressions: Sequence[object]) -> str | None:
    for raw in suppressions:
        one = mapping_of(raw)
        if one.get("status", "accepted") == "accepted":
            return text_of(one.get("justification"))
    return None


def _bases(named: Mapping[str, object]) -> Mapping[str, str]:
    """URI of each base, as far as a log says it: bases may stand on bases."""
    found: dict[str, str] = {}

    def of(name: str, depth: int) -> str:
        base = mapping_of(named.get(name))
        uri = text_of(base.get("uri"))
        above = text_of(base.get("uriBaseId"))
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
