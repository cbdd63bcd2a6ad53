"""The top-level packages of the wheel, whose names other projects may use too (decision 46).

Standard library only: what it looks for may break every other import.
"""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final

NAME: Final = "aeterna-code-search"
PACKAGES: Final = ("aeterna_code_search", "central", "indexer", "integrations")
_ADVICE: Final = (
    f"Install {NAME} into an environment of its own: `uv tool install {NAME}` or "
    f"`pipx install {NAME}`."
)


def shadow_error() -> str | None:
    """Return which package Python would import from elsewhere than this one; reads no metadata."""
    own = Path(__file__).resolve().parents[2]
    for package in PACKAGES:
        found = _location(package)
        if found is not None and found != own:
            return f"error: the package `{package}` in {found} is not that of {NAME}. {_ADVICE}"
    return None


def sharing_warning() -> str | None:
    """Return which other distributions have files in our packages; takes some 0.3 seconds.

    Installers do not refuse that: files of one replace those of the other.
    """
    from importlib import metadata  # here, as it imports the parser of e-mail

    owners = metadata.packages_distributions()
    others = {
        package: sorted({owner for owner in owners.get(package, ()) if _normalised(owner) != NAME})
        for package in PACKAGES
    }
    shared = [f"`{package}` ({', '.join(names)})" for package, names in others.items() if names]
    if not shared:
        return None
    return (
        "warning: other projects in this environment have packages of the same names: "
        f"{', '.join(shared)}. {_ADVICE}"
    )


def _location(package: str) -> Path | None:
    """Return the directory that has the package; None if there is none."""
    spec = find_spec(package)
    if spec is None:
        return None
    file = spec.origin or next(iter(spec.submodule_search_locations or ()), None)
    if file is None:
        return None
    directory = Path(file) if spec.origin is None else Path(file).parent
    return directory.resolve().parent


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
