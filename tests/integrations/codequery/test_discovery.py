"""Which files are uploaded, and which never are."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.integrations.codequery.configuration import DiscoveryRules
from aeterna_code_search.integrations.codequery.discovery import (
    DiscoveredFiles,
    discovered_files,
    named_files,
    read_inside,
)
from aeterna_code_search.integrations.codequery.errors import CodeQueryError
from aeterna_code_search.integrations.codequery.retry import Deadline
from aeterna_code_search.integrations.codequery.secret_files import (
    is_secret_content,
    is_secret_path,
)
from scripts.local_service import temporary_workspace
from tests.integrations.codequery.conftest import Ask
from tests.integrations.codequery.openai_server import Server
from tests.property_settings import examples

NOBODY = 65_534
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\n"  # in two, as a scanner would find it here


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)


def found(
    root: Path, rules: DiscoveryRules | None = None, home: Path = Path("/nobody")
) -> DiscoveredFiles:
    return discovered_files(
        root.resolve(), rules or DiscoveryRules(), {"HOME": str(home)}, Deadline(60_000)
    )


@contextmanager
def as_ordinary_user(directory: Path) -> Iterator[None]:
    """Root reads everything; in `directory` this user may write."""
    if os.geteuid():
        yield
        return
    os.chown(directory, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def paths(root: Path, rules: DiscoveryRules | None = None) -> set[str]:
    return {one.path for one in found(root, rules).candidates}


def test_t_cq_disc_01_discovery_respects_gitignore_and_skip_dirs(tmp_path: Path) -> None:
    """FR-CQ-04, FR-CQ-05, FR-CQ-06."""
    write(
        tmp_path,
        {
            ".gitignore": "*.log\n/out/\n!keep.log\n",
            "src/.gitignore": "generated_*\n",
            ".git/info/exclude": "private.py\n",
            ".git/config": "[core]\n",
            "a.py": "a", "keep.log": "k", "b.log": "b", "out/c.py": "c", "src/out/d.py": "d",
            "src/generated_e.py": "e", "generated_e.py": "e", "private.py": "p",
            "node_modules/f.js": "f", "target/g.rs": "g", "x/dist/h.js": "h", "build/i.py": "i",
            "README.md": "m", "logo.PNG": "p", "pack.zip": "z", "tool.exe": "x",
        },
    )  # fmt: skip
    assert paths(tmp_path) == {
        ".gitignore", "a.py", "keep.log", "src/.gitignore", "src/out/d.py", "generated_e.py",
    }  # fmt: skip


def test_the_configuration_says_what_is_left_out_but_git_s_own_directory_always_is(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"a.md": "a", "b.py": "b", "build/c.go": "c", ".git/d": "d", "own/e": "e",
                     ".gitignore": "*.go\n"})  # fmt: skip
    rules = DiscoveryRules(respect_gitignore=False, skip_dirs=("own",), exclude_extensions=(".py",))
    assert paths(tmp_path, rules) == {".gitignore", "a.md", "build/c.go"}


def test_rules_of_the_checkout_hold_in_a_directory_of_it(tmp_path: Path) -> None:
    write(tmp_path, {".git/info/exclude": "excluded.py\n", ".gitignore": "/sub/a.py\n*.log\n",
                     "sub/.gitignore": "b.py\n", "sub/a.py": "a", "sub/b.py": "b",
                     "sub/c.log": "c", "sub/d.py": "d", "sub/excluded.py": "e"})  # fmt: skip
    assert paths(tmp_path / "sub") == {".gitignore", "d.py"}


def test_the_user_s_own_rules_hold_everywhere(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    write(home, {".config/git/ignore": "*.swp\n"})
    write(root, {"a.swp": "a", "b.py": "b"})
    assert [one.path for one in found(root, home=home).candidates] == ["b.py"]


NAMES = st.sampled_from(["a", "b", "a.log", "lib", "out", "[x]", "é"])
PATTERNS = st.sampled_from([
    "a", "/a", "a/", "*.log", "!a.log", "lib/", "!lib/", "lib/*", "!lib/a", "**/out", "out/**",
    "lib/**/a", "/lib/a", "!out/b", "[x]", "[ab]", "a*", "?", "\\!a", "# no", " ", "é", "*", "!*/",
    "/*", "!/lib", "a\r", "!", "[", "\\", "!!a", "!#no", "a/ ", "a\\ ", "//", "/", "lib//", "**",
    "a**", "**/", "/**/a", "lib/**/", "*/a", "!**/a", "[!a]", "[^b]", "!out/**/a.log",
])  # fmt: skip
RULES = st.lists(PATTERNS, max_size=5)


@examples(60)
@given(
    files=st.lists(st.lists(NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=9),
    rules=st.dictionaries(st.sampled_from(["", "lib/", "out/", "a/", "lib/out/"]), RULES),
)
def test_the_same_files_are_ignored_as_by_git(
    files: list[str], rules: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("tree")
    for path in files:
        if (
            not any(parent.is_file() for parent in (root / path).parents)
            and not (root / path).is_dir()
        ):
            write(root, {path: "x"})
    for directory, lines in rules.items():
        if (root / directory).is_dir():
            write(root, {f"{directory}.gitignore": "\n".join(lines) + "\n"})
    environ = {"HOME": "/nobody", "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q", root], check=True, env=environ)
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--others", "--exclude-standard"],
        cwd=root, env=environ, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    nothing = DiscoveryRules(skip_dirs=(), exclude_extensions=())
    assert paths(root, nothing) == set(filter(None, listing.split("\0"))), (files, rules)


# What is never uploaded


def test_links_lead_nowhere(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    write(outside, {"secret.py": "s", "directory/a.py": "a"})
    write(root, {"own.py": "o"})
    (root / "file.py").symlink_to(outside / "secret.py")
    (root / "directory").symlink_to(outside / "directory")
    (root / "inner.py").symlink_to("own.py")
    (root / ".gitignore").symlink_to(outside / "secret.py")
    os.mkfifo(root / "pipe.py")
    result = found(root)
    assert [one.path for one in result.candidates] == ["own.py"]
    assert result.skipped == {
        "file.py": "symlink", "directory": "symlink", "inner.py": "symlink",
        ".gitignore": "symlink", "pipe.py": "not a regular file",
    }  # fmt: skip
    named = named_files(root.resolve(), ["file.py", "directory/a.py", "own.py"])
    assert named.skipped == {"file.py": "symlink", "directory/a.py": "symlink"}
    assert read_inside(root, "directory/a.py") is None
    assert read_inside(root, "file.py") is None
    assert read_inside(root, "pipe.py") is None
    assert read_inside(root, "own.py") == b"o"


@pytest.mark.parametrize(
    "path", ["../outside.py", "/etc/passwd", "src/../../outside.py", "", "a\0b", "."]
)
def test_a_named_file_outside_is_refused(ask: Ask, server: Server, path: str) -> None:
    answer = ask(file_paths=[path])
    assert answer["error"]["code"] == "invalid_request"
    assert server.requests == []


@pytest.mark.parametrize(
    "path",
    [
        ".env", ".env.local", "config/.env.production", "prod.env", ".envrc", "tls/server.pem",
        "server.KEY", "id_rsa", ".ssh/config", "credentials", "credentials.json",
        "aws-credentials.yaml", "secrets.yaml", "config/secrets.yml", ".netrc", "_netrc",
        ".aws/credentials", ".git/config", "keystore.jks", "client_secret_1.json",
        "my-service-account.json", "terraform.tfstate", ".pypirc", ".git-credentials",
        ".docker/config.json", "secrets.prod.json", "secrets.prod.eu.json", ".envrc.local",
        "prod.kubeconfig", "prod-kubeconfig.yaml", "terraform.tfstate.1699.backup", ".env~",
        "#.env#", "server.key~", "credentials.json~", "id_ed25519_work", "id_rsa.old",
        "caf\u00e9-credentials.json", "s\u00e9crets.yaml", "my credentials.json",
        "credentials (1).csv", ".vault_pass", "vault_pass.txt", "credentials copy.json",
    ],
)  # fmt: skip
def test_a_path_that_is_a_secret(path: str) -> None:
    assert is_secret_path(path)


@pytest.mark.parametrize(
    "path",
    ["secrets.py", "src/credentials.go", "keys.py", "environment.ts", "token.rs", "tokens/a.py",
     "password_reset.html", "src/secret_store/main.py", ".gitignore", "id_rsa.pub",
     "id_rsa_parser.go", "copy.py", "secret_copy.py", "passwords~test.py"],
)  # fmt: skip
def test_code_about_secrets_is_code(path: str) -> None:
    assert not is_secret_path(path)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.txt", PEM),
        ("a.py", f'KEY = """{PEM}"""'),
        (".npmrc", "//registry.npmjs.org/:_authToken=abc123"),
        ("a.json", '{"type": "service_account", "private_key": "x"}'),
        ("a.py", "token = 'ghp_" + "a" * 36 + "'"),
        ("a.py", "key = 'AKIA" + "A" * 16 + "'"),
        ("a.py", "key = 'sk-proj-" + "a" * 48 + "'"),
        ("a.yaml", "client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFU"),
        ("a.txt", "---- BEGIN SSH2 ENCRYPTED PRIVATE " + "KEY ----"),
        ("a.txt", "AGE-SECRET-KEY-" + "1" + "Q" * 58),
        ("a.py", "token = 'hf_" + "a" * 34 + "'"),
        ("a.py", "key = 'SG." + "a" * 22 + "." + "b" * 43 + "'"),
    ],
)
def test_content_that_is_a_secret(path: str, content: str) -> None:
    assert is_secret_content(path, content.encode())


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", "_password = ask()\nuser_auth = None\n"),
        (".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}"),
        ("task-list.py", "name = 'task-" + "a" * 50 + "'"),
    ],
)
def test_content_that_is_none(path: str, content: str) -> None:
    assert not is_secret_content(path, content.encode())


def test_secrets_and_binaries_are_never_uploaded_not_even_if_they_are_named(
    ask: Ask, server: Server, checkout: Path
) -> None:
    """NFR-CQ-SEC-02."""
    hostile = {
        ".env": "TOKEN=hidden", "key.py": PEM, "data.py": b"\0\1hidden", "latin.py": b"\xe9hidden",
        "empty.py": "", "secrets.yaml": "hidden", "large.py": "hidden" * 200_000,
    }  # fmt: skip
    write(checkout, hostile)
    assert ask()["indexed_count"] == 2
    answer = ask(file_paths=[*hostile, "src/tokens.py"])
    assert {one["path"]: one["reason"] for one in answer["skipped"]} == {
        ".env": "looks like a secret", "key.py": "looks like a secret", "data.py": "binary",
        "latin.py": "binary", "empty.py": "empty", "secrets.yaml": "looks like a secret",
        "large.py": "larger than 1,048,576 bytes",
    }  # fmt: skip
    assert answer["status"] == "ok"
    assert answer["skipped_count"] == 8
    contents = b"".join(content for _, content in server.uploaded)
    assert b"hidden" not in contents
    assert b"PRIVATE" not in contents


def test_a_file_that_becomes_a_secret_is_taken_out_of_the_store(
    ask: Ask, server: Server, checkout: Path
) -> None:
    ask()
    write(checkout, {"src/tokens.py": PEM})
    answer = ask()
    assert answer["deleted_count"] == 1
    assert server.paths(answer["vector_store_id"]).keys() == {"src/login.go"}


# A hostile checkout


@pytest.mark.parametrize(
    "rules",
    ["x" * 300_000, "a\n" * 6_000, "?" * 65 + "\n", "y" * 2_000 + "\n"],
    ids=["bytes", "patterns", "wildcards", "length"],
)
def test_a_directory_whose_rules_are_too_many_to_read_is_left_out(
    tmp_path: Path, rules: str
) -> None:
    write(tmp_path, {"a.py": "a", "sub/.gitignore": rules, "sub/b.py": "b"})
    result = found(tmp_path)
    assert [one.path for one in result.candidates] == ["a.py"]
    assert result.skipped == {
        "sub/.gitignore": "too many rules to be read: its directory is skipped"
    }


def test_a_directory_called_gitignore_keeps_nothing_open(tmp_path: Path) -> None:
    """Else a checkout of many would use up what a process may open."""
    write(tmp_path, {f"d{number}/.gitignore/a.py": "a" for number in range(9)})
    before = len(list(Path("/dev/fd").iterdir()))
    assert len(found(tmp_path).candidates) == 9
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_directory_whose_rules_cannot_be_read_is_left_out() -> None:
    with temporary_workspace("aeterna-rules-") as directory, as_ordinary_user(directory):
        write(directory, {"a.py": "a", "sub/.gitignore": "b.py\n", "sub/b.py": "b"})
        (directory / "sub/.gitignore").chmod(0)
        result = found(directory)
    assert [one.path for one in result.candidates] == ["a.py"]
    assert "sub/.gitignore" in result.skipped


def test_a_directory_that_git_ignores_is_refused(tmp_path: Path) -> None:
    """Its own rules cannot take it back, as they cannot for git."""
    write(tmp_path, {".git/config": "", ".gitignore": "private/\n", "private/.gitignore": "!*\n",
                     "private/a.py": "a", "private/sub/b.py": "b"})  # fmt: skip
    for directory in (tmp_path / "private", tmp_path / "private/sub"):
        with pytest.raises(CodeQueryError, match="is ignored by"):
            found(directory)


def test_rules_of_a_nested_checkout_of_its_own_hold(tmp_path: Path) -> None:
    write(tmp_path, {"sub/.git/info/exclude": "private.py\n", "sub/private.py": "p",
                     "sub/deep/private.py": "p", "sub/a.py": "a", "private.py": "o",
                     "linked/.git": "gitdir: ../modules/linked\n", "linked/private.py": "p",
                     "modules/linked/info/exclude": "*.py\n"})  # fmt: skip
    assert {path for path in paths(tmp_path) if path.endswith(".py")} == {"sub/a.py", "private.py"}


def test_a_home_directory_is_no_project(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "a"})
    with pytest.raises(CodeQueryError, match="is not a project"):
        found(tmp_path, home=tmp_path)
    with pytest.raises(CodeQueryError, match="is not a project"):
        found(tmp_path, home=tmp_path / "user")


def test_bounds_on_files_and_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.py": "aaaa", "b.py": "bbbb"})
    monkeypatch.setattr("aeterna_code_search.integrations.codequery.discovery.CODEQUERY_BYTES", 7)
    with pytest.raises(CodeQueryError, match="too many files"):
        found(tmp_path)
    monkeypatch.setattr("aeterna_code_search.integrations.codequery.discovery.CODEQUERY_BYTES", 8)
    monkeypatch.setattr("aeterna_code_search.integrations.codequery.discovery.CODEQUERY_FILES", 1)
    with pytest.raises(CodeQueryError, match="too many files"):
        found(tmp_path)
    monkeypatch.setattr("aeterna_code_search.integrations.codequery.discovery.CODEQUERY_ENTRIES", 1)
    with pytest.raises(CodeQueryError, match="more than 1 entries"):
        found(tmp_path)


def test_a_path_that_cannot_be_an_attribute_is_left_out(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text("x")
    (tmp_path / "line\nbreak.py").write_text("x")
    deep = tmp_path.joinpath(*["d" * 100] * 5)
    write(deep, {"long-enough.py": "x"})
    assert {*found(tmp_path).skipped.values()} == {
        "its path cannot be written as an attribute", "its path has more than 512 characters",
    }  # fmt: skip
    assert found(tmp_path).candidates == []
