"""Writing a first `.codesearch.toml`; `indexer.config.project_file` reads it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import tomli_w

from indexer.config.project_file import PROJECT_FILE
from indexer.errors import ConfigurationError
from indexer.pipeline.select import SelectionRules

_INDEX: Final = f"""\
# Code search: what is indexed of this repository, and where. Commit this file: what it selects is
# read from the commit that is indexed.

[index]
# Patterns as in .gitignore. Without `include` every file that git tracks is indexed; `exclude`
# wins over it. Binary, generated and vendored files are left out by themselves.
# include = ["src/", "docs/*.md"]
# exclude = ["testdata/", "*.snap"]
# Larger files are left out.
# max_file_bytes = {SelectionRules().max_file_bytes}
"""
_SERVER: Final = """
# The service; the environment (AETERNA_URL and so on) wins. Never a token: that is AETERNA_TOKEN.
# Without `url` the index is on each person's own machine.
[server]
"""
_EXAMPLES: Final = {
    "url": "https://codesearch.example.com",
    "organization": "acme",
    "project": "shop",
}


def project_file(server: Mapping[str, str]) -> str:
    """The file's text; what `server` lacks is there as a comment."""
    lines = [
        tomli_w.dumps({key: server[key]}) if key in server else "# " + tomli_w.dumps({key: example})
        for key, example in _EXAMPLES.items()
    ]
    return _INDEX + _SERVER + "".join(lines)


def write_project_file(root: Path, server: Mapping[str, str]) -> bool:
    """Write it to the top of a checkout; False if there is one, which is kept as it is.

    Raises ConfigurationError where none can be.
    """
    try:
        with (root / PROJECT_FILE).open("x", encoding="utf-8") as file:
            file.write(project_file(server))
    except FileExistsError:
        return False
    except OSError as exc:
        raise ConfigurationError(
            f"{root / PROJECT_FILE} cannot be written ({exc.strerror}): `codesearch index` does "
            "without one"
        ) from exc
    return True
