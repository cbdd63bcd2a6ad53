"""Nothing crosses organisations, over every route of the URL map.

A route that has no probe here fails the first test, so a new route is covered by itself. The
tools at /mcp, which is no route of Django's, are walked in mcp/test_isolation.py, the pages of
people in web/test_page_isolation.py.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from central.alerts.models import AlertDestination, Condition, RepositoryAlert
from central.github.signatures import organization_secret
from central.ingest.models import IndexRun
from central.knowledge.models import Document, Edge, Node
from central.knowledge.services.catch_up import catch_up
from central.onboarding.models import Backfill
from central.repositories.models import Repository
from central.tenancy.models import ApiToken, Organization, Scope
from tests.central.factories import MembershipFactory
from tests.central.github import payloads
from tests.central.knowledge.graph import created, graph, linked
from tests.central.lasting import lasting
from tests.central.protocol import Api, api_of, commit_of, file_record, tree_of
from tests.central.refusals import assert_problem

pytestmark = pytest.mark.django_db

FILES = {"secret_recipe.py": "def secret_recipe salt\n"}
RECIPE = "code:shop/secret_recipe.py"

# Routes that know no tenant: health, the schema, and the admin with a login of its own.
PUBLIC = {"livez", "readyz", "api/v1/schema", "api/v1/docs"}
# Asked without an API token: an id token or a signature says who asks (tests/central/github).
SELF_PROVING = {"api/v1/auth/github-oidc", "api/v1/github/webhook"}
# Authorised by the server's own key (tests/central/http/test_internal.py), or by the scraper's
# (tests/central/observability/test_operations.py).
KEYED = {"internal/dump-index", "internal/local-token", "internal/reconcile", "metrics"}


def routes(patterns: list[Any], prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        path = f"{prefix}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, path)
        else:
            assert isinstance(pattern, URLPattern)
            yield path


Probe = Callable[[Api, dict[str, Any]], list[Any]]


def _open(api: Api, victim: dict[str, Any]) -> list[Any]:
    return [api.open(org_id="acme"), api.open(org_id="org-acme")]


def _run(api: Api, victim: dict[str, Any]) -> list[Any]:
    url = f"/api/v1/index/runs/{victim['run_id']}"
    return [api.request("GET", url), api.request("DELETE", url)]


def _status(api: Api, victim: dict[str, Any]) -> list[Any]:
    return [
        api.status(org_id="acme"),
        api.status(org_id="acme", project="shop"),
        api.status(project="shop"),
    ]


def _webhook(api: Api, victim: dict[str, Any]) -> list[Any]:
    members = {"commit_sha": commit_of(FILES)}
    return [
        api.deliver(victim, api.announcement(victim, org_id=slug, **members))
        for slug in ("acme", api.organization.slug)
    ]


def _search(api: Api, victim: dict[str, Any]) -> list[Any]:
    query = {"query": "secret_recipe"}
    own = {"org_id": api.organization.slug, "include_projects": ["shop"]}
    return [
        api.request("POST", "/api/v1/search", query | {"org_id": "acme"}),
        api.request("GET", "/api/v1/search?org_id=acme&query=secret_recipe"),
        api.request("POST", "/api/v1/search", query | own),
        api.request("POST", "/api/v1/search", {"query": '"secret_recipe"'} | own),
        api.request("POST", "/api/v1/search", {"query": "sym:secret", **own, "mode": "literal"}),
    ]


def _stream(api: Api, victim: dict[str, Any]) -> list[Any]:
    query = {"query": '"secret_recipe"'}
    own = {"org_id": api.organization.slug}
    return [
        api.request("POST", "/api/v1/search/stream", query | {"org_id": "acme"}),
        api.request("GET", "/api/v1/search/stream?org_id=acme&query=%22secret_recipe%22"),
        api.request("POST", "/api/v1/search/stream", query | own),
        api.request("POST", "/api/v1/search/stream", query | own | {"include_projects": ["shop"]}),
    ]


def _files(what: str, **query: str) -> Probe:
    """Asked of the caller's own organisation, and of the victim's; near paths too."""

    def probe(api: Api, victim: dict[str, Any]) -> list[Any]:
        asked = {"project": "shop", **query}
        return [
            api.request("GET", f"/api/v1/files{what}?{urlencode(asked | {'org_id': slug})}")
            for slug in (api.organization.slug, "acme", "org-acme")
        ]

    return probe


def _trace(what: str) -> Probe:
    def probe(api: Api, victim: dict[str, Any]) -> list[Any]:
        own = f"org_id={api.organization.slug}"
        return [
            api.request("GET", f"/api/v1/trace/{what}?{query}")
            for query in (
                "org_id=acme&symbol=f1",
                f"{own}&symbol=f1",
                f"{own}&symbol=f&project=shop",  # near names too
                f"{own}&symbol=f1&file=secret_recipe.py",
            )
        ]

    return probe


def _calls(api: Api, victim: dict[str, Any]) -> list[Any]:
    slugs = (api.organization.slug, "acme", "org-acme")
    return [api.request("GET", f"/api/v1/trace/calls?org_id={slug}") for slug in slugs]


def _impact(api: Api, victim: dict[str, Any]) -> list[Any]:
    change = {"project": "shop", "files": [{"path": "secret_recipe.py"}]}
    return [
        api.request("POST", "/api/v1/trace/impact", change | {"org_id": slug})
        for slug in ("acme", api.organization.slug)
    ]


def _nodes(api: Api, victim: dict[str, Any]) -> list[Any]:
    new = {"kind": "memory", "title": "mine", "project": "shop"}
    return [
        *_graph("nodes")(api, victim),
        *_graph("nodes", project="shop")(api, victim),
        *_graph("nodes", query="a")(api, victim),
        graph(api, "POST", "nodes", new),
        graph(api, "POST", "nodes", new | {"org_id": "acme"}),
    ]


def _node(api: Api, victim: dict[str, Any]) -> list[Any]:
    names = ("ADR-7", "ADR-8", "shop/mem-7", "mem-7", "ADR-70", RECIPE, f"{RECIPE}#f1")
    return [
        graph(api, method, f"nodes/{quote(name, safe='')}", body)
        for name in names
        for method, body in (("GET", None), ("PATCH", {"title": "mine"}), ("DELETE", None))
    ]


def _links(api: Api, victim: dict[str, Any]) -> list[Any]:
    link = {"from": "shop/mem-7", "type": "derived_from", "to": RECIPE}
    return [
        graph(api, method, "links", link | members)
        for method in ("POST", "DELETE")
        for members in (
            {},
            {"org_id": "acme"},
            {"from": "ADR-7"},
            {"to": f"{RECIPE}#f1"},
            {"to": "code:secret_recipe.py"},
        )
    ]


def _graph(what: str, **query: str) -> Probe:
    """Asked of the caller's own organisation, and of the victim's."""

    def probe(api: Api, victim: dict[str, Any]) -> list[Any]:
        return [
            api.request("GET", f"/api/v1/graph/{what}?{urlencode(query | {'org_id': slug})}")
            for slug in (api.organization.slug, "acme", "org-acme")
        ]

    return probe


def _each(*probes: Probe) -> Probe:
    return lambda api, victim: [answer for probe in probes for answer in probe(api, victim)]


def _refresh(api: Api, victim: dict[str, Any]) -> list[Any]:
    return [
        graph(api, "POST", "refresh", {}),
        graph(api, "POST", "refresh", {"org_id": "acme"}),
    ]


def _onboardings(api: Api, victim: dict[str, Any]) -> list[Any]:
    return [
        api.request("GET", "/api/v1/onboarding?org_id=acme"),
        api.request("POST", "/api/v1/onboarding", {"org_id": "acme", "owner": "acme"}),
        api.request(
            "POST", "/api/v1/onboarding", {"org_id": "acme", "urls": ["https://github.com/a/b"]}
        ),
    ]


def _onboarding(api: Api, victim: dict[str, Any]) -> list[Any]:
    """The victim's, by its id, asked of both organisations."""
    (backfill,) = Backfill.objects.filter(organization__slug="acme")
    return [
        api.request(method, f"/api/v1/onboarding/{backfill.pk}?org_id={slug}")
        for method in ("GET", "DELETE")
        for slug in ("acme", api.organization.slug)
    ]


