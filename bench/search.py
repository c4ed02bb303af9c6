"""Search: where the declaration that a question is about stands among the answers, by words, vectors, both, and as for a task.

Owns: questions and answers made from a repository without a hand, the figures.
Must not know: how declarations are ranked.
Invariant: same repositories and seed, same questions; the index holds nothing of what a question was made from.

    python bench/search.py REPOSITORY ... [--docs 120] [--commits 200] [--seed 1] [--asked] [--packs]

Two kinds of questions. `doc`: the first sentence of a declaration's documentation, which is blanked in the source
before that is read; the answer is the declaration. `commit`: the titles of the newest commits, asked of the state
before the first of them; the answer is any declaration that the commit changed. Apart: questions that share a
word with the name of an answer or with what is around it (`name`), with its body only (`body`), with nothing (`none`).
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from graphls.context.candidates import UnitKey
from graphls.context.files import is_aside
from graphls.context.lexical import FileTerms, terms_in
from graphls.context.pack import PackRequest, pack
from graphls.context.search import SearchMethod, SearchQuery, method_for, search
from graphls.context.task_search import search_for_task
from graphls.context.terms import term_id, terms
from graphls.facts.paths import FilePath
from graphls.graph.identity import node_id
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of

_SOURCES = re.compile(r"\.(pyi?|go|tsx?|jsx?|mjs|java|rs|cs|c|h)$")
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n\s*\n")
_NOISE = re.compile(
    r"^(merge|bump|release|version|revert|prepare|update (dependencies|requirements)|\[pre-commit)", re.IGNORECASE
)
_METHODS: tuple[SearchMethod, ...] = ("words", "vectors", "both", "task")
_CHOSEN = "chosen"
"""The method that faces use where nobody chooses one."""
_PACK = "pack"
_LEAST_WORDS = 4
_WITHIN = 10


@attrs.frozen
class Question:
    text: str
    answers: frozenset[UnitKey]
    kind: str


def main() -> int:
    ap = argparse.ArgumentParser(description="Where the declaration that a question is about stands among the answers.")
    ap.add_argument("repositories", type=Path, nargs="+", help="work trees, or git folders")
    ap.add_argument("--docs", type=int, default=120, help="questions from documentation, a repository")
    ap.add_argument("--commits", type=int, default=200, help="commits, a repository, whose titles are questions")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--asked", action="store_true", help="begin each question as a person does who asks how")
    ap.add_argument("--packs", action="store_true", help="packs for the questions too")
    args = ap.parse_args()
    rows: list[tuple[str, str, dict[str, int]]] = []
    for repository in args.repositories:
        base = _base(repository, args.commits)
        texts = dict(_texts(repository, base))
        bare, questions = _documented(texts, args.docs, args.seed)
        if args.asked:
            questions = [attrs.evolve(one, text=f"how does it happen that {one.text}") for one in questions]
        rows += _asked(repository, (bare, questions), packs=args.packs)
        if base:
            rows += _asked(repository, _committed(repository, base, texts), packs=args.packs)
        _report(f"so far, with {repository}", rows)
    return 0


def _git(repository: Path, *arguments: str) -> bytes:
    folder = repository if (repository / "HEAD").exists() else repository / ".git"
    if not folder.exists():
        return b""
    return subprocess.run(["git", f"--git-dir={folder}", *arguments], capture_output=True, check=False).stdout


def _base(repository: Path, commits: int) -> str:
    """The commit before the newest ones; "" without a history."""
    found = _git(repository, "rev-list", "--first-parent", f"--max-count={commits + 1}", "HEAD").decode().split()
    return found[-1] if len(found) > 1 else ""


def _texts(repository: Path, base: str) -> Iterator[tuple[str, bytes]]:
    if not base:
        for path in sorted(repository.rglob("*")):
            inside = path.relative_to(repository).as_posix()
            if _SOURCES.search(inside) and not is_aside(inside) and path.is_file():
                yield inside, path.read_bytes()
        return
    names = _git(repository, "ls-tree", "-r", "--name-only", base).decode("utf-8", "replace").splitlines()
    for name in names:
        if _SOURCES.search(name) and not is_aside(name):
            yield name, _git(repository, "show", f"{base}:{name}")


def _snapshot(texts: dict[str, bytes]) -> Snapshot:
    return snapshot_of({name: data.decode("utf-8", "replace").encode() for name, data in texts.items()})


def _units(snapshot: Snapshot) -> dict[FilePath, FileTerms]:
    return {path: terms_in(snapshot, path) for path in snapshot.files()}


def _documented(texts: dict[str, bytes], most: int, seed: int) -> tuple[Snapshot, list[Question]]:
    """Questions from documentation, and a snapshot without it."""
    whole = _snapshot(texts)
    found: list[tuple[FilePath, str, str]] = []
    for path, known in _units(whole).items():
        facts = whole.facts(path)
        for row in known.rows:
            doc = facts.definitions.doc[row] if row >= 0 else -1
            if doc >= 0:
                sentence = " ".join(_SENTENCE.split(facts.strings[doc].strip())[0].split())
                if len(set(terms(sentence))) >= _LEAST_WORDS:
                    found.append((path, qualified_name(facts, row), sentence))
    chosen = sorted(random.Random(seed).sample(found, min(most, len(found))))
    blanked = dict(texts)
    for path, name, _ in chosen:
        facts = whole.facts(path)
        row = next(row for row in terms_in(whole, path).rows if qualified_name(facts, row) == name)
        start, end = facts.definitions.full_start[row], facts.definitions.full_end[row]
        blanked[path] = _without_doc(blanked[path], facts.strings[facts.definitions.doc[row]], start, end)
    bare = _snapshot(blanked)
    questions: list[Question] = []
    for path, name, sentence in chosen:
        facts = bare.facts(path)
        units = enumerate(terms_in(bare, path).rows)
        unit = next((unit for unit, row in units if row >= 0 and qualified_name(facts, row) == name), None)
        if unit is not None:
            questions.append(Question(sentence, frozenset({UnitKey(path, unit)}), "doc"))
    return bare, questions


def _without_doc(data: bytes, doc: str, start: int, end: int) -> bytes:
    """The text with the lines of a documentation blanked, inside the declaration or in the comment before it."""
    first = max(data.rfind(b"\n\n", 0, start), 0)
    part = data[first:end]
    for line in sorted((line.strip().encode() for line in doc.splitlines()), key=len, reverse=True):
        if len(line) > 1:
            part = part.replace(line, b" " * len(line))
    return data[:first] + part + data[end:]


def _committed(repository: Path, base: str, texts: dict[str, bytes]) -> tuple[Snapshot, list[Question]]:
    """Questions from titles of commits, and the state before them."""
    snapshot = _snapshot(texts)
    known = _units(snapshot)
    log = _git(repository, "log", "--first-parent", "--no-ext-diff", "-m", "-U0", "--format=%x00%s", f"{base}..HEAD")
    questions: list[Question] = []
    for entry in log.decode("utf-8", "replace").split("\0")[1:]:
        title, _, patch = entry.partition("\n")
        changed = frozenset(_changed(snapshot, known, patch))
        if (
            changed
            and len(changed) <= _WITHIN
            and not _NOISE.match(title)
            and len(set(terms(title))) >= _LEAST_WORDS - 1
        ):
            questions.append(Question(title, changed, "commit"))
    return snapshot, questions


def _changed(snapshot: Snapshot, known: dict[FilePath, FileTerms], patch: str) -> Iterator[UnitKey]:
    """Declarations that git names in the heads of hunks, as far as the state before has them by one name."""
    path = ""
    for line in patch.splitlines():
        if line.startswith("--- "):
            path = line[6:]
        elif line.startswith("@@") and path in known:
            said = re.findall(r"\w+", line.split("@@", 2)[2])
            facts = snapshot.facts(FilePath(path))
            for unit, row in enumerate(known[FilePath(path)].rows):
                if row >= 0 and facts.strings[facts.definitions.name[row]] in said[:6]:
                    yield UnitKey(FilePath(path), unit)


def _asked(
    repository: Path, asked: tuple[Snapshot, list[Question]], *, packs: bool
) -> list[tuple[str, str, dict[str, int]]]:
    snapshot, questions = asked
    known, rows, spent = _units(snapshot), [], dict.fromkeys(_METHODS, 0.0)
    for question in questions:
        places: dict[str, int] = {}
        for method in _METHODS:
            began = time.process_time()
            query = SearchQuery(text=question.text, method=method, limit=50, asides=True)
            found = search_for_task(snapshot, query) if method == "task" else search(snapshot, query)
            spent[method] = max(spent[method], time.process_time() - began)
            ranks = [rank for rank, hit in enumerate(found.hits, 1) if hit.key in question.answers]
            places[method] = min(ranks, default=0)
        places[_CHOSEN] = places[method_for(question.text)]
        places[_PACK] = _in_pack(snapshot, known, question) if packs else 0
        rows.append((question.kind, _apart(snapshot, known, question), places))
    declarations = sum(len(one.rows) for one in known.values())
    seconds = ", ".join(f"{method} {spent[method]:.2f}" for method in _METHODS)
    print(
        f"{repository}: {declarations} declarations, {len(questions)} questions; slowest, CPU s: {seconds}", flush=True
    )
    return rows


def _in_pack(snapshot: Snapshot, known: dict[FilePath, FileTerms], question: Question) -> int:
    """Where a pack for the question has an answer."""
    made = pack(snapshot, PackRequest(task=question.text, budget=3_000, tests=True))
    listed = list(dict.fromkeys([*(item.node for item in made.items), *(row.node for row in made.left_out)]))
    answers = {node_id(snapshot, SymbolRef(key.file, known[key.file].rows[key.unit])) for key in question.answers}
    return next((number for number, node in enumerate(listed, 1) if node in answers), 0)


def _apart(snapshot: Snapshot, known: dict[FilePath, FileTerms], question: Question) -> str:
    """Which words a question shares with its answers: `name`, `body`, or `none`."""
    words = set(terms(question.text))
    shared = "none"
    for key in question.answers:
        row, facts = known[key.file].rows[key.unit], snapshot.facts(key.file)
        if words & {*terms(qualified_name(facts, row)), *terms(key.file)}:
            return "name"
        posted = known[key.file]
        if any(posted.unit[at] == key.unit for word in words for at in posted.postings(term_id(word))):
            shared = "body"
    return shared


def _report(title: str, rows: Sequence[tuple[str, str, dict[str, int]]]) -> None:
    print(f"== {title}")
    groups = {"all": lambda kind, apart: True} | {
        f"{kind} {apart}": (lambda k, a, kind=kind, apart=apart: k == kind and apart in ("all", a))
        for kind in ("doc", "commit") for apart in ("all", "name", "body", "none")
    }  # fmt: skip
    for name, fits in groups.items():
        places = [found for kind, apart, found in rows if fits(kind, apart)]
        if places:
            print(f"{name:14} {len(places):5}", *(
                f"{method}: MRR {sum(1 / one[method] for one in places if one[method]) / len(places):.3f}"
                f" recall@10 {sum(0 < one[method] <= _WITHIN for one in places) / len(places):.3f} "
                for method in (*_METHODS, _CHOSEN, _PACK) if method != _PACK or any(one[_PACK] for one in places)))  # fmt: skip
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
