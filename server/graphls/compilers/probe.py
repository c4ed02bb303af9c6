"""Probe: a question to a new server whose answer is known.

Owns: the question, the comparison.
Must not know: what servers are for, how they are started.
Invariant: a server that does not answer as it must is told to nobody but by a reason.
"""

from __future__ import annotations

from typing import Final

from graphls.compilers.connection import CheckerProblem, Connection
from graphls.compilers.locations import locations, to_uri
from graphls.compilers.wire import Json
from graphls.languages.language_checker import LanguageChecker

_NAME: Final = ".graphls-probe"


def probe(connection: Connection, root: str, known: LanguageChecker, seconds: float) -> str:
    """ "" when the server answers about a small document as it must, else why it is not asked."""
    question = known.probe
    # Beside the workspace's files and never written there: the server is given its text.
    uri = to_uri(f"{root}/{question.file or _NAME + known.endings[0]}")
    language = known.endings[0].lstrip(".")
    connection.notify("initialized", {})
    item: Json = {"uri": uri, "languageId": language, "version": 1, "text": question.text}
    connection.notify("textDocument/didOpen", {"textDocument": item})
    position: Json = {"line": question.line, "character": question.character}
    try:
        asked = connection.request("textDocument/definition", {"textDocument": {"uri": uri}, "position": position})
        found = locations(asked.result(seconds))
    except (CheckerProblem, TimeoutError) as error:
        return f"{known.name} does not answer a question whose answer is known: {error or 'it took too long'}"
    finally:
        connection.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    lines = [one.start[0] for one in found]
    return "" if lines == [question.defined] else f"{known.name} answers a question whose answer is known otherwise"
