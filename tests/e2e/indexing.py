"""Indexing in this process, for tests in which the indexer's own process is not the point."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from indexer.client.api import IndexingClient
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from indexer.config.settings import Settings
from indexer.git.repository import Repository
from indexer.pipeline.job import Job, make_job
from indexer.pipeline.progress import display
from indexer.pipeline.report import Report, RunProgress, as_json
from indexer.pipeline.run import index
from indexer.records.runs import Requested
from scripts.local_service import Organization


def index_here(
    organization: Organization, path: Path, project: str, mode: str = "auto", **environ: str
) -> dict[str, Any]:
    """What `organization.index` answers."""
    named = {
        "AETERNA_URL": organization.service.url,
        "AETERNA_TOKEN": organization.token,
        "AETERNA_ORGANIZATION": organization.slug,
    }
    settings = Settings.load(
        named | environ, project_dir=path, default_project=project, overrides={}
    )
    with opened(organization, path) as (repository, central):
        job = make_job(
            repository, settings, ref=None, requested=Requested(mode), timeout_seconds=60
        )
        return as_json(carried_out(job, repository, central))


@contextmanager
def opened(organization: Organization, path: Path) -> Iterator[tuple[Repository, IndexingClient]]:
    """The checkout at `path`, and the service as the organisation's token sees it."""
    transport = Transport(url=organization.service.url, credentials=StaticToken(organization.token))
    repository = Repository(path)
    try:
        yield repository, IndexingClient(transport)
    finally:
        transport.close()
        repository.close()


def carried_out(job: Job, repository: Repository, central: IndexingClient) -> Report:
    """The real run."""
    with display(plain=True) as progress:
        return index(
            job=job,
            repository=repository,
            central=central,
            progress=progress,
            run_progress=RunProgress(),
        )
