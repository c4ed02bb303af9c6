"""Page: a picture as one HTML file that needs nothing else.

Owns: the file around the view, what the page may load.
Must not know: what the picture shows.
Invariant: no text of the picture can become markup or code; the page loads nothing from elsewhere.
"""

from __future__ import annotations

import base64
import html
import json
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import cast

import attrs

from graphls.cli.viewing.pictures import Picture

_TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="page">
<div id="graphls"></div>
<script type="application/json" id="graphls-picture">{picture}</script>
<script>{script}</script>
</body>
</html>
"""


def page(picture: Picture, *, served: bool = False) -> str:
    """The page. A served one may ask the server that it came from."""
    style, script = _asset("view.css"), _asset("view.js")
    policy = "; ".join((
        "default-src 'none'",
        # A drawing becomes points by way of an image that the page itself makes.
        "img-src data:",
        f"style-src '{_digest(style)}'",
        f"script-src '{_digest(script)}'",
        "connect-src 'self'" if served else "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ))  # fmt: skip
    return _TEMPLATE.format(
        policy=policy,
        title=html.escape(f"{picture.title} - graphls"),
        style=style,
        script=script,
        picture=picture_json(picture).replace("<", "\\u003c"),
    )


def picture_json(picture: Picture) -> str:
    """The picture as the view reads it."""
    return json.dumps(_wire(picture), ensure_ascii=True, separators=(",", ":"))


def _wire(value: object) -> object:
    if attrs.has(type(value)):
        return {_camel(field.name): _wire(getattr(value, field.name)) for field in attrs.fields(type(value))}
    if isinstance(value, tuple):
        return [_wire(item) for item in cast("tuple[object, ...]", value)]
    return value


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


@cache
def _asset(name: str) -> str:
    """A file of the view; `</script` and `</style` can not stand in it."""
    return (files("graphls.cli.viewing") / "assets" / name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()
