"""Who uses a library: in which version, what of it, and whom a change or removal concerns."""

from typing import Any

import pytest

from central.repositories.models import Repository
from tests.central.codemap.conftest import Ask
from tests.central.protocol import Api, api_of
from tests.central.trace.corpus import change_files, pyproject, repository

CORE = """
    def run(): ...
    def old(): ...
    class Box:
        def __init__(self): ...
        def go(self):
            return old()
"""
APP = """
    from lib.core import Box, old
    def main():
        old()
        Box().go()
"""
JOB = """
    import lib.core
    lib.core.run()
    lib.core.run()
"""


@pytest.fixture(autouse=True)
def acme(api: Api) -> None:
    """A library of two packages, with a consumer that lags, one that does not, and a stranger."""
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("lib", version="2.0"),
            "lib/core.py": CORE,
            "lib/more.py": "from lib.core import run\nrun()",
            "tool/pyproject.toml": pyproject("tool", "lib"),
            "tool/tool.py": "from lib.core import run\ndef start():\n    run()",
        },
    )
    repository("app", {"pyproject.toml": pyproject("app", "lib==1.5"), "app/main.py": APP})
    repository("job", {"pyproject.toml": pyproject("job", "lib==2.0"), "job.py": JOB})
    repository("own", {"pyproject.toml": pyproject("own"), "own.py": "def run(): ...\nrun()"})
    repository("idle", {"pyproject.toml": pyproject("idle", "lib>=1")})


def listed(answer: Any) -> list[str]:
    """`app lags: 2 calls, 1 imports of old 1, Box.go 1` for each consumer."""
    assert answer.status_code == 200, answer.json()
    return [
        f"{one['project']}{' lags' * bool(one['lags'])}: {one['calls']} calls, "
        f"{one['imports']} imports"
        + "".join(f", {used['name']} {used['calls']}" for used in one["definitions"])
        for one in answer.json()["consumers"]
    ]


def test_consumers_have_versions_and_the_definitions_they_use(send: Ask) -> None:
    answer = send("map/consumers", project="lib")
    assert listed(answer) == [
        "app lags: 3 calls, 2 imports, Box 1, Box.go 1, old 1",
        "job: 2 calls, 1 imports, run 2",
        "idle: 0 calls, 0 imports",
    ]
    body = answer.json()
    assert [one["lags"] for one in body["consumers"]] == [True, False, None]
    assert body["consumers"][0]["versions"] == [
        {"package": "lib", "required": "==1.5", "pinned": "1.5", "indexed": "2.0", "lags": True}
    ]
    assert (body["consumers"][0]["definitions"][1]["file"], body["lagging"]) == ("lib/core.py", 1)
    assert body["inside"] == {"calls": 1, "imports": 1}  # tool
    assert (body["definitions_asked"], body["hint"]) == (None, None)
    assert body["receipt"]["complete"] is True


def test_a_consumer_has_the_owners_of_its_manifest_and_hidden_ones_are_in_no_count(
    send: Ask, api: Api
) -> None:
    for name in ("app", "job"):
        rules = f"* @acme/{name}s jane@{name}.example\n"
        change_files(Repository.objects.get(name=name), {"CODEOWNERS": rules})
    body = send("map/consumers", project="lib").json()
    address = "an e-mail address"
    assert {one["project"]: one["owners"] for one in body["consumers"]} == {
        "app": ["@acme/apps", address],
        "job": ["@acme/jobs", address],
        "idle": [],
    }
    counts = {one["owner"]: one["count"] for one in body["owners"]}
    assert counts == {address: 2, "@acme/apps": 1, "@acme/jobs": 1, None: 1}
    token = api_of(api.organization, repositories=["job", "lib"]).token
    body = send("map/consumers", token=token, project="lib").json()
    counts = {one["owner"]: one["count"] for one in body["owners"]}
    assert counts == {address: 1, "@acme/jobs": 1}


def test_only_consumers_that_lag_are_listed_on_demand(send: Ask) -> None:
    asked = {"project": "lib", "lags_only": True}
    assert listed(send("map/consumers", **asked)) == [
        "app lags: 3 calls, 2 imports, Box 1, Box.go 1, old 1"
    ]
    answer = send("map/consumers", symbols=["run"], **asked)
    assert listed(answer) == []
    assert answer.json()["hint"].startswith("Of none of the 1 consumers")