def _alerts(api: Api, victim: dict[str, Any]) -> list[Any]:
    address = {"org_id": "acme", "address": "https://127.0.0.1/hook"}
    return [
        api.request("GET", "/api/v1/alerts?org_id=acme"),
        api.request("DELETE", "/api/v1/alerts?org_id=acme"),
        api.request("PUT", "/api/v1/alerts", address),
        *([] if api.organization.slug == "acme" else [api.request("GET", "/api/v1/alerts")]),
    ]


IDS = ("ADR-7", "shop/mem-7", "mem-7", "POL-7", RECIPE, f"{RECIPE}#f1", "code:secret_recipe.py")
PROBES: dict[str, Probe] = {
    "api/v1/graph/nodes": _nodes,
    "api/v1/graph/nodes/<path:node>": _node,
    "api/v1/graph/links": _links,
    "api/v1/graph/traverse": _each(*(_graph("traverse", **{"from": one}) for one in IDS)),
    "api/v1/graph/violations": _graph("violations", project="shop"),
    "api/v1/graph/unmigrated": _graph("unmigrated", project="shop"),
    "api/v1/graph/related": _each(
        *(_graph("related", id=one, target_type=kind) for one in IDS for kind in ("code", "memory"))
    ),
    "api/v1/graph/context": _graph("context", project="shop", file="secret_recipe.py"),
    "api/v1/graph/snapshot": lambda api, _: [  # its own: see below
        api.request("GET", f"/api/v1/graph/snapshot?org_id={slug}") for slug in ("acme", "org-acme")
    ],
    "api/v1/graph/refresh": _refresh,
    "api/v1/onboarding": _onboardings,
    "api/v1/onboarding/<uuid:backfill_id>": _onboarding,
    "api/v1/alerts": _alerts,
    "api/v1/alerts/test": lambda api, _: [
        api.request("POST", "/api/v1/alerts/test", {"org_id": "acme"})
    ],
    "api/v1/index/runs": _open,
    "api/v1/index/runs/<uuid:run_id>": _run,
    "api/v1/index/runs/<uuid:run_id>/tree": lambda api, victim: [
        api.put_tree(victim, tree_of(FILES))
    ],
    "api/v1/index/runs/<uuid:run_id>/batches/<int:number>": lambda api, victim: [
        api.put_batch(victim, 1, [file_record(path, text) for path, text in FILES.items()])
    ],
    "api/v1/index/runs/<uuid:run_id>/embeddings": lambda api, victim: [
        api.request(
            "POST", f"/api/v1/index/runs/{victim['run_id']}/embeddings", {"digests": ["a" * 64]}
        )
    ],
    "api/v1/index/updated": _webhook,
    "api/v1/index/status": _status,
    "api/v1/files": lambda api, victim: [
        *_files("")(api, victim),
        *_files("", glob="*.py")(api, victim),
        *_files("", path="secret_recipe.py")(api, victim),
        *_files("", path="secret")(api, victim),
    ],
    "api/v1/files/content": lambda api, victim: [
        *_files("/content", path="secret_recipe.py")(api, victim),
        *_files("/content", path="recipe.py")(api, victim),
    ],
    "api/v1/search": _search,
    "api/v1/search/stream": _stream,
    "api/v1/trace/callers": _trace("callers"),
    "api/v1/trace/callees": _trace("callees"),
    "api/v1/trace/graph": _trace("graph"),
    "api/v1/trace/calls": _calls,
    "api/v1/trace/impact": _impact,
}


