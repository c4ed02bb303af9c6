"""The same walk with the capabilities of well-known editors, by a typed client."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from fixture_text import fixture

CASE = fixture("""
    --- path: a.py ---
    def grüße(name): pass
    --- path: b.py ---
    from a import grüße
    '\U0001f600'; grüße(1)
""")


WIDTHS = {
    types.PositionEncodingKind.Utf8: 4,
    types.PositionEncodingKind.Utf16: 2,
    types.PositionEncodingKind.Utf32: 1,
}
"""Of the astral character."""


def _client() -> LanguageClient:
    from pytest_lsp.client import register_lsp_features

    client = LanguageClient()
    register_lsp_features(client)

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def registered(params: types.RegistrationParams) -> None:
        """Every registration is welcome."""

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refreshed(params: None) -> None:
        """Lenses are asked for again when they are shown."""

    return client


@pytest_lsp.fixture(
    params=["neovim", "visual_studio_code", "emacs"],
    config=ClientServerConfig(server_command=[sys.executable, "-m", "graphls.lsp.main"], client_factory=_client),
)
async def editor(request: pytest.FixtureRequest, lsp_client: LanguageClient, tmp_path: Path) -> Any:
    CASE.write(tmp_path)
    uri = tmp_path.as_uri()
    params = types.InitializeParams(
        capabilities=client_capabilities(request.param),
        root_uri=uri,
        workspace_folders=[types.WorkspaceFolder(uri, "w")],
    )
    answer = await lsp_client.initialize_session(params)
    lsp_client.root = tmp_path  # pyright: ignore[reportAttributeAccessIssue]
    lsp_client.encoding = answer.capabilities.position_encoding  # pyright: ignore[reportAttributeAccessIssue]
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_a_walk(editor: Any) -> None:
    uri = (editor.root / "b.py").as_uri()
    document = types.TextDocumentIdentifier(uri)
    item = types.TextDocumentItem(uri, "python", 1, CASE.files["b.py"].decode())
    editor.text_document_did_open(types.DidOpenTextDocumentParams(item))
    position = types.Position(1, 2 + WIDTHS[editor.encoding] + 2)
    end = time.monotonic() + 300
    found = None
    while not found and time.monotonic() < end:
        found = await editor.text_document_definition_async(types.DefinitionParams(document, position))
        await asyncio.sleep(0.05)
    assert found
    where = found[0]
    target = where.target_uri if isinstance(where, types.LocationLink) else where.uri
    assert target.endswith("/a.py")
    hover = await editor.text_document_hover_async(types.HoverParams(document, position))
    assert "def grüße" in hover.contents.value
    context = types.ReferenceContext(include_declaration=True)
    uses = await editor.text_document_references_async(types.ReferenceParams(context, document, position))
    assert len(uses) == 3
