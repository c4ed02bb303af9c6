"""Agents: what whole tasks of an agent cost, with scripted agents in place of a model.

Owns: tasks from the commits of repositories, fixed policies of calls, their bytes, calls and what they showed.
Must not know: how graphls finds anything; truth comes from diffs and syntax trees alone.
Invariant: the same repositories give the same tasks; a site counts as shown when its path and line were printed.

    python bench/agents.py REPOSITORY ... [--each 20] [--kinds signature rename where] [--out rows.jsonl]
                           [--rival PROGRAM]        the tools of code-review-graph too (bench/rival.py)
    python bench/agents.py --answers ROOT ...       bytes of common answers, and of the list of tools

A task is a change of one declaration that a commit made: its tree is the commit's parent, its truth the lines outside of
the declaration's body that the commit took away and that name the declaration in code, and the line of the declaration.
Policies: `grep` is `rg -n -w NAME`; `grep+reads` also reads 20 lines from each declaration of the name on, and where
there are several of these, five lines around every other hit, since nothing else tells whose it is; `graphls` is
`change_plan` by name (again with the candidate of the right file where the name has several meanings), page by page, or
`where`. Bytes are those of answers alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
from mcp import Client
from rival import NAME, ask_rival
from tree_sitter import Node
from tree_sitter_language_pack import SupportedLanguage, get_parser

from graphls.mcp.agent_session import AgentSession, SessionStart
from graphls.mcp.server import AgentServer
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

Site = tuple[str, int]
ENDINGS = (".py", ".ts", ".tsx", ".js", ".jsx")
_GRAMMARS: Mapping[str, SupportedLanguage] = {
    ".py": "python",
    ".ts": "typescript",
    ".tsx": "tsx",
    ".js": "javascript",
    ".jsx": "javascript",
}
_DEFINED = re.compile(
    r"^\s*(?:(?:export|default|async|public|private|protected|static|override|declare|abstract)\s+)*"
    r"(?:def|class|function\*?|const|interface|type)\s+(\w+)(.*)$"
)
_CALLABLE = re.compile(r"^\s*(?:(?:export|default|async)\s+)*(?:def|function\*?)\s+(\w+)\s*(\(.*)$")
_FILE = re.compile(r"^\+\+\+ b/(.*)$|^--- a/(.*)$")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_FEW = 2
"""True sites that a task has at least."""


@attrs.frozen
class Task:
    """A change that a commit made of a declaration. `site`: its line."""

    repo: str
    kind: str
    commit: str
    name: str
    site: Site
    truth: tuple[Site, ...]


@attrs.frozen
class Hunk:
    """Lines that a commit took away and put in their place."""

    file: str
    start: int
    removed: tuple[str, ...]
    added: tuple[str, ...]


@attrs.frozen
class Cost:
    """What a policy took."""

    bytes: int
    calls: int
    shown: frozenset[Site]


# ---------------------------------------------------------------- tasks


def _git(repo: Path, *words: str) -> str:
    run = subprocess.run(["git", "-C", str(repo), *words], capture_output=True, check=True)
    return run.stdout.decode("utf-8", "replace")


def commits(repo: Path, most: int) -> Iterator[tuple[str, str, list[Hunk]]]:
    """Commits with their subject and hunks, newest first."""
    patterns = [f"*{ending}" for ending in ENDINGS]
    log = _git(
        repo, "log", "--no-merges", f"-n{most}", "-p", "-U0", "--no-renames", "--format=%x00%H %s", "--", *patterns
    )
    for part in log.split("\0")[1:]:
        head, _, body = part.partition("\n")
        commit, _, subject = head.partition(" ")
        yield commit, subject, list(_hunks(body))


def _hunks(body: str) -> Iterator[Hunk]:
    file, lines = "", body.split("\n")
    start, removed, added = 0, list[str](), list[str]()
    for line in [*lines, "@@ -0,0 +0,0 @@"]:
        named, begun = _FILE.match(line), _HUNK.match(line)
        if (named or begun) and (removed or added):
            yield Hunk(file, start, tuple(removed), tuple(added))
            removed, added = [], []
        if named and named[2]:
            file = named[2]
        elif begun:
            start = int(begun[1])
        elif line.startswith("-") and not named:
            removed.append(line[1:])
        elif line.startswith("+") and not named:
            added.append(line[1:])


def changes_of(hunks: Sequence[Hunk]) -> Iterator[tuple[str, str, Site]]:
    """Declarations that a commit changed: kind of change, name, line before."""
    for hunk in hunks:
        before = [(number, found) for number, line in enumerate(hunk.removed) if (found := _CALLABLE.match(line))]
        after = [found for line in hunk.added if (found := _CALLABLE.match(line))]
        for number, old in before:
            same = [new for new in after if new[1] == old[1]]
            if any(new[2] != old[2] for new in same):
                yield "signature", old[1], (hunk.file, hunk.start + number)
            elif not same and len(before) == len(after) == 1 and after[0][2].split("->")[0] == old[2].split("->")[0]:
                yield "rename", old[1], (hunk.file, hunk.start + number)


def tasks_of(repo: Path, kinds: Sequence[str], each: int, most: int) -> list[Task]:
    """Tasks of a repository, at most `each` of a kind."""
    found: dict[str, list[Task]] = {kind: [] for kind in kinds}
    names: set[tuple[str, str]] = set()
    for commit, subject, hunks in commits(repo, most):
        if all(len(tasks) >= each for tasks in found.values()):
            break
        if len(hunks) > 150:
            continue  # a formatter, or a release
        for kind, name, site in (*changes_of(hunks), *_named_in(subject, hunks)):
            if kind not in found or len(found[kind]) >= each or (kind, name) in names or name.startswith("__"):
                continue
            truth = _truth(repo, commit, name, site, hunks) if kind != "where" else (site,)
            if kind == "where" or len(truth) >= _FEW:
                names.add((kind, name))
                found[kind].append(Task(repo.name, kind, commit, name, site, truth))
    return [task for tasks in found.values() for task in tasks]


def _named_in(subject: str, hunks: Sequence[Hunk]) -> Iterator[tuple[str, str, Site]]:
    """A declaration that the subject names and the commit touches."""
    for word in re.findall(r"\b\w*[a-z0-9](?:_|[A-Z])\w+\b", subject):
        for hunk in hunks:
            for number, line in enumerate(hunk.removed):
                found = _DEFINED.match(line)
                if found and found[1] == word:
                    yield "where", word, (hunk.file, hunk.start + number)
                    return


def _truth(repo: Path, commit: str, name: str, site: Site, hunks: Sequence[Hunk]) -> tuple[Site, ...]:
    """Lines taken away that name the declaration in code, where the commit's new lines show that they were edited."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    found: dict[Site, None] = {site: None}
    cached: dict[str, frozenset[int]] = {}
    for hunk in hunks:
        if not hunk.added or not hunk.file.endswith(ENDINGS) or _declares(repo, f"{commit}^", hunk.file, name, site):
            continue
        for number, line in enumerate(hunk.removed):
            other = _DEFINED.match(line)
            if other and other[1] == name and not line[0].isspace():
                continue  # another declaration is another task; one in a class may override
            if word.search(line) and not re.match(r"\s*(from|import)\b", line):
                if hunk.file not in cached:
                    cached[hunk.file] = _lines_naming(repo, f"{commit}^", hunk.file, name)
                if hunk.start + number in cached[hunk.file]:
                    found[hunk.file, hunk.start + number] = None
    return tuple(found)


