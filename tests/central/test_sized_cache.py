"""Values in memory up to a size."""

from central.sized_cache import SizedCache


def test_what_was_longest_unused_goes() -> None:
    cache = SizedCache[str, str](5)
    for key in "ab":
        cache.put(key, key.upper(), 2)
    assert cache.get("a") == "A"
    cache.put("c", "C", 2)
    assert [cache.get(key) for key in "abc"] == ["A", None, "C"]


def test_a_key_is_kept_once_and_nothing_that_is_larger_than_all() -> None:
    cache = SizedCache[str, str](5)
    for _ in range(3):
        cache.put("a", "A", 4)
    assert cache.get("a") == "A"
    cache.put("b", "B", 6)
    assert [cache.get(key) for key in "ab"] == [None, None]
