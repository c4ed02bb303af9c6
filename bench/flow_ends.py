"""Flow ends: are the calls that follow from what places may hold the same, asked for from either end?

Owns: the comparison of what each file calls with what each function is called by.
Must not know: how values get anywhere.
Invariant: every difference is printed; ends with 1 where there is one.

    python bench/flow_ends.py ROOT [--count N]
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from pathlib import Path

from linked import linked

from graphls.graph.derivation import DerivedCalls
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef


def main() -> int:
    """Prints counts, differences and what the searches cost."""
    options = argparse.ArgumentParser()
    options.add_argument("root", type=Path)
    options.add_argument("--count", type=int, default=1_000_000)
    chosen = options.parse_args()
    with linked(chosen.root.resolve()) as session:
        return _compare(session.snapshot(), chosen.count)


def _compare(snapshot: Snapshot, count: int) -> int:
    assert snapshot.derivation is not None
    calls = snapshot.derivation.calls(snapshot)
    start = time.process_time()
    wanted = _by_target(snapshot, calls)
    print(f"{sum(map(len, wanted.values())):,} edges to {len(wanted):,} places, {time.process_time() - start:.1f} CPU-s")
    places = sorted(wanted, key=lambda place: (place.file, place.definition))
    random.Random(1).shuffle(places)
    costs, differing = list[tuple[float, str]](), 0
    for place in places[:count]:
        start = time.process_time()
        found = {(edge.source, edge.kind) for edge in calls.to_place(place)}
        name = f"{place.file} {qualified_name(snapshot.facts(place.file), place.definition)}"
        costs.append((time.process_time() - start, name))
        if found != wanted[place]:
            differing += 1
            print("differs:", name, *sorted(map(str, found ^ wanted[place]))[:3])
    costs.sort()
    print(f"{differing} of {len(costs):,} places differ")
    shares = ", ".join(f"{share:.0%} {costs[int(len(costs) * share)][0]:.3f}" for share in (0.5, 0.9, 0.99))
    print(f"CPU-s of a search forward: {shares}, most {costs[-1][0]:.1f} ({costs[-1][1]})" if costs else "no calls")
    return 1 if differing else 0


def _by_target(snapshot: Snapshot, calls: DerivedCalls) -> dict[SymbolRef, set[tuple[SymbolRef, str]]]:
    found: dict[SymbolRef, set[tuple[SymbolRef, str]]] = defaultdict(set)
    for path in sorted(snapshot.files()):
        if snapshot.shards[path].language:
            for edge in calls.from_file(path):
                assert isinstance(edge.source, SymbolRef) and isinstance(edge.target, SymbolRef)
                found[edge.target].add((edge.source, edge.kind))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
