"""Python's manifests and lock files."""

from indexer.records.manifests import Dependency, ManifestProblem, Pin, PinUse
from tests.indexer.ecosystems.reading import asked, read


def test_a_project_table_names_package_version_and_dependencies() -> None:
    manifest = read(
        "pyproject.toml",
        """
        [project]
        name = "Acme.Auth_Core"
        version = "1.4.2"
        dependencies = ["acme-common[http] >=2.1,<3 ; python_version > '3'", "Tokens==1.0"]
        optional-dependencies.test = ["pytest"]
        [dependency-groups]
        dev = ["ruff==0.17.6", {include-group = "docs"}]
        """,
    )
    assert (manifest.name, manifest.version) == ("acme-auth-core", "1.4.2")
    assert manifest.dependencies == (
        Dependency("acme-common", ">=2.1,<3"),
        Dependency("tokens", "==1.0"),
        Dependency("pytest", ""),
        Dependency("ruff", "==0.17.6"),
    )
    assert manifest.pins == (Pin("tokens", "1.0"), Pin("ruff", "0.17.6"))


def test_an_address_and_a_requirement_without_version_ask_for_any() -> None:
    manifest = read(
        "pyproject.toml",
        '[project]\nname = "a"\ndependencies = ["b @ git+https://host/b.git", "c"]\n',
    )
    assert manifest.dependencies == (
        Dependency("b", "git+https://host/b.git"),
        Dependency("c", ""),
    )


def test_poetry_has_tables_of_its_own() -> None:
    manifest = read(
        "pyproject.toml",
        """
        [tool.poetry]
        name = "acme-auth"
        version = "1.0"
        packages = [{include = "acme_auth", from = "python"}]
        [tool.poetry.dependencies]
        python = "^3.11"
        acme-common = "^2.1"
        exact = "1.2.3"
        several = [{version = "1.0", python = "<3"}, {version = "2.0"}]
        local = {path = "../local"}
        [tool.poetry.group.dev.dependencies]
        pytest = "*"
        """,
    )
    assert manifest.source_roots == ("python",)
    assert ("include", "/python/acme_auth") in manifest.settings
    assert asked(manifest) == {
        "acme-common": "^2.1",
        "exact": "1.2.3",
        "several": "1.0 || 2.0",
        "local": "",
        "pytest": "",
    }
    assert manifest.pins == (Pin("exact", "1.2.3"), Pin("several", "1.0"), Pin("several", "2.0"))


def test_setup_cfg() -> None:
    manifest = read(
        "setup.cfg",
        """
[metadata]
name = acme_auth
version = attr: acme_auth.__version__
[options]
package_dir =
    = src
packages = find:
install_requires =
    acme-common >= 2
    tokens; python_version < "3"
[options.extras_require]
http = httpx
""",
    )
    assert (manifest.name, manifest.version) == ("acme-auth", "")
    assert manifest.source_roots == ("src",)
    assert asked(manifest) == {"acme-common": ">= 2", "tokens": "", "httpx": ""}


def test_setup_py_is_read_and_never_run() -> None:
    manifest = read(
        "setup.py",
        """
import os
raise SystemExit("this would end whoever runs it")
VERSION = "2.0"
REQUIRES = ["acme-common>=2"]
setup(
    name="acme-auth",
    version=VERSION,
    packages=find_packages("src", exclude=["tests"]),
    package_dir={"": "src"},
    install_requires=REQUIRES,
    extras_require={"http": ["httpx"]},
    long_description=open("README.md").read(),
    py_modules=["six"],
)
""",
    )
    assert (manifest.name, manifest.version) == ("acme-auth", "2.0")
    assert manifest.import_names == ("six",)
    assert manifest.source_roots == ("src",)
    assert asked(manifest) == {"acme-common": ">=2", "httpx": ""}


def test_a_name_that_setup_py_computes_is_that_of_the_only_package() -> None:
    assert read("setup.py", 'setup(name=about["x"], packages=["acme_auth"])').name == "acme-auth"
    assert read("setup.py", 'setup(name=about["x"], packages=["a", "b"])').name == ""
    assert read("setup.py", "def setup(): pass").name == ""


