"""Surroundings of every test: settled, offline, away from the user's own cache.

Owns: the environment of the test process, the switch that rewrites goldens, hypothesis' profile.
Must not know: any layer of the package.
Invariant: a test run writes below pytest's own folder only, and the same tree gives the same verdict.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from brief_report import BriefReport

ROOT = Path(__file__).parent.parent

OUTER = (
    *("CI", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "LINES", "NO_COLOR"),
    *("PY_COLORS", "PYTHONWARNINGS", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "CONDA_PREFIX", "VIRTUAL_ENV"),
)
"""What a terminal, a service that runs tests, or an active environment sets, and what answers or their looks follow."""

settings.register_profile(
    "graphls", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("graphls")

# A shell starts background jobs with interrupts ignored, and children would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.default_int_handler)
# So does `nohup` with the end of a terminal.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="rewrite golden files; review the difference")
    parser.addoption("--brief", metavar="FILE", help="no dot for each test; FILE gets a line for each failure")


def pytest_configure(config: pytest.Config) -> None:
    # Workers of xdist have the option too; only who prints needs the report.
    if config.getoption("--brief") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(BriefReport(config, Path(config.getoption("--brief"))), "brief")


def pytest_collection_finish() -> None:
    """Thousands of tests and all that they import stay to the end: no search for garbage goes through them again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def update_goldens(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-goldens"))


@pytest.fixture(scope="session", autouse=True)
def own_surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Child processes find this tree, and every cache is a fresh one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT / "server"), os.environ.get("PYTHONPATH")])))
        for name in [name for name in os.environ if name.startswith(("GRAPHLS_", "GIT_")) or name in OUTER]:
            patch.delenv(name)
        yield


@pytest.fixture
def unlistable(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Folders of a given name refuse to be listed, as no mode makes them do for root."""

    def refuse(name: str) -> None:
        listing = os.scandir

        def refusing(path: str) -> object:
            if os.path.basename(path) == name:
                raise PermissionError(13, "Permission denied")
            return listing(path)

        monkeypatch.setattr(os, "scandir", refusing)

    return refuse
