"""Who calls what in the example organisation, asked of the real service over HTTP.

callers.toml holds what a person reads in the code; the answers must be exactly that.
"""

import json
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from scripts.local_git import commit_all, new_repository
from scripts.local_service import ROOT, Organization

LABELS: list[dict[str, Any]] = tomllib.loads(
    (ROOT / "tests" / "e2e" / "callers.toml").read_text(encoding="utf-8")
)["symbol"]
RETRY_CALL = next(label for label in LABELS if label["ask"] == "retry_call")
EXAMPLES = sorted(path.name for path in (ROOT / "examples" / "acme").iterdir() if path.is_dir())
Row = dict[str, Any]


def label_id(label: dict[str, Any]) -> str:
    return f"{label.get('project', '')}:{label['ask']}"


def callers_of(acme: Organization, symbol: str, **parameters: str) -> Row:
    return acme.get("trace/callers", symbol=symbol, limit="200", **parameters)


def site(row: Row) -> str:
    return f"{row['project']} {row['file']}:{row['line']}"


def told(row: Row) -> str:
    """A caller as callers.toml writes it."""
    caller = row["caller"]["qualified_name"] or "-"
    return f"{site(row)} {caller} {row['rule']} {row['confidence']}"


def test_every_label_names_a_line_that_exists_and_none_twice() -> None:
    assert len(LABELS) >= 25
    assert len({label_id(label) for label in LABELS}) == len(LABELS)
    for label in LABELS:
        for text in label["callers"]:
            project, place = text.split()[:2]
            file, line = place.rsplit(":", 1)
            path = ROOT / "examples" / "acme" / project / file
            assert len(path.read_text(encoding="utf-8").splitlines()) >= int(line), text


@pytest.mark.parametrize("label", LABELS, ids=label_id)
def test_callers_are_those_that_a_person_finds(examples: Organization, label: Row) -> None:
    chosen = {"project": label["project"]} if "project" in label else {}

    answer = callers_of(examples, label["ask"], **chosen)

    assert sorted(map(told, answer["callers"])) == sorted(label["callers"])
    assert answer["next_cursor"] is None


def test_trace_callers(examples: Organization) -> None:
    """Spec: all functions that call HandleLogin, with file locations; there are two of the name."""
    answer = callers_of(examples, "HandleLogin")

    found = defaultdict(set)
    for row in answer["callers"]:
        definition = answer["definitions"][row["target"]]
        found[definition["project"]].add(row["caller"]["qualified_name"])
    assert found == {
        "auth-service": {"create_app", "build_kiosk_login", "HandleLoginTest.setUp"},
        "partner-portal": {"main", "Portal.postLogin", "Portal.openInvitation"},
    }


def test_trace_callees(examples: Organization) -> None:
    """Spec: all functions that ProcessPayment calls, with file locations."""
    answer = examples.get("trace/callees", symbol="ProcessPayment", project="payments-api")

    called = [row for row in answer["callees"] if row["kind"] != "value"]
    found = {
        (row["line"], row["callee"]["project"], row["callee"]["qualified_name"]) for row in called
    }
    assert found == {
        (43, "payments-api", "verify_token"),
        (44, "payments-api", "IdempotencyStore.once"),
        (44, "payments-api", "ProcessPayment._charge"),
        (47, "payments-api", "FraudScreen.decide"),
        (48, "payments-api", "FraudSuspectedError"),
        (49, "payments-api", "Payment"),
        (49, "common-utils", "new_id"),
        (49, "common-utils", "Clock.now"),
        (51, "payments-api", "CardNetwork.authorise"),
        (53, "payments-api", "describe_payment"),
        (57, "payments-api", "Ledger.transfer"),
    }
    assert {row["file"] for row in called} == {"payments/processing.py"}