@pytest.fixture(scope="module")
def open_run(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, Any]]:
    with lasting(django_db_blocker, make_victim) as run:
        yield run


@pytest.fixture
def victim(open_run: dict[str, Any], db: None) -> dict[str, Any]:
    """An open run of acme, whose index holds a secret."""
    return dict(open_run)


def make_victim() -> dict[str, Any]:
    api = api_of()
    add_secrets(api)
    Backfill.objects.create(organization=api.organization, owner="salt-mine", requested_by="salt")
    AlertDestination.objects.create(
        organization=api.organization, sealed_address="salt", due_at=timezone.now()
    )
    RepositoryAlert.objects.create(
        organization=api.organization,
        repository=api.organization.repositories.get(),
        condition=Condition.FAILED,
        since=timezone.now(),
        detail="salt",
    )
    run: dict[str, Any] = api.open(commit_sha=commit_of(FILES)).json()
    return run


def add_secrets(api: Api) -> None:
    """A file, and documents about it: linked, violated, and one that is not linked yet."""
    api.index(FILES)
    created(api, kind="knowledge", id="ADR-7", title="Take salt of the sea", body="No other salt.")
    created(api, kind="memory", id="mem-7", title="The salt is of the sea", project="shop")
    rule = {"rule": "rule: {kind: identifier, regex: salt}", "language": "python"}
    created(api, kind="policy", id="POL-7", title="No salt", policy=rule)
    linked(api, f"{RECIPE}#f1", "implements", "ADR-7")
    linked(api, "mem-7", "derived_from", RECIPE)
    catch_up()
    assert Edge.objects.filter(type="violates").exists()
    created(api, kind="knowledge", id="ADR-8", title="Take pepper, too: salt is not enough")