def _declares(repo: Path, revision: str, file: str, name: str, site: Site) -> bool:
    """Whether another file's module declares the name itself: what it says there is about that."""
    if file == site[0]:
        return False
    text = subprocess.run(
        ["git", "-C", str(repo), "show", f"{revision}:{file}"], capture_output=True, check=False
    ).stdout
    lines = text.decode("utf-8", "replace").split("\n")
    return any((found := _DEFINED.match(line)) and found[1] == name and not line[0].isspace() for line in lines if line)


def _lines_naming(repo: Path, revision: str, file: str, name: str) -> frozenset[int]:
    """Lines on which a leaf of the syntax tree is the name: not in comments and strings."""
    try:
        text = subprocess.run(
            ["git", "-C", str(repo), "show", f"{revision}:{file}"], capture_output=True, check=True
        ).stdout
    except subprocess.CalledProcessError:
        return frozenset()
    tree = get_parser(_GRAMMARS[Path(file).suffix]).parse(text)
    found: set[int] = set()
    stack: list[Node] = [tree.root_node]
    while stack:
        node = stack.pop()
        if node.child_count:
            stack += node.children
        elif "identifier" in node.type and node.text == name.encode():
            found.add(node.start_point[0] + 1)
    return frozenset(found)


# ---------------------------------------------------------------- policies


def grep(root: Path, task: Task, *, reads: bool) -> Cost:
    """`rg -n -w NAME`, and reading what it leaves open."""
    run = subprocess.run(
        ["rg", "-n", "-w", "--no-heading", "--color=never", "--sort=path", task.name, "."],
        cwd=root,
        capture_output=True,
        check=False,
    )
    size, calls, hits = len(run.stdout), 1, list[tuple[str, int, str]]()
    for line in run.stdout.decode("utf-8", "replace").split("\n"):
        found = re.match(r"\./(.*?):(\d+):(.*)", line)
        if found:
            hits.append((found[1], int(found[2]), found[3]))
    if reads:
        for file, first, last in _reads(hits, task.name):
            lines = (root / file).read_text("utf-8", "replace").split("\n")[first - 1 : last]
            size += sum(len(line.encode()) + 7 for line in lines)
            calls += 1
    return Cost(size, calls, frozenset((file, line) for file, line, _ in hits))


