"""Log: findings as a log of SARIF 2.1.0.

Owns: which member of the format holds what, fingerprints, levels.
Must not know: rules by name, where the log goes.
Invariant: no path of a machine and no time in it; the same findings of the same contents give the same bytes, and
fingerprints hold where lines move or another symbol is renamed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

from graphls import __version__
from graphls.analysis.baseline import Baseline, FixedFinding
from graphls.analysis.engine import catalogue
from graphls.analysis.finding import OWN_TOOL, Evidence, Finding
from graphls.analysis.findings import FindingSet
from graphls.analysis.records import owner_of
from graphls.analysis.sarif.line_hash import line_hashes
from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.addresses import digest_of
from graphls.graph.identity import symbol_name
from graphls.graph.merkle import snapshot_id
from graphls.graph.node_records import FileNodes
from graphls.graph.nodes import container, lasting_row
from graphls.graph.records import Json
from graphls.graph.snapshot import Snapshot, SymbolRef

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINDING: Final = "graphls/finding/v1"
GROUP: Final = "graphls/group/v1"
LINE: Final = "primaryLocationLineHash"
LEVELS: Final[Mapping[str, str]] = {"P1": "error", "P2": "warning", "P3": "note", "info": "none"}
ROOT: Final = "%SRCROOT%"


def sarif_log(snapshot: Snapshot, answered: FindingSet, chosen: Sequence[Finding]) -> bytes:
    """The log. With a baseline each result says whether it is new; those that are gone stand at the end."""
    writer = _LogWriter(snapshot, answered.baseline)
    results = [writer.result(finding) for finding in chosen]
    gone = [_absent(one) for one in answered.fixed]
    ids = sorted({str(result["ruleId"]) for result in (*results, *gone)})
    for result in (*results, *gone):
        result["ruleIndex"] = ids.index(str(result["ruleId"]))
    run: dict[str, Json] = {
        "tool": {"driver": _driver(ids, chosen)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder of the workspace."}}},
        "invocations": [_invocation(answered)],
        "results": [*results, *gone],
        "properties": {"snapshot": snapshot_id(snapshot)},
    }
    log: dict[str, Json] = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _driver(ids: Sequence[str], chosen: Sequence[Finding]) -> dict[str, Json]:
    shown = {finding.rule: finding for finding in reversed(chosen)}
    return {
        "name": "graphls",
        "semanticVersion": __version__,
        "rules": [_rule(code, shown.get(code)) for code in ids],
    }


def _rule(code: str, shown: Finding | None) -> dict[str, Json]:
    """What services ask to be told of every rule. `shown`: a finding of one that graphls knows nothing else of."""
    known = catalogue().get(code)
    if known is None:
        said = _rule_words(code, shown)
        return {
            "id": code,
            "shortDescription": {"text": code},
            "fullDescription": {"text": said},
            "help": {"text": said},
        }
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in code.rpartition(".")[2].split("_")),
        "shortDescription": {"text": known.title},
        "fullDescription": {"text": known.doc},
        "help": {"text": known.doc},
        "defaultConfiguration": {"level": LEVELS[known.priority]},
        "properties": {"category": known.category, "priority": known.priority},
    }


def _rule_words(code: str, shown: Finding | None) -> str:
    """What a rule of a team, or of another tool, is about, as far as its findings say."""
    if shown is None:
        return f"The rule {code}."
    if shown.tool != OWN_TOOL:
        return f"A rule of {shown.tool}, whose documentation says what it is about."
    return " ".join((shown.pressure, *shown.suggestions)).strip() or f"The rule {code}."


def _invocation(answered: FindingSet) -> dict[str, Json]:
    failed: list[Json] = [
        {"level": "error", "message": {"text": f"The rule {failure.rule} could not finish: {failure.reason}"}}
        for failure in answered.failures
    ]
    made: dict[str, Json] = {"executionSuccessful": not failed}
    return {**made, "toolExecutionNotifications": failed} if failed else made


def _absent(one: FixedFinding) -> dict[str, Json]:
    made: dict[str, Json] = {
        "ruleId": one.rule or "unknown",
        "ruleIndex": 0,
        "level": "none",
        "message": {"text": one.title or "A finding that is gone."},
        "baselineState": "absent",
        "properties": {"finding_id": one.id, "title": one.title},
    }
    if one.file:
        made["locations"] = [{"physicalLocation": {"artifactLocation": _artifact(one.file)}}]
    return made


def _artifact(path: str) -> dict[str, Json]:
    return {"uri": quote(path), "uriBaseId": ROOT}


def _review(finding: Finding) -> dict[str, Json]:
    mark = finding.review
    if mark is None:
        return {}
    words: dict[str, Json] = {"verdict": mark.verdict, "reason": mark.reason, "author": mark.author}
    return {"review": {**words, "outdated": mark.outdated}}


class _LogWriter:
    """Results of one snapshot; lines of each file are counted once."""

    def __init__(self, snapshot: Snapshot, baseline: Baseline) -> None:
        self._snapshot = snapshot
        self._baseline = baseline
        self._lines: dict[FilePath, LineIndex] = {}
        self._hashes: dict[FilePath, Mapping[int, str]] = {}

    def result(self, finding: Finding) -> dict[str, Json]:
        """One finding."""
        place = owner_of(self._snapshot, finding.at)
        symbol = symbol_name(self._snapshot, place)
        made: dict[str, Json] = {
            "ruleId": finding.rule,
            "ruleIndex": 0,
            "level": LEVELS[finding.priority],
            "message": {"text": f"{finding.title}. {finding.pressure}" if finding.tool == OWN_TOOL else finding.title},
            "locations": [self._location(finding.at, place, symbol)],
        }
        others = finding.evidence[1:]
        if others:
            made["relatedLocations"] = [
                {"id": number, **self._physical(one), "message": {"text": one.note}}
                for number, one in enumerate(others, 1)
            ]
        made["partialFingerprints"] = self._fingerprints(finding, place, symbol)
        if finding.status in ("suppressed", "rejected", "deferred"):
            kind = "inSource" if finding.status == "suppressed" else "external"
            made["suppressions"] = [{"kind": kind, "status": "accepted", "justification": finding.reason}]
        if self._baseline.given:
            made["baselineState"] = "unchanged" if self._baseline.knows(finding) else "new"
        made["properties"] = self._properties(finding, place, symbol)
        return made

    def _location(self, evidence: Evidence, place: SymbolRef, symbol: str) -> dict[str, Json]:
        kind = self._node(place)[1]
        return {
            **self._physical(evidence),
            "logicalLocations": [{"fullyQualifiedName": symbol, "kind": kind}],
        }

    def _physical(self, evidence: Evidence) -> dict[str, Json]:
        lines = self._index(evidence.file)
        line, column = lines.position(evidence.start, "utf-32")
        last, end = lines.position(max(evidence.end, evidence.start), "utf-32")
        region: dict[str, Json] = {
            "startLine": line + 1,
            "startColumn": column + 1,
            "endLine": last + 1,
            "endColumn": end + 1,
            "byteOffset": evidence.start,
            "byteLength": max(evidence.end - evidence.start, 0),
        }
        return {"physicalLocation": {"artifactLocation": _artifact(evidence.file), "region": region}}

    def _fingerprints(self, finding: Finding, place: SymbolRef, symbol: str) -> dict[str, Json]:
        language = self._snapshot.shards[place.file].language
        line = self._index(finding.at.file).line_of(finding.at.start) + 1
        made: dict[str, Json] = {
            FINDING: digest_of("finding/v1", finding.rule, language, self._node(place)[1], symbol, finding.id).hex(),
            GROUP: digest_of("group/v1", finding.rule, symbol).hex(),
        }
        hashed = self._hashes_of(finding.at.file).get(line)
        return {**made, LINE: hashed} if hashed else made

    def _properties(self, finding: Finding, place: SymbolRef, symbol: str) -> dict[str, Json]:
        kind, symbol_kind, name = self._node(place)
        words = (finding.title, finding.rule, symbol, *finding.suggestions)
        return {
            "ast_language": self._snapshot.shards[place.file].language,
            "ast_node_kind": kind,
            "ast_symbol_kind": symbol_kind,
            "ast_symbol_name": name,
            "ast_symbol_path": symbol,
            "ast_parent_symbol_path": self._parent(place),
            "finding_id": finding.id,
            "title": finding.title,
            "tool": finding.tool,
            "category": finding.category,
            "priority": finding.priority,
            "confidence": finding.confidence,
            "evidence_tier": finding.evidence_tier,
            "advice": list(finding.suggestions),
            "risks": list(finding.risks),
            "caveats": list(finding.caveats),
            "measures": {
                name: list(value) if isinstance(value, tuple) else value for name, value in finding.measures.items()
            },
            "search_text": " ".join(words),
            **_review(finding),
        }

    def _parent(self, place: SymbolRef) -> str:
        if place.definition < 0:
            return ""
        facts = self._snapshot.facts(place.file)
        return symbol_name(
            self._snapshot, SymbolRef(place.file, lasting_row(facts, container(facts, place.definition)))
        )

    def _node(self, place: SymbolRef) -> tuple[str, str, str]:
        """Kind of the node, the finest kind there is, its name."""
        if not self._snapshot.shards[place.file].language:
            return "file", "file", place.file
        node = FileNodes(self._snapshot, place.file).node(place.definition)
        return node.kind, node.subkind or node.kind, node.name

    def _index(self, path: FilePath) -> LineIndex:
        known = self._lines.get(path)
        if known is None:
            known = self._lines[path] = LineIndex(self._snapshot.text(path) or b"")
        return known

    def _hashes_of(self, path: FilePath) -> Mapping[int, str]:
        known = self._hashes.get(path)
        if known is None:
            text = (self._snapshot.text(path) or b"").decode("utf-8", "replace").removeprefix("\ufeff")
            known = self._hashes[path] = line_hashes(text)
        return known
