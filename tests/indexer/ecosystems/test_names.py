"""Manifests and a file's path → the names that imports may mean it by."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.ecosystems import Workspace, ecosystem_of
from indexer.languages import detect
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin
from tests.indexer.ecosystems.workspaces import PROJECT, named, workspace

GO_MOD = "module github.com/acme/go-kit\n"
CRATE = '[package]\nname = "acme-auth"\n'
POM = "<project><groupId>com.acme</groupId><artifactId>risk</artifactId></project>"
GEMSPEC = 'Gem::Specification.new do |s|\n  s.name = "acme-common"\nend\n'
SWIFT = 'Package(name: "Auth", targets: [.target(name: "AcmeUI", path: "UI")])'


class Names(NamedTuple):
    """What the names of a file are: for everybody, for its repository, and without an import."""

    public: tuple[str, ...] = ()
    internal: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()


def names_of(files: dict[str, str], path: str, namespace: str = "") -> Names:
    found = workspace(files).module_names(
        path=path, language=detect(path, b"").name, namespace=namespace
    )
    return Names(
        public=tuple(name.name for name in found if name.public),
        internal=tuple(name.name for name in found if not name.public and not name.scope),
        scope=tuple(name.name for name in found if name.scope),
    )


PYTHON = [
    ({"pyproject.toml": PROJECT}, "acme_auth/api.py", ["acme_auth.api"], ["/acme_auth.api"]),
    ({"pyproject.toml": PROJECT}, "acme_auth/__init__.py", ["acme_auth"], ["/acme_auth"]),
    ({"pyproject.toml": PROJECT}, "acme_auth/api.pyi", ["acme_auth.api"], ["/acme_auth.api"]),
    (
        {"pyproject.toml": PROJECT}, "src/acme_auth/a.py", ["acme_auth.a"],
        ["/src.acme_auth.a", "src.acme_auth.a"],
    ),
    (
        {"pyproject.toml": PROJECT}, "src/_pytest/a.py", ["_pytest.a"],
        ["/src._pytest.a", "src._pytest.a"],
    ),
    # namespace packages need nothing
    ({"pyproject.toml": PROJECT}, "acme/auth/api.py", ["acme.auth.api"], ["/acme.auth.api"]),
    # tests, documents, scripts and files beside the manifest are the repository's own
    ({"pyproject.toml": PROJECT}, "tests/test_api.py", [], ["/tests.test_api", "tests.test_api"]),
    ({"pyproject.toml": PROJECT}, "acme/tests/a.py", ["acme.tests.a"], ["/acme.tests.a"]),
    ({"pyproject.toml": PROJECT}, "docs/conf.py", [], ["/docs.conf", "docs.conf"]),
    ({"pyproject.toml": PROJECT}, "setup.py", [], ["/setup", "setup"]),
    ({"pyproject.toml": PROJECT}, "acme_auth.py", ["acme_auth"], ["/acme_auth"]),
    # what the manifest declares goes before what is usual
    (
        {"pyproject.toml": PROJECT + '[tool.setuptools.packages.find]\ninclude = ["tools*"]'},
        "tools/a.py", ["tools.a"], ["/tools.a"],
    ),
    (
        {"pyproject.toml": PROJECT + '[tool.setuptools.packages.find]\ninclude = ["tools*"]'},
        "other/a.py", [], ["/other.a", "other.a"],
    ),
    (
        {"pyproject.toml": PROJECT + '[tool.setuptools.packages.find]\nwhere = ["python"]'},
        "python/acme/a.py", ["acme.a"], ["/python.acme.a", "python.acme.a"],
    ),
    (
        {"pyproject.toml": PROJECT + '[tool.setuptools.packages.find]\nwhere = ["python"]'},
        "other/a.py", [], ["/other.a", "other.a"],
    ),
    (
        {"setup.py": 'setup(name="a", package_dir={"acme.core": "lib/engine"})'},
        "lib/engine/run.py", ["acme.core.run"], ["/lib.engine.run", "lib.engine.run"],
    ),
    # several packages in one repository, and directories that are none
    (
        {"libs/a/pyproject.toml": PROJECT}, "libs/a/acme/b.py", ["acme.b"],
        ["/libs.a.acme.b", "libs.a.acme.b"],
    ),
    ({"requirements.txt": "httpx"}, "app/models.py", [], ["/app.models", "app.models"]),
    ({"a/requirements.txt": "httpx"}, "a/app/b.py", [], ["/a.app.b", "app.b", "a.app.b"]),
    ({}, "app/models.py", [], ["/app.models", "app.models"]),
    ({}, "src/app/models.py", [], ["/src.app.models", "src.app.models", "app.models"]),
    # where tests, type checkers and programs look for modules
    (
        {"pytest.ini": "[pytest]\npythonpath = lib\n"}, "lib/app/models.py", [],
        ["/lib.app.models", "lib.app.models", "?lib"],
    ),
    (
        {"svc/pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["lib"]'},
        "svc/lib/b.py", [], ["/svc.lib.b", "svc.lib.b", "?svc/lib"],
    ),
    ({"svc/.env": "PYTHONPATH=.:../lib"}, "svc/a/b.py", [],
        ["/svc.a.b", "svc.a.b", "?svc", "?lib"]),
    ({"svc/.env": "PYTHONPATH=lib"}, "other/b.py", [], ["/other.b", "other.b"]),
]  # fmt: skip

NPM = [
    # nothing but a name: index.js, and every file by its path
    ({"package.json": named("a")}, "index.js", ["a", "a/index", "a/index.js"], ["/index", "/"]),
    ({"package.json": named("a")}, "lib/x.js", ["a/lib/x", "a/lib/x.js"], ["/lib/x"]),
    ({"package.json": named("a")}, "lib/x.test.js", [], ["/lib/x.test"]),
    ({"package.json": named("a")}, "test/x.js", [], ["/test/x"]),
    ({"package.json": "{}"}, "index.js", [], ["/index", "/"]),
    ({}, "src/index.ts", [], ["/src/index", "/src"]),
    ({}, "src/types.d.ts", [], ["/src/types"]),
    # built files are read as their sources
    (
        {"package.json": '{"name": "@acme/a", "main": "dist/index.js"}'},
        "src/index.ts",
        ["@acme/a", "@acme/a/src/index", "@acme/a/src", "@acme/a/dist/index"],
        ["/src/index", "/src"],
    ),
    (
        {"package.json": '{"name": "@acme/a", "exports": {".": "./dist/esm/index.mjs"}}'},
        "src/index.ts", ["@acme/a"], ["/src/index", "/src"],
    ),
    (
        {"package.json": '{"name": "@acme/a", "exports": {".": "./dist/esm/index.mjs"}}'},
        "src/session.ts", [], ["/src/session"],
    ),
    (
        {"package.json": '{"name": "@acme/a", "exports": {"./types": "./dist/types/index.js"}}'},
        "src/types/index.ts", ["@acme/a/types"], ["/src/types/index", "/src/types"],
    ),
    (
        {"package.json": '{"name": "@acme/a", "exports": {"./types": "./dist/types/index.js"}}'},
        "src/index.ts", [], ["/src/index", "/src"],
    ),
    (
        {"package.json": '{"name": "@acme/a", "exports": {"./ui/*": "./dist/ui/*.js"}}'},
        "src/ui/Button.tsx", ["@acme/a/ui/Button"], ["/src/ui/Button"],
    ),
    (
        {"package.json": '{"name": "@acme/a", "exports": {"./ui/*": "./dist/ui/*/index.js"}}'},
        "src/ui/Button/index.tsx", ["@acme/a/ui/Button"],
        ["/src/ui/Button/index", "/src/ui/Button"],
    ),
    (
        {"package.json": '{"name": "@acme/a", "exports": {"./a.js": "./src/a.js"}}'},
        "src/a.js", ["@acme/a/a.js", "@acme/a/a"], ["/src/a"],
    ),
    (
        {"package.json": "{}", "packages/b/package.json": '{"name": "b", "exports": "./b.js"}'},
        "packages/b/b.js", ["b"], ["/packages/b/b"],
    ),
    # path aliases
    (
        {"web/tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}'},
        "web/src/session/index.ts", [],
        ["/web/src/session/index", "/web/src/session", "@/session/index", "@/session"],
    ),
    (
        {"web/tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}'},
        "other/src/session.ts", [], ["/other/src/session"],
    ),
    (
        {"a/tsconfig.json": '{"compilerOptions": {"paths": {"~shared": ["../shared/a.ts"]}}}'},
        "shared/a.ts", [], ["/shared/a", "~shared"],
    ),
    (
        {"tsconfig.json": '{"compilerOptions": {"baseUrl": "src"}}'},
        "src/ui/a.ts", [], ["/src/ui/a", "ui/a"],
    ),
    (
        {"package.json": '{"imports": {"#db": "./src/db.js"}}'},
        "src/db.js", [], ["/src/db", "#db"],
    ),
]  # fmt: skip

RUST = [
    ({"Cargo.toml": CRATE}, "src/lib.rs", ["acme_auth"], ["/src.lib", "/src"]),
    ({"Cargo.toml": CRATE}, "src/a/mod.rs", ["acme_auth.a"], ["/src.a"]),
    ({"Cargo.toml": CRATE}, "src/a/b.rs", ["acme_auth.a.b"], ["/src.a.b"]),
    ({"Cargo.toml": CRATE}, "src/main.rs", [], ["/src.main", "/src"]),
    ({"Cargo.toml": CRATE}, "src/bin/tool.rs", [], ["/src/bin.tool", "/src/bin"]),
    ({"Cargo.toml": CRATE}, "src/bin/tool/main.rs", [], ["/src/bin/tool.main", "/src/bin/tool"]),
    (
        {"Cargo.toml": CRATE}, "src/bin/tool/a.rs", [],
        ["/src/bin/tool.a", "/src/bin.tool.a", "/src/bin/tool.tool.a"],
    ),
    ({"Cargo.toml": CRATE}, "tests/it.rs", [], ["/tests.it", "/tests"]),
    (
        {"Cargo.toml": CRATE}, "tests/common/mod.rs", [],
        ["/tests.common", "/tests/common", "/tests/common.common"],
    ),
    (
        {"Cargo.toml": CRATE + '[[bin]]\nname = "run"\npath = "cli/run.rs"\n'},
        "cli/args.rs", [], ["/cli.args", "/cli.run.args"],
    ),
    (
        {"Cargo.toml": CRATE + '[[bin]]\nname = "run"\npath = "cli/run.rs"\n'},
        "cli/run.rs", [], ["/cli.run", "/cli"],
    ),
    (
        {"Cargo.toml": CRATE + '[lib]\npath = "src/core/entry.rs"\n'},
        "src/core/a/mod.rs", ["acme_auth.a"], ["/src.core.a", "/src.core.entry.a", "/src.a"],
    ),
    ({"Cargo.toml": CRATE}, "build.rs", [], None),
    (
        {"crates/a/Cargo.toml": CRATE + '[lib]\nname = "auth"\npath = "lib/auth.rs"\n'},
        "crates/a/lib/auth.rs", ["auth"], None,
    ),
    (
        {"crates/a/Cargo.toml": CRATE + '[lib]\nname = "auth"\npath = "lib/auth.rs"\n'},
        "crates/a/lib/x.rs", ["auth.x"], None,
    ),
    ({"Cargo.toml": "[workspace]\nmembers = []\n"}, "src/lib.rs", [], ["/src.lib", "/src"]),
]  # fmt: skip


@pytest.mark.parametrize(("files", "path", "public", "internal"), [*PYTHON, *NPM, *RUST])
def test_names_by_path(
    files: dict[str, str], path: str, public: list[str], internal: list[str] | None
) -> None:
    names = names_of(files, path)
    assert list(names.public) == public
    assert internal is None or list(names.internal) == internal
    assert names.scope == ()


@pytest.mark.parametrize(
    ("files", "path", "namespace", "name", "public"),
    [
        ({"go.mod": GO_MOD}, "retry/retry.go", "retry", "github.com/acme/go-kit/retry", True),
        ({"go.mod": GO_MOD}, "kit.go", "kit", "github.com/acme/go-kit", True),
        ({"v2/go.mod": "module h/kit/v2"}, "v2/a/a.go", "a", "h/kit/v2/a", True),
        ({"go.mod": "module h/kit/v3"}, "a/a.go", "a", "h/kit/v3/a", True),
        ({"go.mod": GO_MOD}, "internal/a/a.go", "a", "github.com/acme/go-kit/internal/a", False),
        ({"go.mod": GO_MOD}, "cmd/run/main.go", "main", "github.com/acme/go-kit/cmd/run", False),
        ({"go.mod": GO_MOD}, "a/a_test.go", "a", "github.com/acme/go-kit/a", False),
        ({"go.mod": GO_MOD}, "a/b_test.go", "a_test", "github.com/acme/go-kit/a_test", False),
        ({}, "a/a.go", "a", "/a", False),
        ({"pom.xml": POM}, "src/main/java/com/acme/A.java", "com.acme", "com.acme", True),
        ({"pom.xml": POM}, "src/test/java/com/acme/A.java", "com.acme", "com.acme", False),
        ({"pom.xml": POM}, "src/main/java/com/test/A.java", "com.test", "com.test", True),
        ({"pom.xml": POM}, "src/androidTest/kotlin/A.kt", "com.acme", "com.acme", False),
        ({}, "src/main/scala/A.scala", "com.acme", "com.acme", True),
        ({"core/pom.xml": POM}, "core/src/main/java/A.java", "", "/core", False),
        ({"A/A.csproj": "<Project/>"}, "A/Models/User.cs", "Acme.Models", "Acme.Models", True),
        ({}, "A.Tests/UserTests.cs", "Acme.Models", "Acme.Models", False),
        ({"A/A.csproj": "<Project/>"}, "A/Program.cs", "", "/A", False),
        ({"composer.json": named("acme/tags")}, "src/Tag.php", "Acme.Tags", "Acme.Tags", True),
        ({"composer.json": named("acme/tags")}, "tests/TagTest.php", "Acme", "Acme", False),
        ({"Package.swift": SWIFT}, "Sources/AcmeAuth/Login.swift", "", "AcmeAuth", True),
        ({"Package.swift": SWIFT}, "UI/Deep/Button.swift", "", "AcmeUI", True),
        ({"Package.swift": SWIFT}, "Tests/AcmeTests/A.swift", "", "AcmeTests", False),
        ({}, "App/Main.swift", "", "/", False),
    ],
)
def test_names_that_are_a_scope(
    files: dict[str, str], path: str, namespace: str, name: str, public: bool
) -> None:
    expected = Names(public=(name,) if public else (), scope=(name,))
    assert names_of(files, path, namespace) == expected


def test_a_ruby_file_is_required_by_its_path_under_lib_and_shares_constants_with_its_gem() -> None:
    files = {"gems/a/acme-common.gemspec": GEMSPEC, "Gemfile": "gem 'rails'\n"}
    assert names_of(files, "gems/a/lib/acme/common.rb") == Names(
        public=("acme/common",),
        internal=("/gems/a/lib/acme/common",),
        scope=("gem:acme-common",),
    )
    assert names_of(files, "app/models/user.rb") == Names(
        internal=("/app/models/user",), scope=("gem:/",)
    )
    assert names_of({}, "lib/a.rb") == Names(internal=("/lib/a", "a"), scope=("gem:/",))


def test_a_header_is_named_by_its_path_and_the_ends_of_it() -> None:
    ends = ("*/auth.h", "*/src/auth.h")
    assert names_of({}, "src/auth.h") == Names(internal=("/src/auth.h", *ends))
    assert names_of({}, "src/auth.c") == Names(internal=("/src/auth.c",))


def test_a_lua_module_is_named_below_the_source_folder_too() -> None:
    assert names_of({}, "src/acme/util.lua") == Names(internal=("src.acme.util", "acme.util"))
    assert names_of({}, "acme/init.lua") == Names(internal=("acme",))
    assert names_of({}, "init.lua") == Names()


def test_all_elixir_files_are_of_one_scope() -> None:
    assert names_of({}, "lib/acme/accounts.ex") == Names(scope=("Elixir",))


def test_a_language_that_is_not_traced_has_no_names_and_no_package() -> None:
    every = workspace({"pyproject.toml": PROJECT})
    assert ecosystem_of("asciidoc") is None
    assert every.module_names(path="README.adoc", language="asciidoc", namespace="") == ()
    assert every.package_of(path="README.adoc", language="asciidoc") is None


def test_a_document_has_no_names_and_the_nearest_package() -> None:
    every = workspace({"pyproject.toml": PROJECT, "web/package.json": '{"name": "acme-web"}'})
    assert ecosystem_of("markdown") is None
    for path, name in (("README.md", "acme-auth"), ("web/docs/a.md", "acme-web")):
        assert every.module_names(path=path, language="markdown", namespace="") == ()
        package = every.package_of(path=path, language="markdown")
        assert package is not None
        assert package.name == name


def test_a_target_without_a_name_gives_a_file_none() -> None:
    nameless = Manifest(
        ecosystem=Ecosystem.SWIFTPM,
        name="",
        import_names=("",),
        source_roots=(),
        entries=(("", ""),),
        aliases=(),
        dependencies=(),
        pins=(),
    )
    package = Workspace([("Package.swift", nameless)])
    assert package.module_names(path="", language="swift", namespace="") == ()


TEXT = st.text(st.sampled_from('ab/.*-_@"\n1:'), max_size=12)
PATHS = st.lists(st.sampled_from(["a", "src", "lib", "tests", "index", "dist"]), max_size=4).map(
    "/".join
)
MANIFESTS = st.builds(
    Manifest,
    ecosystem=st.sampled_from(Ecosystem),
    name=TEXT,
    import_names=st.tuples(TEXT) | st.just(()),
    source_roots=st.tuples(PATHS | TEXT) | st.just(()),
    entries=st.lists(st.tuples(TEXT, PATHS | TEXT), max_size=3).map(tuple),
    aliases=st.lists(st.tuples(TEXT, PATHS | TEXT), max_size=3).map(tuple),
    dependencies=st.lists(st.builds(Dependency, TEXT, TEXT), max_size=3).map(tuple),
    pins=st.lists(st.builds(Pin, TEXT, TEXT), max_size=3).map(tuple),
)
LOCATED = st.lists(
    st.tuples(st.builds("{}/{}".format, PATHS, st.sampled_from("mnop")), MANIFESTS),
    max_size=5,
    unique_by=lambda located: located[0],
)
LANGUAGES = st.sampled_from(
    ["python", "tsx", "go", "java", "rust", "csharp", "php", "ruby", "swift", "c", "text"]
)


@given(manifests=LOCATED, path=PATHS | TEXT, language=LANGUAGES, namespace=TEXT, data=st.data())
def test_names_never_fail_and_do_not_depend_on_the_order_of_manifests(
    manifests: list[tuple[str, Manifest]],
    path: str,
    language: str,
    namespace: str,
    data: st.DataObject,
) -> None:
    one = Workspace(manifests)
    other = Workspace(data.draw(st.permutations(manifests)))
    names = one.module_names(path=path, language=language, namespace=namespace)
    assert names == other.module_names(path=path, language=language, namespace=namespace)
    assert one.packages == other.packages
    assert len({name.name for name in names}) == len(names) <= 64
    assert all(0 < len(name.name) <= 1_000 for name in names)