def _reads(hits: Sequence[tuple[str, int, str]], name: str) -> Iterator[tuple[str, int, int]]:
    """Stretches to read, those of one file that touch put together."""
    declared = [hit for hit in hits if (found := _DEFINED.match(hit[2])) and found[1] == name]
    wanted = [(file, line, line + 19) for file, line, _ in declared]
    if len(declared) > 1:
        others = [hit for hit in hits if hit not in declared and hit[0].endswith(ENDINGS)]
        wanted += [(file, max(line - 5, 1), line + 5) for file, line, _ in others]
    file, first, last = "", 0, 0
    for where, start, end in sorted(wanted):
        if where == file and start <= last + 1:
            last = max(last, end)
            continue
        if file:
            yield file, first, last
        file, first, last = where, start, end
    if file:
        yield file, first, last


async def ask(client: Client, task: Task) -> Cost:
    """The tools, until all pages were read or every true site was shown."""
    if task.kind == "where":
        return await _pages(client, "where", {"text": task.name}, task)
    asked = {"symbol": task.name, "change": task.kind}
    text, refused = await _called(client, "change_plan", asked)
    if not refused:
        return await _pages(client, "change_plan", asked, task)
    chosen = f"{task.site[0]}:{task.site[1]}"
    rest = await _pages(client, "change_plan", {**asked, "symbol": chosen}, task)
    return Cost(len(text.encode()) + rest.bytes, rest.calls + 1, rest.shown)


async def _pages(client: Client, tool: str, asked: Mapping[str, Any], task: Task) -> Cost:
    size, calls, shown, cursor = 0, 0, set[Site](), ""
    while True:
        text, _ = await _called(client, tool, {**asked, **({"cursor": cursor} if cursor else {})})
        size, calls = size + len(text.encode()), calls + 1
        shown |= set(sites_in(text))
        following = re.search(r'cursor "(.*?)"$', text)
        if following is None or set(task.truth) <= shown or calls >= 12:
            return Cost(size, calls, frozenset(shown))
        cursor = following[1]


async def _called(client: Client, tool: str, asked: Mapping[str, Any]) -> tuple[str, bool]:
    result = await client.call_tool(tool, dict(asked))
    return "\n".join(str(part.text) for part in result.content), bool(result.is_error)  # pyright: ignore


def sites_in(text: str) -> Iterator[Site]:
    """Sites as an answer prints them: `path:line  code`, or `line  code` below the path."""
    file = ""
    for line in text.split("\n"):
        whole, below = re.match(r" *(\S+):(\d+)  ", line), re.match(r" +(\d+)  ", line)
        if whole:
            yield whole[1], int(whole[2])
        elif below and file:
            yield file, int(below[1])
        elif line.endswith(ENDINGS):
            file = line.strip()


# ---------------------------------------------------------------- runs


def _exported(repo: Path, commit: str, folder: Path) -> None:
    archive = subprocess.run(["git", "-C", str(repo), "archive", f"{commit}^"], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)