def test_build_call_graph(examples: Organization) -> None:
    """Spec: callers and callees of AuthMiddleware, up to two levels deep."""
    answer = examples.get("trace/graph", symbol="AuthMiddleware", project="auth-service", depth="2")

    levels = defaultdict(set)
    for node in answer["nodes"]:
        levels[node["distance"]].add(f"{node['project']}:{node['qualified_name']}")
    assert levels == {
        0: {"auth-service:AuthMiddleware", "auth-service:AuthMiddleware.__call__"},  # its own
        1: {
            "auth-service:",  # the example of its README
            "auth-service:create_app",
            "billing-service:build_application",
            "billing-service:reseller_applications",
            "payments-api:create_app",
            "payments-api:StaffMiddleware",
            "auth-service:_problem",
            "auth-service:bearer_token",
            "auth-service:verify_token",
        },
        2: {
            "payments-api:build",
            "payments-api:create_backoffice",
            "auth-service:KeyRing.signature",
            "auth-service:TokenClaims",
            "auth-service:TokenError",
            "auth-service:_decode",
            "common-utils:SystemClock",
        },
    }
    ids = {node["id"] for node in answer["nodes"]}
    assert all({edge["caller"], edge["callee"]} <= ids for edge in answer["edges"])
    assert not answer["truncated"]


def test_trace_callers_across_repos(examples: Organization) -> None:
    """Spec: callers of AuthMiddleware from BOTH payments-api and billing-service."""
    answer = callers_of(examples, "AuthMiddleware")

    projects = defaultdict(set)
    for row in answer["callers"]:
        projects[answer["definitions"][row["target"]]["project"]].add(row["project"])
    assert projects["auth-service"] == {"auth-service", "payments-api", "billing-service"}
    assert projects["legacy-monolith"] == {"legacy-monolith"}
    assert answer["receipt"]["complete"]
    assert not answer["receipt"]["missing"]


def test_dependency_impact_analysis(examples: Organization) -> None:
    """Spec: all callers of a function of common-utils, in all ten services and more."""
    answer = examples.post("trace/impact", project="common-utils", symbols=["retry_call"])

    [changed] = answer["symbols"]
    found = {group["project"]: group["callers"] for group in changed["projects"]}
    assert len(found.keys() - {"common-utils"}) >= 10
    sites = [
        f"{project} {row['file']}:{row['line']}" for project, rows in found.items() for row in rows
    ]
    assert sorted(sites) == sorted(" ".join(text.split()[:2]) for text in RETRY_CALL["callers"])


def test_a_caller_tells_the_version_that_it_holds_and_whether_it_lags(
    examples: Organization,
) -> None:
    told_versions = {
        row["project"]: (row["pinned_version"], row["required_version"], row["lags"])
        for row in callers_of(examples, "retry_call")["callers"]
    }

    assert told_versions["orders-service"] == ("2.1.4", ">=2.1,<3", True)
    assert told_versions["billing-service"] == ("2.2.0", ">=2.2,<3", True)
    assert told_versions["payments-api"] == ("2.3.0", "==2.3.0", False)
    assert told_versions["reporting-jobs"] == ("2.3.0", ">=2.1,<3", False)
    assert told_versions["shipping-service"] == (None, ">=2.1,<3", None)


@pytest.mark.parametrize(
    ("symbol", "project", "pinned"),
    [
        ("formatAmount", "web-frontend", "4.0.3"),
        ("distance_km", "tour-planner", "0.3.0"),
        ("Sheet.AddRow", "franchise-reports", "2.0.4"),
        ("Acme.Markup.render", "help-center", "1.4.2"),
        ("Head.describe", "magazine", "3.0.0"),
        ("ModelLoader.load", "risk-console", "0.8.2"),
    ],
)
def test_users_that_lag_are_told_in_every_ecosystem(
    examples: Organization, symbol: str, project: str, pinned: str
) -> None:
    rows = [r for r in callers_of(examples, symbol)["callers"] if r["project"] == project]

    assert rows
    assert {(row["pinned_version"], row["lags"]) for row in rows} == {(pinned, True)}


def test_pages_together_are_the_whole_answer(examples: Organization) -> None:
    pages, cursor = [], {}
    while True:
        page = examples.get("trace/callers", symbol="retry_call", limit="7", **cursor)
        pages.append(page["callers"])
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert [len(page) for page in pages] == [7, 7, 5]
    rows = [row for page in pages for row in page]
    assert rows == callers_of(examples, "retry_call")["callers"]


