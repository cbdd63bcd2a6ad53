"""The map of an organisation: who uses what of whom, and with which versions."""

from typing import Any

import pytest

from central.projections import Difference
from central.repositories.models import Repository
from central.trace.stored.follower import compare_edges
from central.trace.stored.models import PackageImport, Path, Source
from tests.central.codemap.conftest import Ask, get
from tests.central.protocol import Api, api_of
from tests.central.trace.corpus import change_files, pyproject, repository

MAIN = """
    from lib.core import Box, run
    def main():
        run()
        Box().go()
"""


@pytest.fixture(autouse=True)
def acme(api: Api) -> None:
    """Two projects use lib; one of them has a version behind it."""
    core = "def run(): ...\nclass Box:\n    def __init__(self): ...\n    def go(self): ..."
    repository("lib", {"pyproject.toml": pyproject("lib", version="2.0"), "lib/core.py": core})
    repository("app", {"pyproject.toml": pyproject("app", "lib==1.5"), "app/main.py": MAIN})
    repository("job", {"pyproject.toml": pyproject("job", "lib"), "job.py": "import lib.core"})
    repository("own", {"pyproject.toml": pyproject("own"), "own.py": "def run(): ...\nrun()"})


def links(answer: Any) -> list[str]:
    """`app → lib: 3 calls, 2 imports, 1.5 < 2.0` for each."""
    return [
        f"{one['source']} → {one['target']}: {one['calls']} calls, "
        f"{one['imports']} imports"
        + "".join(
            f", {v['pinned'] or v['required']}{' lags' * bool(v['lags'])}" for v in one["versions"]
        )
        for one in answer.json()["links"]
    ]


def test_each_link_has_its_calls_imports_and_versions(ask: Ask) -> None:
    answer = ask("map")
    assert links(answer) == [
        "app → lib: 3 calls, 2 imports, 1.5 lags",
        "job → lib: 0 calls, 1 imports, None",
    ]
    body = answer.json()
    assert {one["id"]: (one["users"], one["uses"]) for one in body["nodes"]} == {
        "app": (0, 1),
        "job": (0, 1),
        "lib": (2, 0),
    }
    assert (body["alone"], body["cycles"], body["receipt"]["complete"]) == (1, [], True)


def test_an_import_of_what_a_model_of_a_library_says_leads_nowhere(ask: Ask) -> None:
    manifest = pyproject("site", "django", "lib")
    code = "from django.db.models import Manager\nfrom lib.core import run\nManager()"
    repository("site", {"pyproject.toml": manifest, "site.py": code})
    assert "site → lib: 0 calls, 1 imports, None" in links(ask("map"))


def test_projects_that_use_one_another_are_a_cycle(ask: Ask) -> None:
    lib = Repository.objects.get(name="lib")
    manifest = pyproject("lib", "app", version="2.0")
    plugin = "from app.main import main\nmain()"
    change_files(lib, {"pyproject.toml": manifest, "lib/plugin.py": plugin})
    body = ask("map").json()
    assert body["cycles"] == [["app", "lib"]]
    assert {one["source"]: one["cycle"] for one in body["links"]} == {
        "app": 0,
        "lib": 0,
        "job": None,
    }
    assert ask("map", project="job").json()["cycles"] == [["app", "lib"]]


def test_packages_of_a_project_are_nodes_of_their_own(ask: Ask) -> None:
    repository(
        "mono",
        {
            "a/pyproject.toml": pyproject("a", "b"),
            "a/a/main.py": "from b.util import help\nhelp()",
            "b/pyproject.toml": pyproject("b"),
            "b/b/util.py": "def help(): ...",
        },
    )
    assert links(ask("map", project="mono", level="package")) == [
        "mono/a#pypi:a → mono/b#pypi:b: 1 calls, 1 imports, None"
    ]
    assert "mono" not in str(links(ask("map")))


def test_copies_of_a_repository_ask_for_their_own_packages(ask: Ask) -> None:
    files = {
        "a/pyproject.toml": pyproject("a", "b"),
        "a/a/main.py": "from b.util import help\nhelp()",
        "b/pyproject.toml": pyproject("b"),
        "b/b/util.py": "def help(): ...",
    }
    repository("mono", files)
    repository("fork", files)
    answer = ask("map")
    assert "mono" not in str(links(answer))
    assert answer.json()["cycles"] == []


def test_an_import_follows_a_file_into_another_package(ask: Ask) -> None:
    script = "# /// script\n# dependencies = []\n# ///\ndef tool(): ..."
    lib = Repository.objects.get(name="lib")
    change_files(lib, {"lib/tool.py": script})
    app = Repository.objects.get(name="app")
    change_files(app, {"app/main.py": "from lib.tool import tool"})
    ask("map")
    change_files(lib, {"lib/tool.py": "def tool(): ..."})
    answer = ask("map", level="package", project="app")
    assert links(answer) == ["app#pypi:app → lib#pypi:lib: 0 calls, 1 imports, 1.5 lags"]
    assert compare_edges(app, repair=False) == Difference(due=0, differing=0)
    PackageImport.objects.filter(repository_id=app.pk).delete()
    assert compare_edges(app, repair=False) == Difference(due=0, differing=1)


def test_a_hidden_project_is_as_if_it_were_not_there(ask: Ask, api: Api) -> None:
    partial = api_of(api.organization, repositories=["job", "lib"]).token
    body = ask("map", token=partial).json()
    assert [one["id"] for one in body["nodes"]] == ["job", "lib"]
    assert {one["id"]: one["users"] for one in body["nodes"]}["lib"] == 1
    assert "app" not in str(body)


def test_what_is_not_current_is_resolved_or_counted(
    ask: Ask, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = links(ask("map"))
    due = Path.objects.filter(path="app/main.py").values("pk")
    Source.objects.filter(path_id__in=due).update(due=True)
    assert links(get(api, "map")) == before
    large = Path.objects.get(path="lib/core.py")
    Source.objects.filter(path_id=large.pk).update(due=True)
    monkeypatch.setattr("central.codemap.currency.MAP_REFERENCES", 3)
    assert links(get(api, "map")) == before, "lib/core.py has no reference"
    monkeypatch.setattr("central.codemap.currency.MAP_REFERENCES", 0)
    receipt = get(api, "map").json()["receipt"]
    assert (receipt["files_left_out"], receipt["complete"]) == (1, False)


def test_that_a_limit_was_met_is_told(ask: Ask, api: Api) -> None:
    before = links(ask("map"))
    Source.objects.filter(path_id__in=Path.objects.filter(path="app/main.py").values("pk")).update(
        is_cut=True
    )
    answer = get(api, "map")
    assert links(answer) == before
    receipt = answer.json()["receipt"]
    assert (receipt["files_left_out"], receipt["complete"]) == (0, False)
    assert receipt["cut"][0].startswith("A limit was met where references of 1 file were resolved")


def test_until_a_repository_is_compared_the_answer_says_when_to_ask_again(
    ask: Ask, api: Api
) -> None:
    ask("map")
    change_files(Repository.objects.get(name="own"), {"more.py": "def more(): ..."})
    answer = get(api, "map")
    assert (answer.status_code, answer.json()["code"]) == (503, "edges_behind")
    assert answer["Retry-After"] == "5"


def test_an_organisation_whose_projects_use_nothing_of_one_another_says_so(
    ask: Ask, api: Api
) -> None:
    alone = api_of(api.organization, repositories=["own"]).token
    body = ask("map", token=alone).json()
    assert (body["links"], body["alone"]) == ([], 1)
    assert body["hint"].startswith("No project that this credential sees uses another one")
