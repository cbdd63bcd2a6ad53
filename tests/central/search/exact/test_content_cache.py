"""Content in memory: what was read is there, up to a size."""

from central.search.exact.files import ContentCache, FileKey


def key(number: int) -> FileKey:
    return number, f"src/{number}.py", 10


def test_what_was_added_is_there() -> None:
    cache = ContentCache(10)
    cache.add({key(1): b"one", key(2): b"two"})
    assert cache.get([key(2), key(3)]) == {key(2): b"two"}


def test_what_is_kept_has_a_bound() -> None:
    cache = ContentCache(100)
    for number in range(200):
        cache.add({key(number): b"x" * 10})
        cache.add({key(number): b"x" * 10})
        assert sum(map(len, cache.get(map(key, range(200))).values())) == min(
            100, 10 * (number + 1)
        )
    cache.add({key(1_000): b"x" * 101})
    assert cache.get([key(1_000)]) == {}