def test_low_confidence_is_counted_and_listed_only_when_asked_for(
    examples: Organization, tmp_path: Path
) -> None:
    shop = examples.service.organization("guess")
    repository = new_repository(tmp_path / "shop")
    (repository / "shop.py").write_text(
        "class Carrier:\n    def quote(self): ...\n\ndef cheapest(carrier):\n    carrier.quote()\n"
    )
    commit_all(repository, "A shop")
    shop.index(repository, "shop")
    usual = callers_of(shop, "Carrier.quote")
    everything = callers_of(shop, "Carrier.quote", min_confidence="low")

    assert usual["callers"] == []
    assert usual["receipt"]["unresolved"]["count"] == 1
    assert "min_confidence=low" in usual["hint"]
    assert list(map(told, everything["callers"])) == ["shop shop.py:5 cheapest name_only low"]


def test_high_confidence_leaves_out_what_an_override_may_mean(examples: Organization) -> None:
    assert callers_of(examples, "LogisticModel.score", min_confidence="high")["callers"] == []


def test_an_unknown_symbol_is_answered_with_names_that_are_near(examples: Organization) -> None:
    with pytest.raises(httpx.HTTPStatusError) as caught:
        callers_of(examples, "AuthMidleware")

    problem = caught.value.response.json()
    assert caught.value.response.status_code == 404
    assert problem["code"] == "symbol_not_found"
    assert "AuthMiddleware" in problem["near"]


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("retry_call", "src/acme_common/retry.py"),
        ("acme_common.retry:retry_call", "src/acme_common/retry.py"),
        ("CardNetwork.reverse", "payments/card_network.py"),
        ("github.com/acme/go-kit/retry:Do", "retry/retry.go"),
        ("com.acme.risk:ModelLoader.load", "src/main/java/com/acme/risk/ModelLoader.java"),
    ],
)
def test_a_symbol_is_found_by_every_form_of_its_name(
    examples: Organization, symbol: str, expected: str
) -> None:
    assert [row["file"] for row in callers_of(examples, symbol)["definitions"]] == [expected]


def test_whatever_callees_lead_to_callers_list_and_nothing_else(examples: Organization) -> None:
    """Over every definition of the examples: both ways tell the same uses."""
    headers = {"Authorization": f"Bearer {examples.token}"}
    address = f"{examples.service.url}/api/v1/trace"
    with httpx.Client(base_url=address, headers=headers, timeout=30) as client:

        def uses(what: str, definition: Definition) -> set[Use]:
            project, file, name, line = definition
            chosen = {"project": project, "file": file, "line": str(line), "symbol": name}
            parameters = {"org_id": examples.slug, "limit": "200", **chosen}
            answer = client.get(what, params=parameters).raise_for_status().json()
            assert answer["next_cursor"] is None, f"{what} of {definition} go over a page"
            return {use_of(row) for row in answer[what] if row["caller"]["qualified_name"]}

        forward = {use for one in outermost_definitions(examples) for use in uses("callees", one)}
        asked = {use.callee for use in forward}
        backward = {use for one in asked for use in uses("callers", one)}

    assert len(forward) > 400
    assert sorted(forward - backward) == [], "callees that callers do not list"
    assert sorted(backward - forward) == [], "callers that callees do not list"


class Definition(NamedTuple):
    """A definition as the API tells and asks for one."""

    project: str
    file: str
    qualified_name: str
    line: int


class Use(NamedTuple):
    """A reference and what it means."""

    project: str
    file: str
    line: int
    column: int
    callee: Definition


def use_of(row: Row) -> Use:
    callee = row["callee"]
    meant = Definition(*(callee[name] for name in ("project", "file", "qualified_name", "line")))
    return Use(row["project"], row["file"], row["line"], row["column"], meant)


def outermost_definitions(acme: Organization) -> list[Definition]:
    """Every definition of the examples at its file's top level; what is inside comes with it."""
    rows = [
        (project, json.loads(line))
        for project in EXAMPLES
        for line in acme.dump(project).splitlines()
    ]
    return [
        Definition(project, row["path"], row["qualified_name"], row["start_line"])
        for project, row in rows
        if row["type"] == "symbol" and "." not in row["qualified_name"]
    ]
