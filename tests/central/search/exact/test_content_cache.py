"""Content in memory: what was read is there, up to a size."""

from central.search.exact.content_cache import ContentCache


def test_what_was_added_is_there() -> None:
    cache = ContentCache(10)
    cache.add({1: b"one", 2: b"two"})
    assert cache.get([2, 3]) == {2: b"two"}


def test_what_is_kept_has_a_bound() -> None:
    cache = ContentCache(100)
    for number in range(200):
        cache.add({number: b"x" * 10})
        cache.add({number: b"x" * 10})
        assert sum(map(len, cache.get(range(200)).values())) == min(100, 10 * (number + 1))
    cache.add({1_000: b"x" * 101})
    assert cache.get([1_000]) == {}
