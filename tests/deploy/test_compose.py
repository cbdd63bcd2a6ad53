"""docker-compose.yml: valid, hardened, without a secret in it, and of settings that there are."""

import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from scripts.local_service import ROOT
from tests.deploy import composition
from tests.deploy.engine.fields import quantity

FILE = composition.load()
SERVICES: dict[str, dict[str, Any]] = FILE["services"]
OURS = ("migrate", "web", "worker", "beat", "backfill")
ONCE = ("migrate", "ollama-model")
SECRET = re.compile(r"secret|password|key|token", re.IGNORECASE)


def checked(path: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).parent / "check-jsonschema"
    return subprocess.run(
        [program, "--builtin-schema", "vendor.compose-spec", path],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_file_is_what_the_specification_of_compose_says(tmp_path: Path) -> None:
    assert checked(composition.COMPOSE).returncode == 0
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(composition.COMPOSE.read_text().replace("cap_drop: [ALL]", "cap_drop: ALL"))
    assert "cap_drop" in checked(broken).stdout


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_hardened_limited_and_pinned(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"}
    assert service["restart"] == ("no" if name in ONCE else "unless-stopped")
    image = composition.with_defaults(service["image"])
    assert re.search(r":v?\d+\.\d+", image), f"{image} is another one tomorrow"
    assert (
        service["healthcheck"] == {"disable": True}
        if name in ONCE
        else "test" in service["healthcheck"]
    )


def test_the_process_that_clones_has_an_image_of_its_own() -> None:
    images = {name: SERVICES[name]["image"] for name in OURS}
    own = images.pop("backfill")
    assert len(set(images.values())) == 1
    assert composition.with_defaults(own) == "aeterna-code-search-backfill:0.1.0"
    built = {name: SERVICES[name]["build"]["target"] for name in ("migrate", "backfill")}
    assert built == {"migrate": "service", "backfill": "backfill"}


def test_clones_and_the_processes_that_make_them_fit_into_the_memory_of_backfill() -> None:
    """A tmpfs counts as memory of its container: half of the limit is for git and the indexers."""
    backfill = SERVICES["backfill"]
    (mount,) = map(composition.with_defaults, backfill["tmpfs"])
    space = quantity(mount.rpartition("size=")[2].upper() + "i")
    at_once, most = (
        int(composition.with_defaults(backfill["environment"][f"AETERNA_BACKFILL_{name}"]))
        for name in ("AT_ONCE", "MAX_BYTES")
    )
    memory = quantity(backfill["deploy"]["resources"]["limits"]["memory"] + "i")  # G is Gi
    assert at_once * most <= space <= memory / 2


def test_the_process_that_reads_models_of_others_reaches_no_store() -> None:
    reaches = {
        name: set(service.get("networks", ["default"])) for name, service in SERVICES.items()
    }
    assert reaches["ollama"] == reaches["ollama-model"] == {"models"}
    assert all(reaches[name] == {"default"} for name in ("postgres", "redis", "qdrant"))
    assert all(reaches[name] == {"default", "models"} for name in OURS)


def test_only_the_web_process_is_published_and_only_on_this_machine() -> None:
    published = {name: each["ports"] for name, each in SERVICES.items() if "ports" in each}
    assert list(published) == ["web"]
    assert [composition.with_defaults(port) for port in published["web"]] == ["127.0.0.1:8000:8000"]


def test_processes_wait_for_what_they_need() -> None:
    for name in OURS:
        for needed, wait in SERVICES[name]["depends_on"].items():
            expected = "service_completed_successfully" if needed in ONCE else "service_healthy"
            only_if_it_is_the_store = {"required": False} if needed == "qdrant" else {}
            assert wait == {"condition": expected, **only_if_it_is_the_store}
    assert set(SERVICES["web"]["depends_on"]) == {"migrate", "postgres", "redis", "qdrant"}


def test_what_is_kept_is_in_volumes_with_names() -> None:
    mounted = {
        volume.split(":")[0] for each in SERVICES.values() for volume in each.get("volumes", [])
    }
    assert mounted == set(FILE["volumes"]) == {"postgres", "redis", "qdrant", "ollama"}


def test_secrets_come_from_files_and_make_secrets_makes_them(tmp_path: Path) -> None:
    made = composition.make_secrets(tmp_path / "secrets")
    declared = {name: ROOT / secret["file"] for name, secret in FILE["secrets"].items()}
    assert {path.relative_to(ROOT).parts[0] for path in declared.values()} == {"secrets"}
    assert {path.name for path in declared.values()} <= {path.name for path in made.iterdir()}
    for name, service in SERVICES.items():
        mounted = set(service.get("secrets", []))
        assert mounted <= set(declared), name
        for variable, value in service.get("environment", {}).items():
            is_path = variable.endswith(("_FILE", "_PATH"))
            if SECRET.search(variable):
                assert is_path, f"{name} has {variable} in its environment"
            if is_path and "/secrets/" in str(value):
                assert str(value).removeprefix("/run/secrets/") in mounted, (name, variable)


def test_secrets_are_strong_kept_and_behind_a_directory_of_their_owner_s(tmp_path: Path) -> None:
    directory = composition.make_secrets(tmp_path / "secrets")
    before = {path.name: path.read_text() for path in directory.iterdir()}
    random = (
        "secret_key",
        "postgres_password",
        "redis_password",
        "qdrant_api_key",
        "metrics_token",
    )

    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert all(re.fullmatch(r"[0-9a-f]{64}", before[name]) for name in random)
    assert len({before[name] for name in random}) == len(random)

    (directory / "openai_api_key").write_text("mine")
    composition.make_secrets(directory)
    after = {path.name: path.read_text() for path in directory.iterdir()}
    assert after == before | {"openai_api_key": "mine"}


def test_secrets_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """A full disk, or Ctrl-C, left empty ones, which the next run kept: Qdrant without a key."""
    directory = tmp_path / "secrets"
    interrupted = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -f 0; exec "$0" "$1"', ROOT / "deploy/make-secrets", directory],
        check=False,
        capture_output=True,
    )
    assert interrupted.returncode
    assert not (directory / "secret_key").exists()
    (directory / "qdrant_api_key").write_text("")  # by a run of before
    composition.make_secrets(directory)
    for name in (
        "secret_key",
        "postgres_password",
        "redis_password",
        "qdrant_api_key",
        "metrics_token",
    ):
        assert re.fullmatch(r"[0-9a-f]{64}", (directory / name).read_text()), name


@pytest.mark.parametrize("password", ["p@ss/word", "two words", "one\ntwo"])
def test_a_password_that_would_change_an_address_is_refused(tmp_path: Path, password: str) -> None:
    directory = composition.make_secrets(tmp_path / "secrets")
    (directory / "postgres_password").write_text(password)
    (directory / "database_url").unlink()

    refused = subprocess.run(
        [ROOT / "deploy" / "make-secrets", directory], check=False, capture_output=True, text=True
    )

    assert refused.returncode == 1
    assert refused.stderr.startswith("database_url cannot be made from postgres_password:")
    assert password not in refused.stderr
    assert not (directory / "database_url").exists()


def test_secrets_that_were_changed_as_documented_are_kept(tmp_path: Path) -> None:
    """A second role of the database is in no password that make-secrets knows."""
    directory = composition.make_secrets(tmp_path / "secrets")
    changed = {
        "database_url": "postgresql://aeterna_b:other@postgres:5432/aeterna",
        "celery_broker_url": "redis://:new@redis:6379/0",
        "redis.conf": "requirepass new\nappendonly yes\n",
        "qdrant.yaml": "service:\n  api_key: new\n  jwt_rbac: true\n",
    }
    for name, text in changed.items():
        (directory / name).write_text(text)

    composition.make_secrets(directory)

    assert {name: (directory / name).read_text() for name in changed} == changed


def test_a_changed_password_reaches_the_files_that_are_deleted_and_others_are_named(
    tmp_path: Path,
) -> None:
    directory = composition.make_secrets(tmp_path / "secrets")
    (directory / "redis_password").write_text("new")
    (directory / "celery_broker_url").unlink()

    said = subprocess.run(
        [ROOT / "deploy" / "make-secrets", directory], check=True, capture_output=True, text=True
    )

    assert (directory / "celery_broker_url").read_text() == "redis://:new@redis:6379/0\n"
    assert said.stderr.startswith("redis.conf is kept, without the value of redis_password.")
    assert len(said.stderr.splitlines()) == 1


def test_secrets_are_kept_out_of_git_and_of_the_image() -> None:
    assert {"/secrets/", "/.env"} <= set((ROOT / ".gitignore").read_text().splitlines())
    assert (ROOT / ".dockerignore").read_text().splitlines()[1] == "*"


@pytest.mark.parametrize("name", OURS)
def test_every_setting_is_one_that_central_reads(name: str) -> None:
    read = "".join(path.read_text() for path in (ROOT / "central" / "settings").glob("*.py"))
    read += (ROOT / "deploy" / "entrypoint.sh").read_text()
    for variable in SERVICES[name]["environment"]:
        assert variable.removesuffix("_FILE") in read, variable


@pytest.mark.parametrize("name", OURS)
def test_settings_that_the_file_does_not_list_come_from_the_env_file(name: str) -> None:
    assert SERVICES[name]["env_file"] == [{"path": ".env", "required": False}]


@pytest.mark.parametrize(("store", "profiles"), [("qdrant", []), ("postgres", ["qdrant"])])
def test_qdrant_is_part_of_the_project_only_if_it_is_the_store(
    store: str, profiles: list[str]
) -> None:
    file = SERVICES["qdrant"]["extends"]["file"]
    chosen = ROOT / composition.with_defaults(file, {"CODESEARCH_STORE_BACKEND": store})
    extended = YAML(typ="safe", pure=True).load(chosen)["services"]["qdrant"]
    assert extended.get("profiles", []) == profiles
    assert composition.with_defaults(file) == "deploy/stores/qdrant.yml"


def test_variables_of_the_env_file_change_what_they_should() -> None:
    environment = SERVICES["web"]["environment"]
    chosen = {"CODESEARCH_STORE_BACKEND": "postgres", "AETERNA_PUBLIC_URL": "https://code.example"}
    for name, value in chosen.items():
        assert composition.with_defaults(environment[name], chosen) == value
        assert composition.with_defaults(environment[name]) != value
