"""A repository whose content would control a terminal, in an organisation of its own."""

import pytest

from aeterna_code_search.client.target.local_token import LocalToken
from scripts.local_service import Organization, Service
from tests.e2e.conftest import commit_all, new_repository, write_files
from tests.e2e.indexing import index_here

CONTROLS = "\x1b]0;gone\x07 needle \x9b2J\x1b[31m \u202e\r\n\x0cneedle\n"


@pytest.fixture(scope="session")
def hostile_environ(service: Service, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What names the organisation to a command."""
    organization = Organization(service, "evil", LocalToken(service.data_dir, "evil").bearer())
    directory = new_repository(tmp_path_factory.mktemp("hostile") / "evil")
    names = ("a\x1b[2Jb.txt", "src/évil.py", "src/tail.py")
    write_files(directory, dict.fromkeys(names, CONTROLS) | {"plain.txt": "needle\n"})
    commit_all(directory, "First commit")
    index_here(organization, directory, "evil")
    return {
        "AETERNA_URL": service.url,
        "AETERNA_TOKEN": organization.token,
        "AETERNA_ORGANIZATION": organization.slug,
    }
