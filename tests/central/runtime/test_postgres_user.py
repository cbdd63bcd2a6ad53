"""The user that PostgreSQL runs as for root: `useradd` is a stand-in, which changes no machine."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.exceptions import ImproperlyConfigured

from central.runtime import postgres, postgres_user

ABSENT = "aeterna-absent"


@pytest.fixture
def useradd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that writes its arguments beside itself, in a directory outside of PATH."""
    program = tmp_path / "useradd"
    program.write_text('#!/bin/sh\necho "$@" > "$0.arguments"\n')
    program.chmod(0o700)
    monkeypatch.setattr(postgres_user, "_SYSTEM", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "absent"))
    return program


def test_the_user_is_created_with_a_path_that_lacks_system_directories(useradd: Path) -> None:
    postgres_user.ensure_user(ABSENT)
    arguments = useradd.with_name("useradd.arguments").read_text().split()
    assert arguments[0] == "--system"
    assert arguments[-1] == ABSENT


def test_a_user_that_exists_is_kept(useradd: Path) -> None:
    postgres_user.ensure_user("root")
    assert not useradd.with_name("useradd.arguments").exists()


def test_a_user_that_cannot_be_created_is_reported_with_what_to_do(useradd: Path) -> None:
    useradd.write_text("#!/bin/sh\necho cannot lock /etc/passwd >&2\nexit 1\n")
    with pytest.raises(ImproperlyConfigured) as refused:
        postgres_user.ensure_user(ABSENT)
    assert "cannot be created: cannot lock /etc/passwd. Create it (`useradd " in str(refused.value)
    useradd.unlink()
    with pytest.raises(ImproperlyConfigured, match="or run this as another user"):
        postgres_user.ensure_user(ABSENT)


def test_the_wheel_creates_its_user_so() -> None:
    assert postgres.postgres_server.ensure_user_exists is postgres_user.ensure_user


def test_as_root_an_index_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(postgres_user, "NAME", ABSENT)
    monkeypatch.setattr(Path, "stat", lambda _: SimpleNamespace(st_uid=1000))
    with pytest.raises(ImproperlyConfigured, match="belongs to the user with the id 1000"):
        postgres_user.require_own(tmp_path)
