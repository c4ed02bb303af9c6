"""Progress: a bar on standard error while long work goes on.

Owns: when a bar is shown, what it says.
Must not know: what the work is.
Invariant: nothing is written unless a person looks at a terminal, and nothing of it stays there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Protocol

_DELAY = 0.4
"""Seconds; work that is done sooner needs no bar."""


class Bar(Protocol):
    """Shows how far work is."""

    def show(self, stage: str, done: int, total: int) -> None: ...


@contextmanager
def bar() -> Generator[Bar]:
    """A bar for the work inside, where one makes sense."""
    if not sys.stderr.isatty():
        yield _NoBar()
        return
    progress_bar = _RichBar()
    try:
        yield progress_bar
    finally:
        progress_bar.end()


class _NoBar:
    def show(self, stage: str, done: int, total: int) -> None:
        pass


class _RichBar:
    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._ends: Callable[[], None] = lambda: None
        self._update: Callable[[str, int, int], None] | None = None

    def show(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() - self._begin < _DELAY:
            return
        if self._update is None:
            self._start()
        assert self._update is not None
        self._update(stage, done, total)

    def end(self) -> None:
        self._ends()

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        task = progress.add_task("starting", total=None)
        progress.start()
        self._ends = progress.stop

        def update(stage: str, done: int, total: int) -> None:
            # update() takes None for "as it was"; work of unknown length is a bar that only moves.
            progress.tasks[0].total = total or None
            text = f"{stage} {done:,} of {total:,}" if total else stage
            progress.update(task, description=text, completed=done)

        self._update = update
