"""Status: what the graph holds and what it could not take in.

Owns: arguments of `graphls status`.
Must not know: how the numbers are counted.
Invariant: the JSON form has the same keys whatever the state.
"""

from __future__ import annotations

import typer

from graphls.cli.opening import opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.page import Page
from graphls.cli.rendering.wire import write_json
from graphls.cli.standing import standing, standing_rows


def run(ctx: typer.Context, *, root: Root = ".", format: AsFormat = Format.TEXT) -> None:
    with opened(ctx, root) as workspace:
        held = standing(workspace)
    if format is Format.JSON:
        write_json(held)
        return
    page = Page()
    page.rows(standing_rows(held))
    page.write()
