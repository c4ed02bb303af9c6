"""How the command starts and ends: help, usage, faults, closed pipes, Ctrl-C, colour, the server."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from e2e.cli_runs import SHOP, TIMEOUT, graphls, interrupted_at, start
from e2e.processes import descendants, survivors
from e2e.raw_client import framed, request
from graphls import __version__
from graphls.cli.command_catalog import commands
from graphls.cli.main import loaded

FOR_ALL = {"--debug", "--trust", "--no-cache", "--help"}
"""What may stand before or behind any command."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="process groups and signals of POSIX")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    SHOP.write(folder)
    return folder


def test_help_names_every_command() -> None:
    run = graphls("--help")
    assert run.code == 0
    listed = [line.split()[0] for line in run.out.split("Commands:")[1].split("\n\n")[0].splitlines() if line.strip()]
    assert listed == list(commands())
    assert "..." not in run.out.split("Commands:")[1].split("\n\n")[0]


def test_help_loads_no_command() -> None:
    code = (
        "import sys; sys.argv = ['graphls', '--help']\n"
        "from graphls.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('graphls.session', 'graphls.lsp', 'graphls.cli.commands', 'tree_sitter', 'cattrs', 'rich', 'pygls')\n"
        "sys.exit([name for name in sys.modules if name.startswith(heavy)] or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=TIMEOUT)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", commands())
def test_every_command_can_be_loaded(name: str) -> None:
    assert loaded(name).name == name


@pytest.mark.parametrize("name", commands())
def test_every_parameter_says_what_it_is_for(name: str) -> None:
    assert [one.name for one in loaded(name).params if not one.help and not one.hidden] == []


@pytest.mark.parametrize("name", commands())
def test_the_guide_names_no_option_that_is_gone(name: str) -> None:
    guide = (Path(__file__).parent.parent.parent / "docs" / "guides" / "command-line.md").read_text("utf-8")
    section = guide.partition(f"### {name}\n")[2].partition("\n### ")[0]
    spellings = {word for parameter in loaded(name).params for word in (*parameter.opts, *parameter.secondary_opts)}
    named = re.findall(rf"graphls {name} [^`|\n]*", section)
    assert {option for words in named for option in re.findall(r"(?<!\S)--[a-z-]+", words)} <= spellings | FOR_ALL


def test_version() -> None:
    assert graphls("--version").out == f"graphls {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("fnd",), "Did you mean 'find'?"),
        (("where",), "No such command 'where': that is graphls find."),
        (("callers", "x"), "that is graphls show or graphls impact."),
        (("impact",), "Missing argument"),
        (("find",), "Say what to find"),
        (("find", "x", "--limit", "0"), "--limit"),
        (("find", "x", "--format", "yaml"), "yaml"),
        (("index", "no/such/folder"), "does not exist"),
        (("find", "x", "--root", __file__), "is a file"),
        (("serve", "--tcp", "0", "--ws", "0"), "Choose one"),
    ],
)
def test_usage(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    run = graphls(*arguments, cwd=tmp_path)
    assert run.code == 2
    assert says in run.err
    assert run.out == ""


def test_settings_that_make_no_sense_are_named_and_the_answer_is_given(tmp_path: Path) -> None:
    SHOP.write(tmp_path)
    (tmp_path / "graphls.toml").write_text(
        '[cache]\ndirectory = "/elsewhere/planted"\n[files]\nmaxbytes = 1\n', "utf-8"
    )
    run = graphls("find", "total", "--root", str(tmp_path))
    assert run.code == 0
    assert "graphls.toml: cache.directory may not be set by a repository" in run.err
    assert "is not a setting" in run.err
    assert "shop.prices:total" in run.out


def test_a_fault_is_one_line_unless_debug_asks_for_more(shop: Path, tmp_path: Path) -> None:
    broken = tmp_path / "sitecustomize.py"
    broken.write_text(
        "import graphls.queries.find as module\ndef find(*_): raise ValueError('one\\ntwo')\nmodule.find = find\n",
        "utf-8",
    )
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    run = graphls("find", "x", "--root", str(shop), PYTHONPATH=path)
    assert (run.code, run.out) == (3, "")
    assert run.err.count("\n") == 1
    assert "ValueError: one two" in run.err
    assert "--debug" in run.err
    told = graphls("find", "x", "--root", str(shop), "--debug", PYTHONPATH=path)
    assert told.code == 3
    assert "Traceback" in told.err


def test_switches_may_stand_behind_the_command_but_not_behind_two_dashes(shop: Path) -> None:
    assert graphls("find", "total", "--root", str(shop), "--no-cache").code == 0
    assert graphls("find", "--root", str(shop), "--", "--debug").code == 1


@posix
def test_a_closed_pipe_is_quiet(shop: Path) -> None:
    process = start("export", "--root", str(shop))
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait(TIMEOUT) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@posix
@pytest.mark.parametrize("loaded_then", ["typer", "graphls.cli.commands.find", "atexit"])
def test_ctrl_c_where_nobody_hears_it_is_quiet(shop: Path, tmp_path: Path, loaded_then: str) -> None:
    run = graphls("find", "total", "--root", str(shop), PYTHONPATH=interrupted_at(tmp_path, loaded_then))
    assert (run.code, run.err) == (-signal.SIGINT, "")


@posix
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="processes are looked at in /proc")
def test_ctrl_c_ends_everything(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"m{number}.py").write_text(
            "".join(f"def f{n}(a): return a.b{n}()\n" for n in range(3000)), "utf-8"
        )
    process = start("index", str(tmp_path), "--no-cache")
    below = _until_it_has_children(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out, err) == (130, b"", b"interrupted\n")
    # Not the group: where nobody reaps orphans, one that ended stays in it.
    assert survivors(below, 60) == []


def _until_it_has_children(pid: int) -> list[int]:
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        if below := descendants(pid)[1:]:
            return below
        time.sleep(0.05)
    pytest.fail("no worker was started")


def test_colour_is_for_terminals(shop: Path) -> None:
    arguments = ("show", "shop.orders:Order", "--root", str(shop))
    plain = graphls(*arguments).out
    coloured = graphls(*arguments, FORCE_COLOR="1", TERM="xterm").out
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain
    assert _without_colour(coloured) == plain
    assert _without_colour(graphls(*arguments, FORCE_COLOR="1", TERM="xterm", NO_COLOR="1").out) == plain


def _without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_text_survives_a_terminal_that_speaks_ascii(shop: Path, tmp_path: Path) -> None:
    SHOP.write(tmp_path)
    (tmp_path / "shop" / "größe.py").write_text("def größe(): pass\n", "utf-8")
    run = graphls("find", "größe", "--root", str(tmp_path), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert run.code == 0
    assert "gr\\xf6\\xdfe" in run.out
    told = graphls("find", "größe", "--root", str(tmp_path), "--format", "json", PYTHONIOENCODING="ascii")
    assert told.json["matches"][0]["name"] == "größe"


def test_serve_speaks_the_protocol_on_the_standard_streams(shop: Path) -> None:
    process = start("serve")
    params = {"processId": None, "rootUri": shop.as_uri(), "capabilities": {}}
    messages = [request(1, "initialize", params), request(2, "shutdown", None)]
    exit_ = {"jsonrpc": "2.0", "method": "exit"}
    out, _ = process.communicate(b"".join(framed(message) for message in (*messages, exit_)), timeout=TIMEOUT)
    assert process.returncode == 0
    assert out.startswith(b"Content-Length: ")
    assert b'"name":"graphls"' in out.replace(b'": "', b'":"')
