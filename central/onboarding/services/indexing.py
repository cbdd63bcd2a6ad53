"""The indexer on a clone, as a limited process with a short-lived token for one repository."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from central.errors import ConflictError, UnavailableError
from central.ingest.services.open_run import BACKFILL_EVENT
from central.onboarding.clones import Clone
from central.onboarding.models import BackfillRepository
from central.onboarding.processes import ChildError, Limits, inherited_environment, run_child
from central.onboarding.services.sources import Source
from central.repositories.services import record_visibility
from central.tenancy.credentials import Binding
from central.tenancy.models import ApiToken, Scope
from central.tenancy.services.tokens import issue_token
from central.tenancy.tokens import bind_to_job
from indexer.exits import Exit
from indexer.forge.repositories import ForgeRepository
from indexer.output.terminal import foreign_line

_ROOT = Path(__file__).resolve().parents[3]  # where -m finds the package
_TOKEN_MARGIN = timedelta(minutes=5)


@contextmanager
def repository_token(row: BackfillRepository, source: Source, cloned: Clone) -> Iterator[str]:
    """Yield a token that may index this repository alone, and of GitHub's this commit alone."""
    token = ApiToken(
        organization=row.organization,
        name=f"backfill of {row.name}"[:100],
        scopes=[Scope.INDEX],
        is_short_lived=True,
        expires_at=timezone.now()
        + timedelta(seconds=settings.BACKFILL.max_seconds)
        + _TOKEN_MARGIN,
    )
    if source.github:
        bind_to_job(token, _binding(source, source.github, cloned))
        record_visibility(
            organization_id=row.organization_id,
            forge_key=source.github.id,
            visibility=source.github.visibility,
            at=source.asked_at,
        )
    else:
        token.repositories = [row.name]
    secret = issue_token(token)
    try:
        yield secret
    finally:
        ApiToken.objects.filter(pk=token.pk).update(revoked_at=timezone.now())


def _binding(source: Source, github: ForgeRepository, cloned: Clone) -> Binding:
    return Binding(
        repository_id=github.id,
        project=github.name,
        visibility=github.visibility,
        ref=cloned.ref,
        commit_sha=cloned.commit_sha,
        url=source.url,
        signed_at=source.asked_at,
    )


def index_clone(
    row: BackfillRepository,
    source: Source,
    cloned: Clone,
    *,
    token: str,
    url: str,
    limits: Limits,
    history: bool,
) -> None:
    """Run the indexer on the clone. It gets no credential of the forge and contacts none."""
    variables = {
        **inherited_environment(limits.directory),
        "AETERNA_URL": url,
        "AETERNA_TOKEN": token,
        "AETERNA_ORGANIZATION": row.organization.slug,
        "AETERNA_PROJECT": source.github.name if source.github else row.name,
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONUNBUFFERED": "1",
        **(_job_variables(source.github, limits.directory) if source.github else {}),
    }
    if key := settings.EMBEDDER_ACCESS.openai_api_key:
        variables["OPENAI_API_KEY"] = key
    command = (
        sys.executable, "-m", "indexer", "run", "--json",
        "--path", str(cloned.path), "--ref", cloned.ref,
        *(["--history"] if history else []),
    )  # fmt: skip
    try:
        run_child(command, environment=variables, cwd=_ROOT, limits=limits)
    except ChildError as exc:
        message = _last_error(str(exc))
        if exc.exit_code == Exit.UNREACHABLE:
            raise UnavailableError(message) from exc
        if exc.exit_code in {Exit.USAGE, Exit.REFUSED}:
            raise ConflictError(message) from exc
        raise ChildError(message, exit_code=exc.exit_code) from exc


def _job_variables(github: ForgeRepository, directory: Path) -> dict[str, str]:
    """Return what a job of GitHub knows of its repository, without anything secret."""
    event = directory / "event.json"
    event.write_text(json.dumps({"repository": {"default_branch": github.default_branch}}))
    return {
        "GITHUB_SERVER_URL": settings.BACKFILL.github_url,
        "GITHUB_REPOSITORY": github.full_name,
        "GITHUB_REPOSITORY_ID": str(github.id),
        "GITHUB_REPOSITORY_OWNER_ID": str(github.owner_id),
        "GITHUB_EVENT_NAME": BACKFILL_EVENT,
        "GITHUB_EVENT_PATH": str(event),
    }


def _last_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line.partition("error: ")[2] for line in lines if "error: " in line]
    last = (errors or lines or [""])[-1]
    return foreign_line(last) or "The indexer ended without a message."