async def _run(repo: Path, task: Task, store: BlobStore, rival: Path | None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as held:
        root = Path(held) / repo.name
        root.mkdir()
        _exported(repo, task.commit, root)
        state = AgentSession(SessionStart(Workspace.of([str(root)]), store=store, patience=300))
        async with state.running(), Client(AgentServer(state).made()) as client:
            ours = await ask(client, task)
        found = {"grep": grep(root, task, reads=False), "grep+reads": grep(root, task, reads=True), "graphls": ours}
        if rival is not None:
            subprocess.run(["git", "init", "-q", str(root)], check=True)  # what it takes for the root of a repository
            subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
            found[NAME] = Cost(*await ask_rival(rival, root, task.name, task.site[0], search=task.kind == "where"))
    code = {name: attrs.evolve(cost, shown=_code(cost.shown)) for name, cost in found.items()}
    return {
        **attrs.asdict(task),
        "declared": _declared(repo, task),
        **{
            name: {
                "bytes": cost.bytes,
                "calls": cost.calls,
                "missed": sorted(set(task.truth) - cost.shown),
                "false": len(cost.shown - set(task.truth)),
            }
            for name, cost in code.items()
        },
    }


def _code(shown: frozenset[Site]) -> frozenset[Site]:
    return frozenset(site for site in shown if site[0].endswith(ENDINGS))


def _declared(repo: Path, task: Task) -> int:
    """How many declarations have the name."""
    found = subprocess.run(
        [
            "git",
            "-C",
            str(repo),
            "grep",
            "-h",
            "-w",
            task.name,
            f"{task.commit}^",
            "--",
            *(f"*{end}" for end in ENDINGS),
        ],
        capture_output=True,
        check=False,
    )
    lines = found.stdout.decode("utf-8", "replace").split("\n")
    return sum(bool((match := _DEFINED.match(line)) and match[1] == task.name) for line in lines)


def report(rows: Sequence[Mapping[str, Any]]) -> None:
    """What each policy took, of all tasks, of each kind, and of names with several declarations."""
    groups = {"all": list(rows)}
    for row in rows:
        groups.setdefault(str(row["kind"]), []).append(row)
    groups["name collides"] = [row for row in rows if row["declared"] > 1]
    for group, chosen in groups.items():
        if not chosen:
            continue
        print(f"{group}: {len(chosen)} tasks, {sum(len(row['truth']) for row in chosen)} true sites")
        for policy in ("grep", "grep+reads", "graphls", *((NAME,) if NAME in chosen[0] else ())):
            costs = [row[policy] for row in chosen]
            whole = sum(not cost["missed"] for cost in costs) / len(costs)
            sites = 1 - sum(len(cost["missed"]) for cost in costs) / sum(len(row["truth"]) for row in chosen)
            ratio = statistics.median(
                cost["bytes"] / row["grep+reads"]["bytes"] for cost, row in zip(costs, chosen, strict=True)
            )
            print(
                f"  {policy:17} all sites {whole:.3f}  sites {sites:.3f}  bytes median "
                f"{statistics.median(cost['bytes'] for cost in costs):,.0f}  of grep+reads {ratio:.2f}  calls "
                f"{statistics.median(cost['calls'] for cost in costs):.0f} (most {max(cost['calls'] for cost in costs)})  "
                f"false sites {statistics.mean(cost['false'] for cost in costs):.1f}"
            )


ANSWERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("map", {}),
    ("where", {"text": "{name}"}),
    ("where", {"text": "where is the {words} made"}),
    ("understand", {"symbol": "{symbol}"}),
    ("understand", {"symbol": "{symbol}", "source": True}),
    ("change_plan", {"symbol": "{symbol}"}),
    ("change_plan", {"symbol": "{symbol}", "change": "rename"}),
    ("context", {"task": "{words}", "budget": 2000}),
    ("graph", {"query": "impact", "symbol": "{symbol}"}),
    ("graph", {"query": "neighbors", "symbol": "{symbol}"}),
)


async def answers(root: Path, symbol: str, store: BlobStore) -> None:
    """Bytes of common answers, first pages."""
    name = re.split(r"[.:]", symbol)[-1]
    values = {"symbol": symbol, "name": name, "words": " ".join(re.findall(r"[A-Z]?[a-z]+", name)).lower()}
    state = AgentSession(SessionStart(Workspace.of([str(root)]), store=store, patience=300))
    async with state.running(), Client(AgentServer(state).made()) as client:
        for tool, arguments in ANSWERS:
            asked = {
                key: value.format(**values) if isinstance(value, str) else value for key, value in arguments.items()
            }
            text, refused = await _called(client, tool, asked)
            print(f"{root.name} {tool} {json.dumps(asked)}: {len(text.encode())}{' (refused)' if refused else ''}")


def main() -> None:
    """Prints the tables."""
    options = argparse.ArgumentParser()
    options.add_argument("repositories", nargs="+", type=Path, help="with --answers: ROOT=SYMBOL")
    options.add_argument("--each", type=int, default=4, help="tasks of a kind from each repository")
    options.add_argument("--most", type=int, default=1_500, help="commits to look at")
    options.add_argument("--kinds", nargs="+", default=["signature", "rename", "where"])
    options.add_argument("--cache", default="")
    options.add_argument("--out", type=Path)
    options.add_argument("--answers", action="store_true")
    options.add_argument("--rival", type=Path, help=f"the installed program {NAME}, for its policy too")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = BlobStore(StoreOptions(chosen.cache or folder))
        if chosen.answers:
            for pair in chosen.repositories:
                root, _, symbol = str(pair).partition("=")
                asyncio.run(answers(Path(root), symbol, store))
            return
        rows: list[dict[str, Any]] = []
        for repo in chosen.repositories:
            for task in tasks_of(repo, chosen.kinds, chosen.each, chosen.most):
                row = asyncio.run(_run(repo, task, store, chosen.rival))
                rows.append(row)
                missed = row["graphls"]["missed"]
                print(
                    f"{task.repo} {task.kind} {task.name} {task.commit[:8]}: {json.dumps(row['graphls'])}"
                    if missed
                    else ".",
                    flush=True,
                )
        if chosen.out:
            chosen.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
        report(rows)


if __name__ == "__main__":
    main()
