"""Versions by Composer's order."""

import re
from typing import Any, Final

_PATCH: Final = re.compile(r"[-.]?(?:patch|pl|p)(?=\d*$)", re.IGNORECASE)


def parse_version(version: str) -> Any:
    """Return the version as a value with Composer's order. Raises ValueError.

    It is read as one of PyPI, whose suffixes have the same order. Only a patch (`1.0.0-p1`), which
    is newer than its release, has another spelling. Composer ignores what follows a "+".
    """
    from packaging.version import Version

    return Version(_PATCH.sub(".post", version.partition("+")[0]))
