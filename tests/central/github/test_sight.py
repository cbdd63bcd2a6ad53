"""What keyless tokens see: over every route that answers with code, names or receipts."""

import json
import re
from typing import Any

import pytest
from django.db.models import Value
from django.db.models.functions import Concat

from central.github.models import GitHubPolicy
from central.repositories.models import Repository
from tests.central.github.job import api_of_job
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem
from tests.local_github import LocalGitHub

pytestmark = pytest.mark.django_db

# Repositories by visibility; each has a function f1 of its own, and one that only it has.
PROJECTS = {"public": "plaza", "internal": "office", "private": "vault"}


@pytest.fixture
def indexed(policy: GitHubPolicy) -> None:
    policy.impact = True
    policy.save()
    everything = api_of()
    for visibility, project in PROJECTS.items():
        everything.index({f"{project}.py": f"def secret_recipe of {project}\n"}, project=project)
        Repository.objects.filter(name=project).update(visibility=visibility)
    Repository.objects.update(web_url=Concat(Value("https://github.example/"), "name"))


def answers(api: Api) -> dict[str, Any]:
    """What every route says that a search token may ask."""
    org_id = "acme"
    traced = f"org_id={org_id}&symbol="
    found = {
        "status": api.status(),
        "search": api.request(
            "POST", "/api/v1/search", {"org_id": org_id, "query": "secret_recipe"}
        ),
        "callers": api.request("GET", f"/api/v1/trace/callers?{traced}f1"),
        "callees": api.request("GET", f"/api/v1/trace/callees?{traced}f1"),
        "graph": api.request("GET", f"/api/v1/trace/graph?{traced}f1"),
        "near names": api.request("GET", f"/api/v1/trace/callers?{traced}f"),
        **{
            f"impact of {project}": api.request(
                "POST",
                "/api/v1/trace/impact",
                {"org_id": org_id, "project": project, "files": [{"path": f"{project}.py"}]},
            )
            for project in PROJECTS.values()
        },
        **{
            f"search in {project}": api.request(
                "POST",
                "/api/v1/search",
                {"org_id": org_id, "query": "secret_recipe", "include_projects": [project]},
            )
            for project in PROJECTS.values()
        },
    }
    return {name: answer.content.decode() for name, answer in found.items()}


def job_of_pull_request(github: LocalGitHub, visibility: str) -> Api:
    github.claims |= {
        "event_name": "pull_request",
        "ref": "refs/pull/7/merge",
        "repository_visibility": visibility,
    }
    return api_of_job(github, "impact")


@pytest.mark.usefixtures("indexed")
def test_a_pull_request_s_job_sees_what_its_readers_may_know_of(github: LocalGitHub) -> None:
    seen_by = {"public": 1, "internal": 2, "private": 3}
    projects = list(PROJECTS.values())
    for visibility, count in seen_by.items():
        said = answers(job_of_pull_request(github, visibility))
        for project in projects[:count]:
            assert project in said["status"]
            assert project in said["search"]
            assert project in said["callers"]
        assert '"f1"' in said["near names"]
        for hidden in projects[count:]:
            others = {name: text for name, text in said.items() if not name.endswith(hidden)}
            assert [name for name, text in others.items() if hidden in text] == []


@pytest.mark.usefixtures("indexed")
def test_asking_for_a_hidden_repository_is_like_asking_for_none(github: LocalGitHub) -> None:
    """Not even that there is one can be told from the answers."""
    api = job_of_pull_request(github, "public")
    for method, route, body in (
        ("GET", "index/status?org_id=acme&project={}", None),
        ("GET", "trace/callers?org_id=acme&symbol=f1&project={}", None),
        ("POST", "search", {"query": "secret_recipe", "include_projects": ["{}"]}),
        ("POST", "trace/impact", {"project": "{}", "files": [{"path": "{}.py"}]}),
    ):
        hidden, unknown = (
            _ask(api, method, route, body, project) for project in ("vault", "nowhere")
        )
        assert hidden == unknown


def _ask(api: Api, method: str, route: str, body: object, project: str) -> tuple[int, str]:
    sent = None if body is None else json.loads(json.dumps(body).replace("{}", project))
    if sent is not None:
        sent["org_id"] = "acme"
    answer = api.request(method, f"/api/v1/{route.format(project)}", sent)
    text = re.sub(r'"took_ms":\s*[0-9.]+', "", answer.content.decode())
    return answer.status_code, text.replace(project, "?")


@pytest.mark.usefixtures("indexed")
def test_an_index_token_sees_nothing_of_the_code(github: LocalGitHub) -> None:
    Repository.objects.filter(name="plaza").update(forge_key=74001, name="shop")
    api = api_of_job(github)
    for name, text in answers(api).items():
        assert json.loads(text)["code"] == "insufficient_scope", name


@pytest.mark.usefixtures("indexed")
def test_an_impact_token_changes_nothing(github: LocalGitHub) -> None:
    api = job_of_pull_request(github, "private")
    assert_problem(api.open(), 403, "insufficient_scope")


@pytest.mark.usefixtures("indexed")
def test_a_repository_made_private_is_hidden_at_once(github: LocalGitHub) -> None:
    """From tokens that were given out before, too."""
    api = job_of_pull_request(github, "public")
    assert "plaza" in answers(api)["search"]
    Repository.objects.filter(name="plaza").update(visibility="private")
    said = answers(api)
    assert [
        name for name in ("status", "search", "callers", "graph") if "plaza" in said[name]
    ] == []