def test_a_definition_has_those_who_call_it_or_name_it_in_an_import(send: Ask) -> None:
    answer = send("map/consumers", project="lib", symbols=["old"])
    assert listed(answer) == ["app lags: 1 calls, 1 imports, old 1"]
    assert answer.json()["inside"] == {"calls": 1, "imports": 0}  # Box.go; app imports Box beside
    assert listed(send("map/consumers", project="lib", symbols=["Box.go"])) == [
        "app lags: 1 calls, 0 imports, Box.go 1"
    ]
    assert listed(send("map/consumers", project="lib", symbols=["Box", "Box.__init__"])) == [
        "app lags: 1 calls, 1 imports, Box 1"
    ]


def test_a_name_that_is_only_exported_again_breaks_too(send: Ask) -> None:
    again = {"app/__init__.py": "from lib.core import run"}
    change_files(Repository.objects.get(name="app"), again)
    assert listed(send("map/consumers", project="lib", symbols=["run"])) == [
        "job: 2 calls, 0 imports, run 2",
        "app lags: 0 calls, 1 imports, run 0",
    ]


def test_changed_lines_are_the_definitions_there_and_a_whole_file_is_its_module_too(
    send: Ask,
) -> None:
    lines = [{"path": "lib/core.py", "lines": [[3, 3]]}]
    assert listed(send("map/consumers", project="lib", files=lines)) == [
        "app lags: 1 calls, 1 imports, old 1"
    ]
    whole = send("map/consumers", project="lib", files=[{"path": "lib/core.py"}])
    assert listed(whole) == [
        "app lags: 3 calls, 2 imports, Box 1, old 1, Box.go 1",
        "job: 2 calls, 1 imports, run 2",
    ]
    assert whole.json()["definitions_asked"] == 5
    assert whole.json()["inside"] == {"calls": 2, "imports": 2}  # more and tool, not Box.go


def test_a_package_of_a_project_has_its_own_consumers(send: Ask) -> None:
    body = send("map/consumers", project="lib", package="tool").json()
    assert (body["consumers"], body["inside"]) == ([], {"calls": 0, "imports": 0})
    assert body["hint"] == "No other project that this credential sees uses it, or asks for it."
    assert len(send("map/consumers", project="lib", package="lib").json()["consumers"]) == 3
    refused = send("map/consumers", project="lib", package="libs")
    assert (refused.status_code, refused.json()["code"]) == (404, "package_not_found")
    assert refused.json()["near"] == ["lib", "tool"]


def test_an_empty_answer_tells_what_could_be_meant(send: Ask) -> None:
    own = Repository.objects.get(name="own")
    change_files(own, {"guess.py": "def f(x):\n    x.go()"})
    change_files(Repository.objects.get(name="app"), {}, removed=("app/main.py",))
    body = send("map/consumers", project="lib", symbols=["Box.go", "gone"]).json()
    assert (body["consumers"], body["unknown"], body["unresolved"]) == ([], ["gone"], 1)
    assert "1 references by these names are of something unknown" in body["hint"]
    unknown = send("map/consumers", project="lib", symbols=["gone"]).json()
    assert unknown["hint"].startswith("Nothing in the index is defined by these names")


def test_a_hidden_consumer_is_as_if_it_were_not_there(send: Ask, api: Api) -> None:
    token = api_of(api.organization, repositories=["job", "lib"]).token
    for asked in ({}, {"symbols": ["run", "old"]}):
        body = send("map/consumers", token=token, project="lib", **asked).json()
        assert [one["project"] for one in body["consumers"]] == ["job"]
        assert "app" not in str(body)
    assert send("map/consumers", token=token, project="app").status_code == 404


def test_most_called_are_those_that_most_other_projects_use(ask: Ask, api: Api) -> None:
    change_files(
        Repository.objects.get(name="app"), {"app/a.py": "from lib.core import run\nrun()"}
    )
    answer = ask("map/most-called").json()
    assert [(one["name"], one["projects"], one["calls"]) for one in answer["definitions"]] == [
        ("run", 2, 3),  # not those of lib itself, nor own's run
        ("Box", 1, 1),
        ("Box.go", 1, 1),
        ("old", 1, 1),
    ]
    assert answer["definitions"][0]["users"] == [
        {"project": "job", "calls": 2},
        {"project": "app", "calls": 1},
    ]
    first = ask("map/most-called", project="lib", limit=1).json()
    assert (len(first["definitions"]), first["definitions_more"]) == (1, 3)
    token = api_of(api.organization, repositories=["job", "lib"]).token
    assert ask("map/most-called", token=token).json()["definitions"][0]["projects"] == 1
    assert ask("map/most-called", project="own").json()["hint"] == (
        "No other project that this credential sees uses a definition of own."
    )
