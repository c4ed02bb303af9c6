"""Fuzz recovery: servers whose cache holds values that fit their digests and their types, and lead nowhere.

Owns: what is packed for quick answers, changed within valid encodings, under running servers.
Must not know: what columns mean.
Invariant: no request fails, and answers are those of a server whose cache was empty.
"""

from __future__ import annotations

import random
import shutil
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from e2e.raw_client import RawClient
from e2e.test_survival import eventually, serving, sources
from fuzz.test_fuzz_cache import Recording, forged
from fuzz.wire import ask, snapshot_id
from graphls.session.prefetch import Prefetch
from graphls.session.session import SessionOptions
from graphls.session.shared_caches import SharedCaches
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import session_over, settle, write

QUESTIONS = [
    *(("graph/neighborhood", {"symbol": f"pkg.m{n}:C{n}.f", "depth": 2, "direction": "both"}) for n in range(12)),
    *(("graph/impact", {"symbol": f"pkg.m{n}:C{n}"}) for n in range(12)),
]
SEEDS = (1, 3)
"""With the first the work ahead of the server fails, with the second requests do."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace, and caches that hold what is not right."""
    place = tmp_path_factory.mktemp("recovery")
    write(place / "w", sources(12))
    with closing(Recording(place / "1")) as store:
        with session_over(place / "w", store, SessionOptions(libraries=True, upgrade=False)) as session:
            Prefetch(settle(session), SharedCaches(store, lambda path: None), lambda: False).run()
        honest = dict(store.given["edges"])
    shutil.copytree(place / "1", place / "3")
    for seed in SEEDS:
        changed = dict(forged(honest, random.Random(seed)))
        assert sum(changed[key] != value for key, value in honest.items()) > 5
        with closing(BlobStore(StoreOptions(str(place / str(seed))))) as store:
            store.put_many("edges", changed)
    return place


def _answers(client: RawClient) -> list[Any]:
    snapshot_id(client)
    time.sleep(2)  # what is packed is loaded when nobody asks
    said = [ask(client, method, params) for method, params in QUESTIONS]
    assert not [one["error"] for one in said if "error" in one]
    return [{name: value for name, value in one["result"].items() if name != "revision"} for one in said]


@pytest.mark.parametrize("seed", SEEDS)
def test_requests_of_an_editor_do_not_fail(place: Path, tmp_path: Path, seed: int) -> None:
    with serving(place / "w", place / str(seed)) as client:
        found = _answers(client)
        eventually(lambda: not ask(client, "graph/status", {})["result"]["session"]["problems"])
    with serving(place / "w", tmp_path) as client:
        assert found == _answers(client)
