"""Every way into a program, its own first, without looking at files that cannot declare any."""

from __future__ import annotations

import pytest

from graphls.queries.entry_list import entries_in, entry_list
from graphls.session.memory import snapshot_of

TASK = "from celery import shared_task\n@shared_task\ndef {0}(): ...\n"
VIEWS = "def home(request): ...\n"
FILES = {
    ".rules/bad.py": TASK.format("bad"), "examples/shown.py": TASK.format("shown"), "app/jobs.py": TASK.format("send"),
    "app/__init__.py": "", "app/views.py": VIEWS, "tests/test_jobs.py": TASK.format("tested"),
    "app/urls.py": "from django.urls import path\nfrom app import views\nurlpatterns = [path('home', views.home)]\n",
    "app/site.py": (
        "from django.urls import include, path\nurlpatterns = [path('in/', include('app.urls'))]\n"
    ),
    "app/plain.py": "def home(): ...\n", "app/data.yml": "a: 1\n", "docs/guide.md": "# Guide\n",
}  # fmt: skip


def test_the_entries_of_the_program_come_before_those_of_examples_and_hidden_folders() -> None:
    known = snapshot_of(FILES)
    assert [one.entry.name for one in entry_list(known).entries] == ["send", "in/home", "bad", "shown"]
    assert [node.name for node in entries_in(known, tests=True)] == ["send", "in/home", "bad", "shown", "tested"]


def test_only_files_that_may_declare_something_are_looked_at() -> None:
    known = snapshot_of(FILES)
    assert known.derivation is not None
    assert {path for path in known.shards if known.derivation.may_declare(known, path)} == {
        ".rules/bad.py", "examples/shown.py", "app/jobs.py", "app/urls.py", "app/site.py", "tests/test_jobs.py",
    }  # fmt: skip


def test_what_was_derived_is_not_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = snapshot_of(FILES)
    assert known.derivation is not None
    listed = entry_list(known)
    known.derivation.prepare(known, lambda: False)

    def looked(*_: object) -> bool:
        raise AssertionError("all of it is known")

    monkeypatch.setattr("graphls.analysis.frameworks.derivation.may_declare", looked)
    assert entry_list(known) == listed


def test_what_may_declare_holds_for_all_that_does() -> None:
    texts = {
        "api.ts": "import express from 'express'\nconst app = express()\napp.get('/x', (a, b) => { b.json({}) })\n",
        "app/api/rows/route.ts": "export function GET() {}\n", "package.json": '{"dependencies": {"next": "14"}}',
        "Rows.java": (
            "import org.springframework.web.bind.annotation.*;\n@RestController class Rows {\n"
            '  @GetMapping("/rows") String all() { return ""; }\n}\n'
        ),
        "manage.py": "", "shop/__init__.py": "", "shop/management/__init__.py": "",
        "shop/management/commands/prune.py": (
            "from django.core.management.base import BaseCommand\nclass Command(BaseCommand):\n"
            "    def handle(self): ...\n"
        ),
    }  # fmt: skip
    known = snapshot_of(texts)
    derivation = known.derivation
    assert derivation is not None
    declared = {path for path in known.shards if any(not node.in_document for node in derivation.nodes(known, path))}
    assert {"api.ts", "app/api/rows/route.ts", "Rows.java", "shop/management/commands/prune.py"} <= declared
    assert declared == {path for path in declared if derivation.may_declare(known, path)}
