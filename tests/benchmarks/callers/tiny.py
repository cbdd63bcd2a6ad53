"""A family of two repositories, small enough to see what is true of it.

`lib` defines `Store` with `get` and `put`, `Cache(Store)` that overrides `get`, and `open`; `app`
defines an `open` of its own.
"""

from dataclasses import replace

from benchmarks.callers.truth import Definition, Site, Truth

STORE, STORE_GET, CACHE, CACHE_GET, OPEN, APP_OPEN, UNUSED = range(7)
DEFINITIONS = (
    Definition("lib", "lib/store.py", 1, "Store", "class", public=True),
    Definition("lib", "lib/store.py", 2, "Store.get", "method", public=True),
    Definition("lib", "lib/cache.py", 3, "Cache", "class", public=True),
    Definition("lib", "lib/cache.py", 4, "Cache.get", "method", public=True),
    Definition("lib", "lib/store.py", 9, "open", "function", public=True),
    Definition("app", "app/main.py", 1, "open", "function", public=False),
    Definition("lib", "lib/store.py", 12, "unused", "function", public=True),
)


def site(
    place: str, name: str, kind: str, *targets: int, judged: bool = True, owner: int | None = None
) -> Site:
    """A site from `project:file:line`, in column 0."""
    project, file, line = place.split(":")
    return Site(project, file, int(line), 0, name, kind, targets, judged, owner)


SITES = (
    site("lib:lib/cache.py:3", "Store", "inherit", STORE, owner=CACHE),
    site("app:app/main.py:5", "Store", "call", STORE),
    site("app:app/main.py:6", "get", "call", STORE_GET),
    site("app:app/main.py:7", "open", "call", OPEN),
    site("app:app/main.py:8", "open", "call", APP_OPEN),
    site("lib:lib/cache.py:9", "open", "call", OPEN),
    site("app:app/main.py:10", "open", "value", OPEN),
    site("app:app/main.py:11", "open", "mention", OPEN),
    site("app:app/main.py:12", "get", "call", judged=False),
    replace(site("app:app/main.py:13", "opener", "call"), held=(OPEN,)),
)
TRUTH = Truth("by hand", DEFINITIONS, SITES)
