"""Names of packages by the rules of their ecosystems, as manifests are read."""

import re
from typing import Final

_SEPARATORS: Final = re.compile(r"[-_.]+")
_SCALA: Final = re.compile(r"(?:_(?:sjs|native)[\d.]+)?_(?:2\.1[0-3]|3)$")
_TYPES: Final = "@types/"  # of npm: packages that declare the types of another


def python_name(name: str) -> str:
    """Normalise a name by PEP 503: `Acme.Auth_X` → `acme-auth-x`."""
    return _SEPARATORS.sub("-", name).lower()


def without_scala(name: str) -> str:
    """Return the artifact's name without the version of Scala, which each of several has."""
    return _SCALA.sub("", name)


def typed_package(name: str) -> str:
    """Return the package of npm whose types one declares: `@types/acme__log` → `@acme/log`."""
    if not name.startswith(_TYPES):
        return name
    scope, separator, rest = name.removeprefix(_TYPES).partition("__")
    return f"@{scope}/{rest}" if separator else scope
