"""Writing a first `.codesearch.toml`; `indexer.config.project_file` reads it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import tomlkit

from indexer.config.project_file import PROJECT_FILE
from indexer.errors import ConfigurationError
from indexer.pipeline.select import SelectionRules

_INDEX: Final = f"""\
# Code search: which files of this repository are indexed, and where. Commit this file: it is read
# from the indexed commit.

[index]
# Patterns as in .gitignore. Without `include` every tracked file is indexed; `exclude` takes
# precedence. Binary, generated and vendored files are skipped automatically.
# include = ["src/", "docs/*.md"]
# exclude = ["testdata/", "*.snap"]
# Larger files are skipped.
# max_file_bytes = {SelectionRules().max_file_bytes}
"""
_SERVER: Final = """
# The service; the environment (AETERNA_URL and so on) takes precedence. Never put a token here: set
# AETERNA_TOKEN. Without `url` each user's index is on their own machine.
[server]
"""
_EXAMPLES: Final = {
    "url": "https://codesearch.example.com",
    "organization": "acme",
    "project": "shop",
}


def project_file(server: Mapping[str, str]) -> str:
    """Return the file's text; settings missing in `server` become comments."""
    lines = [
        tomlkit.dumps({key: server[key]}) if key in server else "# " + tomlkit.dumps({key: example})
        for key, example in _EXAMPLES.items()
    ]
    return _INDEX + _SERVER + "".join(lines)


def write_project_file(root: Path, server: Mapping[str, str]) -> bool:
    """Write the file to the root of a checkout. Return False if it exists; it is not changed.

    Raises ConfigurationError if it cannot be written.
    """
    try:
        with (root / PROJECT_FILE).open("x", encoding="utf-8") as file:
            file.write(project_file(server))
    except FileExistsError:
        return False
    except OSError as exc:
        raise ConfigurationError(
            f"{root / PROJECT_FILE} cannot be written ({exc.strerror}): use `codesearch index`, "
            "which does not need it"
        ) from exc
    return True
