"""TypeScript in a session: after edits of code and manifests, all is as in a fresh index; nothing else is relinked.

Owns: the edits that only this language makes possible.
Must not know: how the session finds out what to do.
Invariant: a body edit relinks its own file alone.
"""

from __future__ import annotations

from pathlib import Path

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.session.memory import snapshot_of
from increment.session_folder import everything, session_over, settle, write

FILES = {
    "tsconfig.json": '{ "compilerOptions": { "baseUrl": ".", "paths": { "~/*": ["one/*"] } } }',
    "one/part.ts": "export class Part { go(): void {} }",
    "two/part.ts": "export class Part { go(): void {} }",
    "barrel.ts": "export * from '~/part';",
    "use.ts": "import { Part } from './barrel';\nnew Part().go();",
    "app.py": "def app():\n    return app\n",
    "types/own.d.ts": "declare function given(): void;",
    "free.ts": "given();",
    "lib.js": "exports.run = function () { return { stop() {} } }",
    "main.js": "const { run } = require('./lib')\nrun().stop()",
}


def _target(snapshot: Snapshot, path: str, name: str) -> str:
    file = FilePath(path)
    facts = snapshot.facts(file)
    rows = [row for row, text in enumerate(facts.occurrences.name) if facts.strings[text] == name]
    target = snapshot.targets(file, rows[-1])
    return target[0].place.file if target and target[0].place else ""


def test_edits_end_where_a_fresh_index_begins(tmp_path: Path) -> None:
    files = dict(FILES)
    write(tmp_path, files)
    with session_over(tmp_path) as session:
        first = session.snapshot()
        assert _target(first, "use.ts", "go") == "one/part.ts"
        assert _target(first, "main.js", "stop") == "lib.js"
        assert everything(first) == everything(snapshot_of(files, name=first.name))
        assert _target(first, "free.ts", "given") == "types/own.d.ts"
        edits = {
            "types/own.d.ts": "declare function taken(): void;",
            "types/more.d.ts": "declare global { function given(): void }\nexport {};",
            "tsconfig.json": '{ "compilerOptions": { "baseUrl": ".", "paths": { "~/*": ["two/*"] } } }',
            "lib.js": "exports.run = function () { return { start() {}, stop() {} } }",
        }
        files |= edits
        write(tmp_path, edits)
        session.files_changed([FilePath(path) for path in edits])
        last = settle(session)
        assert _target(last, "use.ts", "go") == "two/part.ts"
        assert _target(last, "free.ts", "given") == "types/more.d.ts"
        assert everything(last) == everything(snapshot_of(files, name=first.name))
