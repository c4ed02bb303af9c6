"""Passing states of a buffer: readable at once, compressed later, forgotten in the end."""

from __future__ import annotations

from pathlib import Path

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.registry import provider_for
from graphls.session.cache.contents import ContentStore
from graphls.session.index.extraction import encoded, understand
from graphls.session.shared_caches import WorkCounters
from graphls.store.blobs import BlobStore, StoreOptions

A = FilePath("a.py")


def test_a_passing_state_reads_the_same_before_and_after_it_is_compressed() -> None:
    provider = provider_for(A)
    assert provider is not None
    made = encoded(*understand(provider, A, b"def f():\n    return 1\n" * 50))
    contents = ContentStore(None)
    contents.put("k", made, passing=True)
    assert contents.encoded_facts(["k"]) == {"k": made.facts}
    contents.squeeze()
    assert contents.encoded_facts(["k"]) == {"k": made.facts}
    facts = contents.facts("k")
    assert facts is not None
    assert encode(facts) == made.facts
    for number in range(100):
        contents.put(f"k{number}", made, passing=True)
        contents.mark_replaced("k" if not number else f"k{number - 1}")
    assert contents.encoded_facts(["k"]) == {}
    assert contents.encoded_facts(["k99"]) == {"k99": made.facts}


def test_a_passing_state_is_packed_when_somebody_wants_it_as_bytes() -> None:
    provider = provider_for(A)
    assert provider is not None
    facts, surface = understand(provider, A, b"def called():\n    return 1\n" * 50)
    made = encoded(facts, surface)
    for ask in ("facts", "names", "squeeze", "known"):
        contents = ContentStore(None)
        assert contents.put_transient("k", facts, made.surface) == made.surface_hash
        if ask == "names":
            assert [*contents.mentions(["k"], "called"), *contents.mentions(["k"], "other")] == [True, False]
        elif ask == "squeeze":
            contents.squeeze()
        elif ask == "known":
            assert contents.known(["k"]) == {"k": made.surface_hash}
        assert contents.encoded_facts(["k"]) == {"k": made.facts}
        assert contents.content_surfaces(["k"])["k"].names == made.names


def test_what_a_store_refuses_stays_in_memory(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    provider = provider_for(A)
    assert provider is not None
    made = encoded(*understand(provider, A, b"def f():\n    return 1\n" * 50))
    contents = ContentStore(BlobStore(StoreOptions(folder=str(tmp_path / "cache"))))
    contents.put("k", made)
    contents.flush()
    assert contents.unwritten_bytes == 0
    assert contents.encoded_facts(["k"]) == {"k": made.facts}
    assert contents.facts("k") is not None


def test_an_earlier_state_that_is_read_once_more_is_forgotten_once_more(tmp_path: Path) -> None:
    """Somebody still looks at an older snapshot: what the store gives must not stay for ever."""
    provider = provider_for(A)
    assert provider is not None
    made = encoded(*understand(provider, A, b"def f():\n    return 1\n" * 50))
    contents = ContentStore(BlobStore(StoreOptions(folder=str(tmp_path / "cache"))))
    contents.put("old", made)
    contents.flush()
    contents.mark_replaced("old")
    _others(contents, "a")
    alone = contents.cached_keys
    assert "old" not in alone
    assert contents.facts("old") is not None
    assert contents.surface("old") is not None
    assert "old" in contents.cached_keys
    _others(contents, "b")
    assert contents.cached_keys == alone
    assert contents.facts("old") is not None
    contents.mark_wanted("old")
    _others(contents, "c")
    assert "old" in contents.cached_keys


def test_many_earlier_states_that_are_read_at_once_are_all_answered(tmp_path: Path) -> None:
    """A folder of 192 files was moved: the surfaces that workers were sent lacked those that were forgotten again."""
    provider = provider_for(A)
    assert provider is not None
    made = encoded(*understand(provider, A, b"def f():\n    return 1\n"))
    contents = ContentStore(BlobStore(StoreOptions(folder=str(tmp_path / "cache"))))
    keys = [f"k{number}" for number in range(200)]
    for key in keys:
        contents.put(key, made)
    contents.flush()
    for key in keys:
        contents.mark_replaced(key)
    _others(contents, "a")
    assert not contents.cached_keys & set(keys)
    assert list(contents.content_surfaces(keys)) == keys
    assert list(contents.known(keys)) == keys
    assert list(contents.defined(keys)) == keys


def _others(contents: ContentStore, letter: str) -> None:
    for number in range(100):
        contents.mark_replaced(f"{letter}{number}")


def test_work_on_a_large_tree_is_counted_to_the_end() -> None:
    """`graphls index` of 60,000 files said that 20,000 were read."""
    work = WorkCounters()
    for number in range(60_000):
        work.note_extracted(FilePath(f"{number}.py"))
        work.note_linked(FilePath(f"{number}.py"))
    assert (len(work.extracted_files), len(work.linked_files)) == (60_000, 60_000)
