"""Which routes a path may mean, by what both spell."""

from __future__ import annotations

import pytest

from graphls.graph.url_paths import fits, request_path, route_segments


@pytest.mark.parametrize(
    ("asked", "route", "alike"),
    [
        ("/users/me", "/users/me", 2),
        ("/users/me/", "/users/{id}", 1),
        ("/users/\0", "/users/:id", 1),
        ("/users/\0", "/users/me", -1),
        ("/users/7?page=\0#top", "/users/<int:id>", 1),
        ("/users", "/users/{id}", -1),
        ("/\0", "/{id}", -1),
        ("/", "/", 0),
        ("\0/users/7", "/api/v1/users/{id}", 1),
        ("\0/\0", "/api/{id}", -1),
        ("http://localhost:8000/users", "/users", 1),
        ("http://\0:\0/users", "/users", 1),
        ("https://example.com/users", "/users", None),
        ("users", "/users", None),
        ("\0users", "/users", None),
        ("/files/a/b", "/files/{path:path}", 1),
        ("/files/a/b", "/files/*", 1),
        ("/files/a/b", "/files/[...rest]", 1),
        ("/v1/users:search", "/v1/users:search", 2),
        ("/reports/may.pdf", "/reports/{name}.pdf", 1),
        ("/reports/may.csv", "/reports/{name}.pdf", -1),
        ("/pages/about", "/pages/[slug]", 1),
    ],
)
def test_fits(asked: str, route: str, alike: int | None) -> None:
    path = request_path(asked)
    assert (None if path is None else fits(path, route_segments(route))) == alike
