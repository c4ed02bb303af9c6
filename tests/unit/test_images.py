"""Images: names of container images lead to what builds them.

Owns: names with registries, tags and variables; documents that build and those that run.
Must not know: how documents are read.
Invariant: what only ends alike is possible, what says something else is nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.graph.derivation import DerivedNode
from graphls.graph.snapshot import SymbolRef
from graphls.languages.config.images import image_name, is_same_image
from graphls.session.memory import snapshot_of


@pytest.mark.parametrize(
    ("used", "built", "same"),
    [
        ("shop/cart", "shop/cart", True),
        ("shop/cart:1.2", "shop/cart:latest", True),
        ("docker.io/library/cart", "cart", True),
        ("localhost:5000/cart@sha256:00", "localhost:5000/cart", True),
        ("eu.gcr.io/shop/cart:v1", "cart", None),
        ("shop/cart", "shop/chart", False),
        ("other/cart", "shop/cart", False),
        ("shop/demo:2.0-ad", "shop/demo:${VERSION}-ad", True),
        ("shop/demo:2.0-ad", "shop/demo:${VERSION}-cart", False),
        ("$REGISTRY/cart", "cart", None),
        ("${REGISTRY:-shop}/cart", "shop/cart", True),
        ("${{ inputs.repository }}/cart", "shop/cart", None),
        ("shop/cart:$(TAG)", "shop/cart", True),
    ],
)
def test_when_two_names_mean_one_image(used: str, built: str, same: bool | None) -> None:
    one, other = image_name(used, {}), image_name(built, {})
    assert one is not None
    assert other is not None
    assert is_same_image(one, other) is same


def test_what_is_no_name_of_an_image() -> None:
    for text in ("", "$IMAGE", "shop/$NAME", "a b", "/cart", "shop//cart", "https://x/y z"):
        assert image_name(text, {}) is None, text


COMPOSE = """services:
  ad:
    image: ${IMAGE}:${VERSION}-ad
    build:
      dockerfile: src/ad/Dockerfile
  db:
    image: postgres:16
"""
SKAFFOLD = "build:\n  artifacts:\n    - image: cart\n      context: src/cart\n"
DEPLOYMENT = """kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: one
          image: ghcr.io/shop/demo:2.0-ad
        - name: two
          image: eu.gcr.io/shop/cart:1
        - name: three
          image: postgres:16
"""
WORKFLOW = """jobs:
  build:
    steps:
      - uses: docker/build-push-action@v6
        with:
          file: src/mail/Dockerfile
          tags: |
            ghcr.io/shop/mail:${{ github.sha }}
            ghcr.io/shop/mail:latest
"""
MAKE = "image:\n\tdocker build -t shop/worker:dev -f src/worker/Dockerfile .\n"
TERRAFORM = (
    'resource "run" "mail" {\n  image = "ghcr.io/shop/mail:1"\n}\nresource "run" "w" {\n  image = "shop/worker"\n}\n'
)
FILES: Mapping[str, str] = {
    ".env": "IMAGE=ghcr.io/shop/demo\nVERSION=1.0\n",
    "compose.yaml": COMPOSE,
    "skaffold.yaml": SKAFFOLD,
    "deploy/all.yaml": DEPLOYMENT,
    ".github/workflows/ci.yml": WORKFLOW,
    "Makefile": MAKE,
    "main.tf": TERRAFORM,
    **{f"src/{name}/Dockerfile": "FROM scratch\n" for name in ("ad", "cart", "mail", "worker")},
}


def _title(place: SymbolRef | DerivedNode | str) -> str:
    if isinstance(place, DerivedNode):
        return f"{place.file}#{place.name}"
    return place if isinstance(place, str) else place.file


def test_what_runs_an_image_leads_to_what_builds_it_and_that_to_the_file() -> None:
    snapshot = snapshot_of(FILES)
    assert snapshot.derivation is not None
    edges = [edge for path in snapshot.shards for edge in snapshot.derivation.edges_from(snapshot, path)]
    edges = [edge for edge in edges if edge.kind == "references"]
    for edge in edges:
        assert not isinstance(edge.target, str)
        assert edge in snapshot.derivation.edges_to(snapshot, edge.target)
    links = sorted(f"{_title(edge.source)} -> {_title(edge.target)}{' ?' * edge.ambiguous}" for edge in edges)
    assert links == [
        ".github/workflows/ci.yml#jobs.build -> src/mail/Dockerfile",
        "Makefile#image -> src/worker/Dockerfile",
        "compose.yaml#services.ad -> src/ad/Dockerfile",
        "deploy/all.yaml#spec.template -> compose.yaml#services.ad",
        "deploy/all.yaml#spec.template -> skaffold.yaml#build.artifacts ?",
        "main.tf#resource.run.mail -> .github/workflows/ci.yml#jobs.build",
        "main.tf#resource.run.w -> Makefile#image",
        "skaffold.yaml#build.artifacts -> src/cart/Dockerfile",
    ]
