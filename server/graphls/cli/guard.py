"""Guard: what becomes of everything that ends a command.

Owns: exit codes, the words of errors, quiet ends (a closed pipe, Ctrl-C).
Must not know: any particular command.
Invariant: no traceback reaches a user who did not ask for it; standard output never holds half an error.
"""

from __future__ import annotations

import functools
import logging
import os
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import attrs
import typer

from graphls.cli.interrupts import exit_on_interrupt, raise_on_interrupt

if TYPE_CHECKING:
    from graphls.cli.switches import Switches
    from graphls.graph.errors import GraphError

FINE, NEGATIVE, USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130
_MOST_CANDIDATES = 20
_OVER = (
    "The question took all its time. Give it more with --within SECONDS (0: as much as it takes), or ask for less: a "
    "smaller depth, scope or limit."
)


class UsageError(Exception):
    """The command cannot do what was asked; the sentence says what to do instead."""

    def __init__(self, message: str, exit_code: int = USAGE, code: str = "graphls.badParams") -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.code = code


class NegativeAnswer(typer.Exit):
    """The answer was given, and it is "no"."""

    def __init__(self) -> None:
        super().__init__(NEGATIVE)


def guarded(function: Callable[..., None], *, again: bool = False) -> Callable[..., None]:
    """The function, ended properly whatever happens. `again`: it only answers, and may run twice."""

    @functools.wraps(function)
    def inner(*args: Any, **kwargs: Any) -> None:
        _run(function, args, kwargs, again=again)

    return inner


@contextmanager
def reported(*, debug: bool) -> Generator[None]:
    """Whatever is no answer to the user's question is reported in one line."""
    if not debug:
        # What a command knows of troubles is in its answer; without any handler Python would print the log as well.
        logging.getLogger("graphls").addHandler(logging.NullHandler())
    try:
        yield
    except Exception as error:  # noqa: BLE001 (the last resort: no traceback reaches a user)
        if debug:
            traceback.print_exc()
        what = f"{type(error).__name__}: {error}".replace("\n", " ")[:300]
        advice = "Report what is above." if debug else "Run it again with --debug and report what that shows."
        sys.stderr.write(f"graphls: a fault of graphls ({what}). {advice}\n")
        raise SystemExit(FAULT) from None


def _run(function: Callable[..., None], args: Sequence[Any], kwargs: dict[str, Any], *, again: bool) -> None:
    try:
        raise_on_interrupt()
        try:
            _answered(function, args, kwargs, again=again)
        finally:
            sys.stdout.flush()
    except typer.Exit:
        raise
    except KeyboardInterrupt:
        exit_on_interrupt()
        sys.stderr.write("interrupted\n")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # Nobody reads on. The interpreter must not try to write the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise typer.Exit(FINE) from None
    except UsageError as refused:
        _refuse(kwargs, refused.code, refused.message, (), refused.exit_code)
    except Exception as error:
        _refuse_known(error, kwargs)
        raise
    finally:
        exit_on_interrupt()


def _answered(function: Callable[..., None], args: Sequence[Any], kwargs: dict[str, Any], *, again: bool) -> None:
    """Runs the command; where it fails and what is kept between runs may be to blame, once more without that."""
    try:
        function(*args, **kwargs)
    except (typer.Exit, UsageError, OSError):
        raise
    except Exception as error:
        ctx = kwargs.get("ctx")
        if not again or not isinstance(ctx, typer.Context) or _is_refusal(error):
            raise
        switches = ctx.obj
        if not switches.cache:
            raise
        ctx.obj = attrs.evolve(switches, cache=False)
        try:
            function(*args, **kwargs)
        except (typer.Exit, UsageError):
            _drop_cache(ctx, switches, kwargs)
            raise
        except Exception:  # noqa: BLE001 (the cache is not to blame: the first failure is what is reported)
            raise error from None
        _drop_cache(ctx, switches, kwargs)


def _drop_cache(ctx: typer.Context, switches: Switches, kwargs: dict[str, Any]) -> None:
    from graphls.cli.open_workspace import located, opened_store

    ctx.obj = switches
    store = opened_store(ctx, located(ctx, kwargs.get("root", ".")).settings)
    if store is not None:
        store.clear()
        store.close()
    sys.stderr.write("graphls: the cache held what is not right. It was cleared, and everything was read anew.\n")


def _is_refusal(error: Exception) -> bool:
    from graphls.graph.errors import GraphError
    from graphls.sources.workspace import OutsideWorkspaceError

    return isinstance(error, (GraphError, OutsideWorkspaceError)) or _of_a_face(error) is not None


def _refuse_known(error: Exception, kwargs: dict[str, Any]) -> None:
    """Ends the command for errors that are about the question; others are faults."""
    from graphls.graph.errors import GraphError
    from graphls.sources.workspace import OutsideWorkspaceError

    refusal = error if isinstance(error, GraphError) else _of_a_face(error)
    if refusal is not None:
        code = NEGATIVE if refusal.code in ("graphls.unknownSymbol", "graphls.degraded") else USAGE
        listed = refusal.data.get("candidates")
        message = _OVER if refusal.code == "graphls.budgetSpent" else refusal.message
        candidates = [str(name) for name in listed] if isinstance(listed, list) else []  # pyright: ignore
        _refuse(kwargs, refusal.code, message, candidates, code)
    if isinstance(error, OutsideWorkspaceError):
        _refuse(kwargs, "graphls.outsideWorkspace", str(error), (), USAGE)


def _of_a_face(error: Exception) -> GraphError | None:
    """A refusal of another face, which has the same attributes but no class that this one may import."""
    from graphls.graph.errors import GraphError

    code, message = getattr(error, "code", None), getattr(error, "message", None)
    has_code = isinstance(code, str) and code.startswith("graphls.") and isinstance(message, str)
    return GraphError(str(code), str(message)) if has_code else None


def _refuse(kwargs: dict[str, Any], code: str, message: str, candidates: Sequence[str], exit_code: int) -> NoReturn:
    if str(kwargs.get("format", "")) == "json":
        from graphls.cli.rendering.wire import write_json

        write_json({"error": {"code": code, "message": message, "candidates": list(candidates)}})
        sys.stdout.flush()
    else:
        from graphls.cli.rendering.words import visible

        lines = [f"graphls: {visible(message)}"]
        if len(candidates) > 1:
            lines += [f"  {visible(name)}" for name in candidates[:_MOST_CANDIDATES]]
        if len(candidates) > _MOST_CANDIDATES:
            lines.append(f"  and {len(candidates) - _MOST_CANDIDATES} more")
        sys.stderr.write("\n".join(lines) + "\n")
    raise typer.Exit(exit_code)
