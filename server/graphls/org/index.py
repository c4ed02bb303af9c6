"""Index: an organisation's repositories, brought up to date in the store.

Owns: the order of steps, which of them a repository still needs, the catalogue of what the store holds.
Must not know: where tasks run, what they do inside, how progress is shown.
Invariant: a repository is in the catalogue with tables of one state of its files; one that fails stays as it was, and
    is named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from json import dumps
from typing import Final, cast

import attrs

from graphls.org.engines import Engine, OrgTask, TaskOutcome
from graphls.org.join import Providers
from graphls.org.objects import CATALOGUE, OrgStore, join_object, state_object
from graphls.org.sources import OrgRepository
from graphls.org.tasks import Plain

CATALOGUE_VERSION: Final = 1
_ABOUT: Final = ("tops", "leads", "used", "packages", "requires")
_COUNTS: Final = ("nodes", "edges", "unresolved", "written")


@attrs.frozen
class PhaseCost:
    """What one step took in all: CPU and wall seconds of its tasks, the most memory at the end of one, and the bytes of
    facts and tables that they read from the store and wrote there."""

    phase: str
    tasks: int
    cpu: float
    seconds: float
    peak_mb: float
    read: int
    written: int


@attrs.frozen
class OrgReport:
    """What a run did. `left_out`: repositories that are not up to date, and why; `problems`: files that are not in the
    tables, or in part."""

    repositories: int
    indexed: int
    unchanged: int
    joined: int
    lines: int
    size: int
    left_out: Mapping[str, str]
    problems: Mapping[str, Sequence[str]]
    costs: tuple[PhaseCost, ...]


Progress = Callable[[str, int, int], None]
"""A step, and how many of its tasks have ended."""


def index_organisation(
    sources: Sequence[OrgRepository],
    engine: Engine,
    store: OrgStore,
    progress: Progress = lambda phase, done, total: None,
) -> OrgReport:
    """Raises EngineError, RemoteError."""
    return _Run(sources, engine, store, progress).run()


class _Run:
    def __init__(self, sources: Sequence[OrgRepository], engine: Engine, store: OrgStore, progress: Progress) -> None:
        self._places = {one.name: one.place for one in sources}
        self._engine = engine
        self._store = store
        self._progress = progress
        self._left_out: dict[str, str] = {}
        self._problems: dict[str, list[str]] = defaultdict(list)
        self._costs: list[PhaseCost] = []

    def run(self) -> OrgReport:
        """All steps, one after the other."""
        where: dict[str, Plain] = {"url": self._store.url, "signed": self._store.signed}
        seen = self._step("survey", {name: {"name": name, "place": place} for name, place in self._places.items()})
        states = {name: dict(self._store.state(state_object(name))) for name in seen}
        fresh = {name: one for name, one in seen.items() if states[name].get("digest") != one["digest"]}
        self._step("extract", dict(self._extractions(fresh, where)), leave_out=False)
        arguments: dict[str, dict[str, Plain]] = {
            name: {"name": name, "place": self._places[name], "digest": one["digest"], "packs": _packs(one), **where}
            for name, one in fresh.items()
        }
        linked = self._step("link", arguments)
        for name, one in linked.items():
            self._problems[name] += cast("list[str]", one["problems"])
        projected = self._step("project", {name: arguments[name] for name in linked})
        for name, one in projected.items():
            states[name] = {key: one[key] for key in (*_ABOUT, *_COUNTS, "problems")}
            states[name] |= {"digest": fresh[name]["digest"], "lines": fresh[name]["lines"], "name": name}
            self._store.put_state(state_object(name), states[name])
        everybody = self._everybody({name: state for name, state in states.items() if state.get("digest")})
        joined = self._join(everybody, where)
        self._store.put_state(CATALOGUE, {"version": CATALOGUE_VERSION, "repositories": everybody})
        for name, state in everybody.items():
            self._problems[name] += cast("list[str]", state.get("problems") or [])
        return OrgReport(
            repositories=len(self._places),
            indexed=len(projected),
            unchanged=len(seen) - len(fresh),
            joined=joined,
            lines=sum(cast("int", one["lines"]) for one in seen.values()),
            size=sum(cast("int", one["bytes"]) for one in seen.values()),
            left_out=dict(sorted(self._left_out.items())),
            problems={
                name: tuple(rows) for name, rows in sorted(self._problems.items()) if rows and name in self._places
            },
            costs=tuple(self._costs),
        )

    def _everybody(self, states: Mapping[str, Mapping[str, object]]) -> dict[str, Mapping[str, object]]:
        """Those of this run, and those of earlier ones."""
        before = cast("Mapping[str, Mapping[str, object]]", self._store.state(CATALOGUE).get("repositories") or {})
        return dict(sorted({**before, **states}.items()))

    def _extractions(
        self, fresh: Mapping[str, Mapping[str, Plain]], where: Mapping[str, Plain]
    ) -> Iterable[tuple[str, dict[str, Plain]]]:
        for name, one in fresh.items():
            for batch in cast("list[dict[str, Plain]]", one["batches"]):
                key = f"{name} {batch['name']}"
                yield key, {"place": self._places[name], "pack": batch["name"], "paths": batch["paths"], **where}

    def _join(self, everybody: Mapping[str, Mapping[str, object]], where: Mapping[str, Plain]) -> int:
        """Joins the repositories of which something that this rests on has changed."""
        tasks: dict[str, dict[str, Plain]] = {}
        digests: dict[str, str] = {}
        offering = Providers(everybody.values())
        for name, one in everybody.items():
            providers = offering.of(one)
            rests_on = [(str(each["name"]), str(each["digest"])) for each in (one, *providers)]
            digests[name] = blake2b(dumps(rests_on).encode(), digest_size=16).hexdigest()
            if self._store.state(join_object(name)).get("digest") != digests[name]:
                known = [{key: cast("Plain", each[key]) for key in ("name", "tops", "packages")} for each in providers]
                own = {key: cast("Plain", one[key]) for key in ("name", "requires")}
                tasks[name] = {"name": name, "providers": cast("list[Plain]", known), "own": own, **where}
        done = self._step("join", tasks)
        for name, one in done.items():
            self._store.put_state(join_object(name), {"digest": digests[name], "rows": one["rows"]})
        return len(done)

    def _step(
        self, phase: str, tasks: Mapping[str, dict[str, Plain]], *, leave_out: bool = True
    ) -> dict[str, dict[str, Plain]]:
        """Results by key. Repositories of which a task fails are left out, unless a later step makes up for it."""
        wanted = [OrgTask(f"{phase} {key}", phase, given) for key, given in tasks.items()]
        results: dict[str, dict[str, Plain]] = {}
        self._progress(phase, 0, len(wanted))
        for number, outcome in enumerate(self._engine.run(wanted), 1):
            key = outcome.task.key.removeprefix(f"{phase} ")
            if outcome.result is not None:
                results[key] = outcome.result
            else:
                self._note(phase, key, outcome, leave_out=leave_out)
            self._progress(phase, number, len(wanted))
        self._costs.append(_cost(phase, list(results.values())))
        # Outcomes come in any order.
        return {key: results[key] for key in tasks if key in results}

    def _note(self, phase: str, key: str, outcome: TaskOutcome, *, leave_out: bool) -> None:
        repository = key.partition(" ")[0]
        if leave_out:
            self._left_out[repository] = f"{phase}: {outcome.problem}"
        else:
            self._problems[repository].append(f"{phase}: {outcome.problem}; read again while linking")


def _packs(one: Mapping[str, Plain]) -> list[Plain]:
    return [batch["name"] for batch in cast("list[dict[str, Plain]]", one["batches"])]


def _cost(phase: str, results: Sequence[Mapping[str, Plain]]) -> PhaseCost:
    keys = ("cpu", "seconds", "peak_mb", "read", "written")
    numbers = {key: [float(cast("float", one[key])) for one in results] for key in keys}
    return PhaseCost(
        phase,
        len(results),
        round(sum(numbers["cpu"]), 2),
        round(sum(numbers["seconds"]), 2),
        max(numbers["peak_mb"], default=0.0),
        int(sum(numbers["read"])),
        int(sum(numbers["written"])),
    )
