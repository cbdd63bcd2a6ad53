"""The index of a directory, at a configured or the embedded service, and its credentials."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aeterna_code_search.client.console import print_stderr
from aeterna_code_search.client.target.trusted_servers import require_trusted
from central.runtime.data_directory import data_directory
from indexer.client.credentials import Credentials, Purpose, StaticToken, from_settings
from indexer.config.settings import ServerSettings, Settings, configured_token
from indexer.errors import NotARepositoryError, UntrustedRepositoryError

if TYPE_CHECKING:
    from aeterna_code_search.client.api import ServiceApi
    from indexer.client.transport import Transport

LOCAL_ORGANIZATION: Final = "local"


@dataclass(frozen=True, slots=True)
class IndexTarget:
    """One organisation of one service, with a credential.

    `project` is the name of the repository at `root`; outside of a repository they are "" and None.
    """

    url: str
    organization: str
    project: str
    credentials: Credentials = field(repr=False)
    is_local: bool
    data_dir: Path
    root: Path | None

    def transport(
        self, retry_seconds: float = 0.0, sleep: Callable[[float], None] = time.sleep
    ) -> "Transport":
        """Open a transport to the service; it retries for `retry_seconds`."""
        from indexer.client.transport import Transport

        return Transport(
            url=self.url,
            credentials=self.credentials,
            retry_seconds=retry_seconds,
            sleep=sleep,
        )

    def api(self, *, retry_seconds: float = 0.0) -> "ServiceApi":
        """Return the API of the service, without uncommitted work."""
        from aeterna_code_search.client.api import ServiceApi

        # The port of a local service changes at each start.
        service = str(self.data_dir) if self.is_local else self.url
        return ServiceApi(
            self.transport(retry_seconds),
            self.organization,
            project=self.project,
            root=self.root,
            source=f"{service} {self.organization}",
        )


@contextmanager
def open_target(
    environ: Mapping[str, str],
    directory: Path,
    *,
    url: str | None = None,
    organization: str | None = None,
    project: str | None = None,
    purpose: Purpose = Purpose.IMPACT,
    may_ask: bool = True,
) -> Iterator[IndexTarget]:
    """Open the target of `directory`; an embedded service keeps running meanwhile.

    Arguments take precedence over the environment, and that over `.codesearch.toml`. If only this
    file names the server, the user is asked to trust it, if `may_ask`. Raises ConfigurationError
    for a wrong or missing setting, UnconfirmedServerError, and CentralError if the embedded service
    does not start.
    """
    root, name = _repository(directory)
    project_dir = root or directory
    overrides = {"url": url, "organization": organization, "project": project}
    named = ServerSettings.load(environ, project_dir=project_dir, overrides=overrides)
    if named.url is None:
        with _embedded(environ, named, root, name, purpose) as target:
            yield target
        return
    settings = Settings.load(
        environ, project_dir=project_dir, default_project=name, overrides=overrides
    )
    # An OIDC token is valid for its own server only, so it needs no confirmation.
    if named.from_project_file and isinstance(settings.credential, str):
        require_trusted(settings.url, data_dir_of(environ), may_ask=may_ask)
    yield IndexTarget(
        url=settings.url,
        organization=settings.organization,
        project=settings.project,
        credentials=from_settings(settings, purpose),
        is_local=False,
        data_dir=data_dir_of(environ),
        root=root,
    )


@contextmanager
def open_local_target(environ: Mapping[str, str], directory: Path) -> Iterator[IndexTarget]:
    """Open the embedded target of `directory`, even if another service is configured.

    AETERNA_TOKEN then belongs to that service and is not sent. Raises as `open_target` does.
    """
    root, name = _repository(directory)
    named = named_at(environ, directory)
    with _embedded(environ, named, root, name, Purpose.INDEX) as target:
        yield target


def named_at(environ: Mapping[str, str], directory: Path) -> ServerSettings:
    """Read the settings of the environment and of the checkout's `.codesearch.toml`.

    Raises ConfigurationError.
    """
    root, _ = _repository(directory)
    return ServerSettings.load(environ, project_dir=root or directory, overrides={})


def data_dir_of(environ: Mapping[str, str]) -> Path:
    """Return the data directory of the embedded service."""
    return data_directory(environ.get("AETERNA_DATA_DIR"))


@contextmanager
def _embedded(
    environ: Mapping[str, str],
    named: ServerSettings,
    root: Path | None,
    name: str,
    purpose: Purpose,
) -> Iterator[IndexTarget]:
    from aeterna_code_search.client.target.embedded import shared_service
    from aeterna_code_search.client.target.local_token import LocalToken
    from aeterna_code_search.client.target.projects import local_project, project_of

    data_dir = data_dir_of(environ)
    organization = named.organization or LOCAL_ORGANIZATION
    token = None if named.url else configured_token(environ)
    project = (
        partial(local_project, notify=print_stderr) if purpose is Purpose.INDEX else project_of
    )  # only an index claims a name
    with shared_service(data_dir, environ=environ, notify=print_stderr) as server:
        yield IndexTarget(
            url=server["url"],
            organization=organization,
            project=project(data_dir, root, named.project or name) if root else "",
            credentials=StaticToken(token, purpose)
            if token
            else LocalToken(data_dir, organization),
            is_local=True,
            data_dir=data_dir,
            root=root,
        )


def _repository(directory: Path) -> tuple[Path | None, str]:
    """Return the root of the checkout that contains `directory`, and its name."""
    from indexer.git.local import WorkingCopy

    try:
        repository = WorkingCopy(directory)
    except (NotARepositoryError, UntrustedRepositoryError):
        return None, ""
    with closing(repository):
        return repository.root, repository.name()