def test_every_route_has_a_probe() -> None:
    known = PROBES.keys() | PUBLIC | SELF_PROVING | KEYED
    programs = [
        pattern
        for pattern in get_resolver().url_patterns
        if getattr(pattern, "namespace", None) != "web"
    ]
    unknown = {
        route for route in routes(programs) if route not in known and not route.startswith("admin/")
    }
    assert unknown == set(), "write a probe for each of these routes"


@pytest.mark.parametrize("route", PROBES)
def test_another_organisation_sees_and_changes_nothing(route: str, victim: dict[str, Any]) -> None:
    stranger = api_of(Organization.objects.create(slug="globex"), scopes=list(Scope))
    before = tables()
    for response in PROBES[route](stranger, victim):
        assert_nothing_learnt(response)
    assert tables() == before


@pytest.mark.parametrize("limit", ["repositories", "visibilities", "owner"])
@pytest.mark.parametrize("route", PROBES)
def test_a_token_for_other_repositories_sees_and_changes_nothing(
    route: str, limit: str, victim: dict[str, Any]
) -> None:
    limited = api_of(scopes=list(Scope))
    member = MembershipFactory.create(
        organization=limited.organization, role="admin", visibilities=["public"]
    )
    limits = {"repositories": ["billing"], "visibilities": ["public"], "owner": member.user}
    ApiToken.objects.filter(pk=ApiToken.objects.latest("pk").pk).update(**{limit: limits[limit]})
    before = tables()
    for response in PROBES[route](limited, victim):
        assert_nothing_learnt(response)
    assert tables() == before


def test_a_job_s_token_is_refused_by_every_route_of_the_graph(victim: dict[str, Any]) -> None:
    api = api_of(scopes=list(Scope))
    ApiToken.objects.filter(pk=ApiToken.objects.latest("pk").pk).update(is_short_lived=True)
    before = tables()
    routes_of_graph = [route for route in PROBES if route.startswith("api/v1/graph/")]
    assert len(routes_of_graph) == 10
    for route in routes_of_graph:
        for response in PROBES[route](api, victim):
            assert_problem(response, 403, "job_token_refused")
    assert tables() == before


@pytest.mark.usefixtures("victim")
def test_another_organisation_s_webhook_changes_nothing() -> None:
    """Whatever owner it claims: the signature is of one organisation, and so are its rows."""
    Organization.objects.filter(slug="acme").update(github_owner_id=payloads.OWNER_ID)
    Repository.objects.update(github_id=payloads.REPOSITORY_ID)
    globex = Organization.objects.create(slug="globex", github_owner_id=5)
    github = payloads.GitHub(organization_secret(globex), "globex")
    own = payloads.repository(owner=payloads.owner(5))
    before = tables()
    for payload in (payloads.on_repository("deleted"), payloads.renamed("taken")):
        assert_problem(github.send("repository", payload), 403, "owner_mismatch")
        outcome = github.told("repository", payload | {"repository": own})
        assert outcome == "ignored: no repository here has this id"
    assert tables() == before


HELD = (
    *("results", "entries", "content", "projects", "nodes", "edges", "documents", "calls"),
    "alerts",
    "missing",
)


def tables() -> list[object]:
    runs = IndexRun.objects.order_by("pk").values_list("pk", "state", "touched_at")
    repositories = Repository.objects.order_by("pk").values_list("pk", "name", "generation")
    nodes = Node.objects.order_by("pk").values_list("pk", "key")
    documents = Document.objects.order_by("pk").values_list("pk", "title", "version")
    edges = Edge.objects.order_by("pk").values_list("pk", "type", "weight")
    backfills = Backfill.objects.order_by("pk").values_list("pk", "state")
    alerts = AlertDestination.objects.order_by("pk").values_list(
        "pk", "sealed_address", "tested_at"
    )
    return [*runs, *repositories, *nodes, *documents, *edges, *backfills, *alerts]


def assert_nothing_learnt(response: Any) -> None:
    """Either it does not exist, or an answer of one's own that is empty."""
    text = response.getvalue().decode()
    assert commit_of(FILES) not in text
    assert '"f1"' not in text
    assert "salt" not in text
    if response.status_code == 404:
        assert response["Content-Type"] == "application/problem+json"
        return
    if response.status_code == 403:  # whatever there is
        assert json.loads(text)["code"] == "whole_organization_required"
        return
    assert response.status_code in (200, 202), text
    answer = json.loads(text)
    assert not any(answer.get(name) for name in HELD)
