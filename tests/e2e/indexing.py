"""Indexing in this process, for tests in which the indexer's own process is not the point."""

from pathlib import Path
from typing import Any

from indexer.client import Central
from indexer.config import Settings
from indexer.git import Repository
from indexer.identity import StaticToken
from indexer.job import make_job
from indexer.pipeline import index
from indexer.planning import Requested
from indexer.progress import display
from indexer.report import Course, as_json
from indexer.transport import Transport
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
    repository = Repository(path)
    transport = Transport(url=settings.url, credentials=StaticToken(organization.token))
    try:
        job = make_job(
            repository, settings, ref=None, requested=Requested(mode), timeout_seconds=60
        )
        with display(plain=True) as progress:
            report = index(
                job=job,
                repository=repository,
                central=Central(transport),
                progress=progress,
                course=Course(),
            )
    finally:
        transport.close()
        repository.close()
    return as_json(report)
