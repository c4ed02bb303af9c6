"""docs/lsp-extensions.md is about the messages as they are: whoever changes these reads it and renews its hash."""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path

from graphls.lsp.main import features
from graphls.lsp.protocol import Feature
from graphls.lsp.services import METHODS
from graphls.settings import SERVICES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "lsp-extensions.md"


def _digest() -> str:
    folder = ROOT / "server" / "graphls" / "lsp"
    source = b"".join((folder / name).read_bytes() for name in ("messages.py", "params.py"))
    return blake2b(source.replace(b"\r\n", b"\n"), digest_size=8).hexdigest()


def test_page_is_about_these_messages(update_goldens: bool) -> None:
    first, _, rest = PAGE.read_text(encoding="utf-8").partition("\n")
    wanted = f"<!-- source: {_digest()} -->"
    if update_goldens:
        PAGE.write_text(f"{wanted}\n{rest}", encoding="utf-8")
        return
    assert first == wanted, "messages changed: bring docs/lsp-extensions.md up to date, then --update-goldens"


def test_page_names_every_own_request() -> None:
    own = {item.method for item in features() if isinstance(item, Feature) and item.own}
    headings = "".join(re.findall(r"^### .*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert own == set(re.findall(r"graph/\w+", headings))


def test_every_service_has_methods_that_are_answered() -> None:
    assert set(METHODS) == set(SERVICES)
    answered = {item.method for item in features() if isinstance(item, Feature)}
    named = {method for methods in METHODS.values() for method in methods}
    assert named - answered == {"workspace/executeCommand"}
    assert all(method in named or method.startswith("graph/") for method in answered)