def test_requirements_are_a_root_without_a_name() -> None:
    manifest = read(
        "requirements/dev.txt",
        """
-r base.txt
--index-url https://example.com
acme-common==2.2.1 \\
    --hash=sha256:0000
    # via acme-auth
httpx>=0.28  # the client
./local
https://example.com/x.whl
git+https://example.com/x.git#egg=x
""",
    )
    assert manifest.name == ""
    assert asked(manifest) == {
        "acme-common": "==2.2.1",
        "httpx": ">=0.28",
        "x": "git+https://example.com/x.git#egg=x",
    }
    assert manifest.pins == (Pin("acme-common", "2.2.1"),)
    assert manifest.settings == (("requirements", "base.txt"),)


def test_lock_files_pin() -> None:
    block = '[[package]]\nname = "Acme_Common"\nversion = "2.2.1"\n'
    more = '[package.dependencies]\nname = "x"\n[[package]]\nname = "b"\nversion = "1"\n'
    pins = (Pin("acme-common", "2.2.1"), Pin("b", "1"))
    assert read("poetry.lock", block + more).pins == pins
    assert read("uv.lock", "version = 1\n\n" + block + more).pins == pins
    assert read("pdm.lock", block + more).pins == pins
    pipfile = (
        '{"default": {"acme-common": {"version": "==2.2.1"}}, "develop": {"b": {"version": "==1"}}}'
    )
    assert read("Pipfile.lock", pipfile).pins == pins


def test_uv_says_which_package_uses_which_version() -> None:
    lock = """
version = 1

[[package]]
name = "app"
version = "1.0"
source = { virtual = "packages/app" }
dependencies = [
    { name = "kit", version = "2.0", source = { registry = "x" }, marker = "a" },
    { name = "only" },
]

[package.dev-dependencies]
dev = [{ name = "kit", version = "1.0" }]

[[package]]
name = "kit"
version = "1.0"

[[package]]
name = "kit"
version = "2.0"

[[package]]
name = "only"
version = "3"
"""
    assert read("uv.lock", lock).uses == (
        PinUse("packages/app", "kit", "", "2.0"),
        PinUse("packages/app", "only", "", "3"),
        PinUse("packages/app", "kit", "", "1.0"),
    )


def test_alternatives_that_markers_choose_from_are_both_pinned() -> None:
    manifest = read("requirements.txt", "a==1 ; python_version<'3'\na==2 ; python_version>'3'\n")
    assert asked(manifest) == {"a": "==1 || ==2"}
    assert manifest.pins == (Pin("a", "1"), Pin("a", "2"))


def test_other_files_pin() -> None:
    assert read("constraints.txt", "a==1\nb>2\n").pins == (Pin("a", "1"),)
    assert read("pylock.dev.toml", '[[packages]]\nname = "A.b"\nversion = "1"\n').pins == (
        Pin("a-b", "1"),
    )
    pipfile = read("Pipfile", '[packages]\na = "==1"\nb = "*"\n[dev-packages]\nc = {version="==2"}')
    assert asked(pipfile) == {"a": "==1", "b": "", "c": "==2"}
    assert pipfile.pins == (Pin("a", "1"), Pin("c", "2"))


def test_an_environment_of_conda_lists_packages_of_both() -> None:
    manifest = read(
        "environment.yml",
        "name: x\ndependencies:\n  - python=3.11\n  - conda-forge::a=2.1.0=py_0\n  - b=1.2  # any\n"
        "  - pip:\n      - c==1\n      - -r requirements.txt\nprefix: /x\n",
    )
    assert asked(manifest) == {"a": "=2.1.0=py_0", "b": "=1.2", "c": "==1"}
    assert manifest.pins == (Pin("a", "2.1.0"), Pin("c", "1"))
    assert manifest.settings == (("requirements", "requirements.txt"),)


def test_a_backend_that_is_not_known_is_partly_read() -> None:
    project = '[project]\nname = "a"\n[build-system]\nbuild-backend = "mesonpy"\n'
    assert read("pyproject.toml", project).problem == ManifestProblem.PARTIAL
    assert read("setup.py", "setup(name='a', packages=computed())").problem is not None
