"""World: what is written down of the questions that a resolver asks."""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.session.memory import snapshot_of

PROJECTS = {
    "one/pyproject.toml": "",
    "one/shared.py": "def here(): pass\n",
    "one/use.py": "from shared import here\nhere()\n",
    "two/pyproject.toml": "",
    "two/shared.py": "def there(): pass\n",
    "two/use.py": "from shared import there\nthere()\n",
    "both.py": "import one.use\nimport two.use\n",
}


def test_a_name_of_two_projects_is_answered_for_each_asker() -> None:
    snapshot = snapshot_of(PROJECTS)
    for project, other in (("one", "two"), ("two", "one")):
        links = snapshot.links(FilePath(f"{project}/use.py"))
        assert f"{project}/shared.py" in links.files
        assert f"{other}/shared.py" not in links.files
        assert not len(links.unresolved)


def test_lookups_of_such_names_say_who_asked() -> None:
    links = snapshot_of(PROJECTS).links(FilePath("two/use.py"))
    assert any(lookup.startswith("shared\ntwo/use.py\t") for lookup in links.lookups)
