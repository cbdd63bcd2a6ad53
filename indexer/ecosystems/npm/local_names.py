"""Names by which a package imports its dependencies, as `RootDependency.alias` has them.

One that ends in "/" begins paths, and what follows a space is the part of the package that it
means: `#db/ lib` for `"#db/*": "@acme/db/lib/*"`.
"""

import re
from collections.abc import Iterable
from typing import Final

# A package as Deno imports it without a manifest: `jsr:@acme/log@^1.2/levels`.
_INLINE: Final = re.compile(
    r"(?:jsr|npm):/?(?P<name>@[^/@]+/[^/@.]+|[^/@.]+)"
    r"(?:@[~^<>=]*v?[\dx*]++(?:\.[\dx*]++){0,2}(?:-[\w-]+(?:\.\d+)*)?)?(?P<rest>(?:[./].*)?)"
)


def local_and_meant(name: str, alias: str) -> tuple[str, str]:
    """Return the beginning of a path as it is imported, and as the package has it."""
    local, _, part = alias.partition(" ")
    meant = f"{name}/{part}" if part else name
    return local or name, f"{meant}/" if local.endswith("/") else meant


def begins(path: str, local: str) -> bool:
    """Whether an import path, with names or a subpath, begins with a local name."""
    return path.startswith(local) and (local[-1:] == "/" or path[len(local) :][:1] in "/.")


def inline_path(path: str) -> tuple[str, str] | None:
    """Return the package and its path if the path begins with a registry."""
    found = _INLINE.fullmatch(path) if path.startswith(("jsr:", "npm:")) else None
    return (found["name"], found["name"] + found["rest"]) if found else None


def real_path(path: str, declared: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the package and its path if the path begins with a renamed dependency.

    `declared` are names and aliases, the nearest first. The longest local name decides.
    """
    named = [pair for pair in declared if begins(path, local_and_meant(*pair)[0])]
    found = max(named, key=lambda pair: len(local_and_meant(*pair)[0]), default=None)
    if found is None or not found[1]:
        return None
    local, meant = local_and_meant(*found)
    return found[0], meant + path[len(local) :]
