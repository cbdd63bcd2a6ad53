"""docker-compose.yml as the processes of this machine see it: other hosts, the same settings."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from scripts.local_service import ROOT

COMPOSE = ROOT / "docker-compose.yml"
_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?\}")


def load() -> dict[str, Any]:
    """The file, with its anchors merged."""
    loaded: dict[str, Any] = YAML(typ="safe", pure=True).load(COMPOSE)
    return loaded


def with_defaults(value: str, chosen: Mapping[str, str] | None = None) -> str:
    """`value` as Compose reads it where only the variables `chosen` are set."""
    return _VARIABLE.sub(
        lambda match: (chosen or {}).get(match["name"]) or match["default"] or "", value
    ).replace("$$", "$")


def make_secrets(directory: Path) -> Path:
    """What deploy/make-secrets makes, in `directory`."""
    subprocess.run([ROOT / "deploy" / "make-secrets", directory], check=True)
    return directory


def environment(service: str, secrets: Path) -> dict[str, str]:
    """A service's environment, its secrets being in this directory; empty values are left out."""
    given = load()["services"][service]["environment"]
    values = {name: with_defaults(str(value)) for name, value in given.items()}
    return {
        name: value.replace("/run/secrets", str(secrets)) for name, value in values.items() if value
    }
