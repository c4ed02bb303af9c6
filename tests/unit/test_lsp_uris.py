"""URIs: every spelling of a file is that file, and what is no file of the workspace is never read.

Owns: names that need escapes, drive letters, other schemes, one document under several spellings.
Must not know: requests, the wire.
Invariant: a URI that is given out comes back as the file that it was given out for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from graphls.facts.paths import FilePath
from graphls.lsp.server_session import ServerSession
from graphls.lsp.uris import Uris, one_spelling
from graphls.session.documents.document import TextChange
from graphls.sources.workspace import Workspace

ODD_NAMES = (
    "a b.py",
    "a#b.py",
    "a%25b.py",
    "a%b.py",
    "größe.py",
    "日本/語.py",
    "a+b&c=d.py",
    "a?b.py",
    "😀.py",
    "a;b,c.py",
)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_come_back(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    workspace = Workspace.of([str(tmp_path)])
    for uris in (Uris(workspace, {workspace.folders[0].root: tmp_path.as_uri()}), Uris(workspace, {})):
        assert uris.path(uris.uri(FilePath(name))) == name
        assert uris.path((tmp_path / name).as_uri()) == name


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "git:/{root}/a.py?HEAD",
        "vscode-notebook-cell:{root}/a.ipynb#W0sZ",
        "http://example.org{root}/a.py",
        "{root}/a.py",
        "",
        "file:",
        "file://",
        "file://server/share/a.py",
        "file://[broken/a.py",
        "file://{root}/../a.py",
        "file://{root}/%2e%2e/a.py",
        "file:///%00",
        "file:///nowhere/a.py",
    ],
)
def test_what_is_no_file_of_the_workspace_has_no_path(tmp_path: Path, uri: str) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "a.py").touch()
    workspace = Workspace.of([str(tmp_path / "w")])
    assert Uris(workspace, {}).path(uri.format(root=tmp_path / "w")) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///C:/x/a.py", "file:///c%3A/x/a.py"),
        ("file:///c:/x/a.py", "file:///c%3a/x/a.py"),
        ("file:///x/a.py", "file:///x/%61%2epy"),
        ("file:///x/%C3%A4.py", "file:///x/ä.py"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
    ],
)
def test_spellings_of_one_file(one: str, other: str) -> None:
    assert one_spelling(one) == one_spelling(other)


@pytest.mark.parametrize("uri", ["untitled:A", "file:///x/b.py", "file:///d:/x/a.py", "file:", "file://[broken"])
def test_other_documents_stay_apart(uri: str) -> None:
    assert one_spelling(uri) not in map(one_spelling, ("file:///c:/x/a.py", "untitled:a", "file:///x/B.py/.."))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[ServerSession]:
    (tmp_path / "a b.py").write_text("x = 1\n")
    made = ServerSession([tmp_path.as_uri()], {"cache": {"enabled": False}, "checker": {"enabled": False}})
    yield made
    made.close()


def test_a_document_has_one_text_under_every_spelling(bench: ServerSession, tmp_path: Path) -> None:
    plain = (tmp_path / "a b.py").as_uri()
    escaped = f"{tmp_path.as_uri()}/{quote('a').replace('a', '%61')}%20b%2Epy"
    bench.open(plain, 1, "x = 2\n", "python")
    bench.change(escaped, 2, [TextChange("3", ((0, 4), (0, 5)))], "utf-16")
    path = FilePath("a b.py")
    assert bench.snapshot().text(path) == b"x = 3\n"
    bench.forget(escaped)
    assert not bench.documents
    assert bench.session.wait("complete", 60)
    assert bench.snapshot().text(path) == b"x = 1\n"


def test_a_document_of_another_scheme_is_no_file(bench: ServerSession) -> None:
    bench.open("untitled:a b.py", 1, "y = 1\n", "python")
    bench.change("untitled:a b.py", 2, [TextChange("y = 2\n")], "utf-16")
    assert bench.session.wait("complete", 60)
    assert bench.snapshot().text(FilePath("a b.py")) == b"x = 1\n"
    assert list(bench.snapshot().shards) == ["a b.py"]


def test_a_change_of_a_document_that_was_never_opened_makes_none(
    bench: ServerSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bench.change((tmp_path / "a b.py").as_uri(), 2, [TextChange("y = 2\n")], "utf-16")
    assert not bench.documents
    assert "never opened" in caplog.text
    assert bench.session.wait("complete", 60)
    assert bench.snapshot().text(FilePath("a b.py")) == b"x = 1\n"
