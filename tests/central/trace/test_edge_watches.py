"""Each change that may change where a reference leads has the follower ask again."""

import pytest

from central.repositories.models import Repository
from central.trace.stored.follower import CallEdges, different
from central.trace.stored.models import Path, Source
from tests.central.trace.corpus import change_files, organization_of, pyproject, repository


@pytest.mark.django_db
def test_a_definition_of_c_is_found_once_the_other_one_of_its_name_is_gone() -> None:
    native = repository(
        "native",
        {
            "box.h": "int box(void);\n",
            "src/a.c": "int box(void) { return 1; }\n",
            "src/b.c": "int box(void) { return 2; }\n",
            "main.c": '#include "box.h"\nint main(void) { return box(); }\n',
        },
    )
    _follow()
    change_files(native, {"src/b.c": "int other(void) { return 2; }\n"})
    assert _stale() == []


@pytest.mark.django_db
def test_a_class_that_moves_to_another_namespace_has_the_parts_that_are_there() -> None:
    text = """\
        namespace %s {
            public partial class T { }
            public class U { public T Get() { return null; } }
        }
        """
    main = """\
        using One;
        using Two;
        namespace App {
            public class M { public void Main(U u) { u.Get().Go(); } }
        }
        """
    lib = repository(
        "lib",
        {
            "Lib.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
            "A.cs": text % "One",
            "App.cs": main,
        },
    )
    _follow()
    change_files(lib, {"A.cs": text % "Two"})
    _follow()
    part = "namespace Two { public partial class T { public void Go() { } } }\n"
    change_files(lib, {"B.cs": part})
    assert _stale() == []


@pytest.mark.django_db
def test_a_file_that_comes_back_is_watched_again() -> None:
    box = "class Box:\n    def go(self): ...\n"
    lib = repository(
        "lib",
        {
            "pyproject.toml": pyproject("lib"),
            "lib/core.py": box,
            "lib/made.py": "from lib.core import Box\ndef make() -> Box: ...\n",
        },
    )
    repository(
        "app",
        {
            "pyproject.toml": pyproject("app", "lib"),
            "app/main.py": "from lib.made import make\ndef main():\n    make().go()\n",
        },
    )
    _follow()
    change_files(lib, {}, removed=("lib/core.py",))
    _follow()
    change_files(lib, {"lib/core.py": "class Box:\n    def other(self): ...\n"})
    _follow()
    change_files(lib, {"lib/core.py": box})
    assert _stale() == []


@pytest.mark.django_db
def test_the_order_of_the_dependencies_of_a_manifest_counts() -> None:
    for name in ("one", "two"):
        files = {"package.json": f'{{"name": "{name}"}}', "index.js": "export function run() {}\n"}
        repository(name, files)
    text = '{"dependencies": {"kit": "npm:%s@1"}, "devDependencies": {"kit": "npm:%s@1"}}'
    main = "import { run } from 'kit';\nrun();\n"
    app = repository("app", {"package.json": text % ("one", "two"), "main.js": main})
    _follow()
    change_files(app, {"package.json": text % ("two", "one")})
    assert _stale() == []


def _follow() -> None:
    while CallEdges().update(organization_of().pk):
        pass


def _stale() -> list[str]:
    """Follow, and return the files whose edges are not what resolution says even so."""
    _follow()
    present = Repository.objects.filter(retired_at=None).values("pk")
    sources = Source.objects.filter(repository_id__in=present).values_list("path_id", flat=True)
    stale = different(organization_of(), list(sources))
    return sorted(Path.objects.filter(pk__in=stale).values_list("path", flat=True))
