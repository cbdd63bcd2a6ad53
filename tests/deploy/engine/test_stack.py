"""The containers as the documents start them: what they are, and what a client gets from them."""

import html
import re
from pathlib import Path

import httpx

from scripts.browsing import BEHIND_TLS, create_person, session_id
from scripts.local_git import commit_all, new_repository
from tests.deploy.engine.stack import Stack

LINK = re.compile(r'<a [^>]*href="(/(?:admin|o)/[^"#]*)"')
PAGES = 150

SHOP = """\
def retry_with_backoff(call):
    return call()


def checkout(basket):
    return retry_with_backoff(basket.pay)
"""


def shop(directory: Path) -> Path:
    """A repository of one file."""
    repository = new_repository(directory / "shop")
    (repository / "shop.py").write_text(SHOP)
    commit_all(repository, "First commit")
    return repository


def test_all_services_become_healthy_and_qdrant_is_none_of_them(stack: Stack) -> None:
    states = {name: each["Health"] or each["State"] for name, each in stack.containers().items()}
    assert states == {
        "migrate": "exited",
        "web": "healthy",
        "worker": "healthy",
        "beat": "healthy",
        "postgres": "healthy",
        "redis": "healthy",
    }
    assert "qdrant" not in stack.engine.run("docker", "images").stdout


def test_with_qdrant_as_the_store_it_is_waited_for(stack: Stack) -> None:
    other = {"CODESEARCH_STORE_BACKEND": "qdrant"}
    words = ("docker", "compose", "config", "--services")
    with_it = stack.engine.run(*words, cwd=stack.directory, variables=other).stdout.split()
    assert set(with_it) - set(stack.compose("config", "--services").stdout.split()) == {"qdrant"}


def test_a_setting_of_the_env_file_reaches_the_processes(stack: Stack) -> None:
    for service in ("web", "worker", "beat"):
        variables = stack.compose("exec", "-T", service, "env").stdout.splitlines()
        assert "AETERNA_LOG_QUERIES=true" in variables
        assert "CODESEARCH_STORE_BACKEND=postgres" in variables


def test_processes_run_as_a_user_with_a_name_on_a_root_that_is_read_only(stack: Stack) -> None:
    for service in ("web", "worker", "beat"):
        user = stack.compose("exec", "-T", service, "id").stdout
        assert user.startswith("uid=10001(codesearch) gid=10001(codesearch)")
        refused = stack.compose("exec", "-T", service, "touch", "/opt/x", check=False)
        assert "Read-only file system" in refused.stderr
        assert "superuser privileges" not in stack.logs(service)


def test_a_repository_is_indexed_searched_and_traced(stack: Stack, tmp_path: Path) -> None:
    acme = stack.organization("acme")

    report = acme.index(shop(tmp_path), "shop")

    assert report["mode"] == "full"
    found = acme.search("retry with backoff")
    assert found["results"][0]["file"] == "shop.py"
    assert found["receipt"]["complete"] is True
    callers = acme.get("trace/callers", symbol="retry_with_backoff")
    assert [each["caller"]["qualified_name"] for each in callers["callers"]] == ["checkout"]
    assert "retry with backoff" in stack.logs("web"), "AETERNA_LOG_QUERIES is set"


def signed_in(stack: Stack, username: str) -> dict[str, str]:
    """Headers of a person's requests behind a proxy that ends TLS."""
    return {**BEHIND_TLS, "Cookie": f"sessionid={session_id(stack.url, username)}"}


def test_a_member_signs_in_behind_a_proxy_that_ends_tls(stack: Stack) -> None:
    stack.organization("people")
    create_person(stack, "ada", "--organization", "people", "--role", "admin")  # type: ignore[arg-type]
    page = httpx.get(f"{stack.url}/o/people/", headers=signed_in(stack, "ada"), timeout=60)
    assert page.status_code == httpx.codes.OK
    assert "Search people" in page.text


def test_every_page_is_served_from_packages_without_source(stack: Stack, tmp_path: Path) -> None:
    acme = stack.organization("pages")
    acme.index(shop(tmp_path), "shop")
    create_person(stack, "eve", "--organization", "pages", "--role", "admin", "--superuser")  # type: ignore[arg-type]
    headers = signed_in(stack, "eve")
    wanted, seen = ["/admin/", "/o/pages/", "/api/v1/schema", "/api/v1/docs"], set[str]()
    with httpx.Client(base_url=stack.url, headers=headers, timeout=60) as browser:
        while wanted and len(seen) < PAGES:
            page = wanted.pop(0)
            seen.add(page)
            answer = browser.get(page)
            assert not answer.is_client_error, page
            assert not answer.is_server_error, page
            if "html" in answer.headers.get("Content-Type", ""):
                links = (html.unescape(each) for each in LINK.findall(answer.text))
                wanted += sorted(set(links) - seen - set(wanted))
    assert len(seen) > 40
