"""The repository and the service connection that every command needs."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.config.settings import GitCredential, Settings

if TYPE_CHECKING:
    from indexer.client.credentials import Purpose
    from indexer.client.transport import Transport
    from indexer.git.repository import Repository


@dataclass(frozen=True, slots=True)
class Connection:
    """The repository, the settings, and the transport to the configured service."""

    repository: "Repository"
    settings: Settings
    transport: "Transport"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the repository and the project."""
    parser.epilog = "The server and the credential come from AETERNA_URL and AETERNA_TOKEN."
    parser.add_argument("--path", type=Path, default=Path(), help="a directory in the repository")
    parser.add_argument("--organization", help="the organisation's slug (AETERNA_ORGANIZATION)")
    parser.add_argument("--project", help="the repository's name in the index (AETERNA_PROJECT)")


def connect(
    options: argparse.Namespace, environ: Mapping[str, str], purpose: "Purpose"
) -> Connection:
    """Open the repository and read the settings; send no request. Raises IndexerError."""
    # Imported here: --help and a wrong argument answer at once.
    from indexer.client.credentials import from_settings
    from indexer.client.transport import Transport
    from indexer.git.repository import Repository

    repository = Repository(options.path, GitCredential.load(environ))
    settings = Settings.load(
        environ,
        project_dir=repository.root,
        default_project=repository.name(),
        overrides={"organization": options.organization, "project": options.project},
    )
    transport = Transport(
        url=settings.url,
        credentials=from_settings(settings, purpose),
        retry_seconds=settings.retry_seconds,
    )
    return Connection(repository, settings, transport)
