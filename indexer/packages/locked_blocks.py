"""`[[package]]` blocks of lock files in TOML: programs write them line by line, name first.

A parser of TOML would take many times as long.
"""

import re
from collections.abc import Iterator

_BLOCK = re.compile(
    r'^\[\[package\]\]\r?\nname = "([^"\n]{1,500})"\r?\nversion = "([^"\n]{1,200})"', re.MULTILINE
)


def locked_packages(text: str) -> Iterator[tuple[str, str]]:
    """Name and version of every block that has both."""
    return ((found[1], found[2]) for found in _BLOCK.finditer(text))
