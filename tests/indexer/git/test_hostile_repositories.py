"""No program that a repository names is run, wherever it names it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.errors import ConfigurationError, GitError, UntrustedRepositoryError
from indexer.git.local import WorkingCopy
from indexer.git.repository import Repository
from tests.indexer.planted import MAIN, Planted, ask_everything
from tests.indexer.repositories import Sandbox

ROOT = Path(__file__).resolve().parents[3]
# {p} is the program, {h} a directory of hooks that are the program, {r} the remote's address.
SETTINGS = {
    "fsmonitor": {"core.fsmonitor": "{p}"},
    "hooks": {"core.hooksPath": "{h}"},
    "ssh": {"core.sshCommand": "{p}"},  # the remote is no ssh server
    "proxy": {"core.gitProxy": "{p}", "remote.origin.proxy": "{p}"},
    "alternates": {"core.alternateRefsCommand": "{p}"},
    "credential": {"credential.helper": "!{p}", "core.askPass": "{p}"},
    "diff": {"diff.external": "{p}"},
    "diff driver": {"diff.x.command": "{p}", "diff.x.textconv": "{p}", "merge.x.driver": "{p}"},
    "filter": {"filter.x.clean": "{p}", "filter.x.smudge": "{p}"},
    "filter process": {"filter.x.process": "{p}"},
    "packs": {"uploadpack.packObjectsHook": "{p}", "remote.origin.receivepack": "{p}"},
    "remote helper": {"remote.origin.vcs": "ext"},
    "address": {"url.ext::{p}.insteadOf": "{r}"},
    "signature": {"gpg.program": "{p}", "gpg.ssh.program": "{p}"},
    "terminal": {
        "core.editor": "{p}",
        "core.pager": "{p}",
        "pager.diff-tree": "{p}",
        "sequence.editor": "{p}",
        "interactive.diffFilter": "{p}",
        "browser.x.cmd": "{p}",
    },
    "others": {"trailer.x.command": "{p}", "submodule.x.update": "!{p}"},
    "alias": {
        f"alias.{name}": "!{p}"
        for name in (
            "rev-parse", "symbolic-ref", "remote", "ls-remote", "fetch", "merge-base", "cat-file",
            "diff-tree", "ls-tree", "config", "check-attr", "check-ignore", "ls-files", "version",
            "update-index", "write-tree", "commit-tree", "hash-object", "rev-list", "init",
        )
    },
}  # fmt: skip
# Beside each: what else has to be so for git to run the program.
ALWAYS = {
    "protocol.ext.allow": "always",
    "commit.gpgSign": "true",
    "log.showSignature": "true",
    "filter.x.required": "true",
    "gc.auto": "1",
    "fetch.recurseSubmodules": "true",
    "submodule.recurse": "true",
    "core.safecrlf": "true",
}
MARKS = "* diff=x filter=x merge=x text\n"


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    return Planted(tmp_path / "planted")


@pytest.fixture
def origin(tmp_path: Path) -> Sandbox:
    origin = Sandbox(tmp_path / "origin")
    origin.commit("first", {"a.py": "a = 1\n", ".gitattributes": MARKS})
    origin.commit("second", {"a.py": "a = 2\n"})
    return origin


def with_values(settings: dict[str, str], planted: Planted, origin: Sandbox) -> dict[str, str]:
    values = {"p": planted.path, "h": planted.hooks, "r": f"file://{origin.path}"}
    return {name.format(**values): value.format(**values) for name, value in settings.items()}


# What a commit can contain


def committed_bare(origin: Sandbox, planted: Planted, name: str = "docs") -> Path:
    """A bare repository as a directory of files of a commit, checked out."""
    bare = origin.path / name
    origin.git("init", "--quiet", "--bare", name)
    origin.git("-C", name, "fetch", "--quiet", str(origin.path), "main:main")
    origin.git("-C", name, "symbolic-ref", "HEAD", MAIN)
    every = {name: value for group in SETTINGS.values() for name, value in group.items()}
    settings = with_values(every | ALWAYS, planted, origin) | {
        "remote.origin.url": "ssh://example.invalid/evil.git",
        "remote.origin.promisor": "true",
    }
    del settings["remote.origin.vcs"]
    for setting, value in settings.items():
        origin.git("config", "--file", f"{name}/config", setting, value)
    (bare / "refs" / "keep").write_text("")
    origin.git("add", "--force", name)
    origin.git("commit", "--quiet", "-m", "bring it")
    return bare


def test_git_itself_obeys_a_bare_repository_that_a_commit_brought(
    origin: Sandbox, planted: Planted
) -> None:
    """So that the tests below can fail."""
    bare = committed_bare(origin, planted)
    subprocess.run(["git", "ls-remote", "origin"], cwd=bare, check=False, capture_output=True)
    assert "example.invalid" in planted.traces


@pytest.mark.parametrize("inside", ["docs", "docs/objects", "docs/refs/heads"])
@pytest.mark.parametrize("kind", [Repository, WorkingCopy])
def test_a_bare_repository_inside_of_a_work_tree_is_refused(
    origin: Sandbox, planted: Planted, inside: str, kind: type[Repository]
) -> None:
    committed_bare(origin, planted)
    with pytest.raises(
        UntrustedRepositoryError, match=r"A commit may have created it.* Specify .* --path"
    ):
        kind(origin.path / inside)
    assert planted.traces == ""


@pytest.mark.parametrize("command", ["run", "impact"])
def test_the_indexer_ends_with_what_to_do_in_one(
    origin: Sandbox, planted: Planted, command: str
) -> None:
    bare = committed_bare(origin, planted)
    environ = os.environ | {"AETERNA_URL": "http://127.0.0.1:1", "AETERNA_TOKEN": "t"}
    done = subprocess.run(
        [sys.executable, "-I", "-m", "indexer", command],
        cwd=bare, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "A commit may have created it" in done.stderr
    assert planted.traces == ""


@pytest.mark.parametrize("indirection", ["gitdir", "link"])
def test_one_that_another_work_tree_points_at_is_refused(
    origin: Sandbox, planted: Planted, tmp_path: Path, indirection: str
) -> None:
    bare = committed_bare(origin, planted)
    elsewhere = tmp_path / "unpacked"
    elsewhere.mkdir()
    if indirection == "link":
        (elsewhere / ".git").symlink_to(bare)
    else:
        (elsewhere / ".git").write_text(f"gitdir: {bare}\n")
    with pytest.raises(UntrustedRepositoryError, match="A commit may have created it"):
        Repository(elsewhere)
    assert planted.traces == ""


def test_a_bare_repository_that_is_named_itself_is_opened_and_none_from_inside_of_it(
    origin: Sandbox, tmp_path: Path
) -> None:
    bare = origin.clone_to(tmp_path / "bare.git", "--bare").path
    repository = Repository(bare)
    assert [entry.path for entry in repository.tree("main")] == [".gitattributes", "a.py"]
    assert repository.root == bare
    repository.close()
    with pytest.raises(GitError, match="inside of the bare repository"):
        Repository(bare / "refs")


def test_a_bare_repository_beside_its_own_work_trees_is_opened(
    origin: Sandbox, tmp_path: Path
) -> None:
    whole = tmp_path / "whole"
    bare = origin.clone_to(whole / ".bare", "--bare")
    (whole / ".git").write_text("gitdir: ./.bare\n")
    bare.git("worktree", "add", "--quiet", str(whole / "main"), "main")
    for path in (whole / "main", whole / ".bare"):
        repository = Repository(path)
        assert [entry.path for entry in repository.tree("HEAD")] == [".gitattributes", "a.py"]
        repository.close()


def test_the_work_tree_is_where_the_repository_is_whatever_its_settings_say(
    origin: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.py").write_text("key = 1\n")
    origin.git("config", "core.worktree", str(tmp_path / "secret"))
    repository = WorkingCopy(origin.path)
    assert repository.root == origin.path
    listed = repository.run("ls-files", "-z", "-o", "--exclude-standard")
    repository.close()
    assert b"key.py" not in listed


# What the checkout's own settings can hold


@pytest.fixture
def clone(origin: Sandbox, tmp_path: Path) -> Sandbox:
    """A shallow clone of a repository with alternates and a submodule."""
    inner = Sandbox(tmp_path / "inner")
    inner.commit("inner", {"x": "x"})
    origin.git("submodule", "--quiet", "add", f"file://{inner.path}", "part")
    origin.commit("third")
    clone = origin.clone_to(tmp_path / "clone", "--depth=1", "--recurse-submodules")
    (clone.path / ".git/objects/info/alternates").write_text(f"{inner.path}/.git/objects\n")
    return clone


@pytest.mark.parametrize("kind", SETTINGS)
def test_no_setting_of_the_checkout_has_a_program_run(
    clone: Sandbox, origin: Sandbox, planted: Planted, tmp_path: Path, kind: str
) -> None:
    settings = with_values(ALWAYS | SETTINGS[kind], planted, origin)
    included = tmp_path / "included"
    for repository in (clone.path / ".git", clone.path / ".git/modules/part"):
        with (repository / "config").open("a") as config:
            config.write(f"[include]\n\tpath = {included}\n")
    for name, value in settings.items():
        clone.git("config", "--file", str(included), name, value)
    newer = origin.commit("newer", {"n.py": "n = 1\n"})
    ask_everything(clone_of(clone), tmp_path / "apart", newer=newer)
    assert planted.traces == ""


def clone_of(clone: Sandbox) -> Sandbox:
    """The same, without the settings, for what the test itself asks."""
    plain = object.__new__(Plain)
    plain.path = clone.path
    return plain


class Plain(Sandbox):
    """Asks git with settings that run nothing."""

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        quiet = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
        return super().git(*quiet, "-c", "core.pager=cat", *arguments, stdin=stdin)


def test_hooks_of_the_checkout_are_not_run(
    clone: Sandbox, origin: Sandbox, planted: Planted, tmp_path: Path
) -> None:
    hooks = clone.path / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in planted.hooks.iterdir():
        (hooks / hook.name).symlink_to(hook)
    newer = origin.commit("newer", {"n.py": "n = 1\n"})
    ask_everything(clone_of(clone), tmp_path / "apart", newer=newer)
    assert planted.traces == ""


def test_a_program_for_fetching_is_refused_and_taken_from_the_user_alone(
    clone: Sandbox, planted: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone.git("config", "remote.origin.uploadpack", str(planted.path))
    repository = Repository(clone.path)
    for ask in (repository.unshallow, lambda: repository.branch_head(MAIN)):
        with pytest.raises(ConfigurationError, match="git config --local --unset-all"):
            ask()
    repository.close()
    assert planted.traces == ""
    clone.git("config", "remote.origin.promisor", "true")
    with pytest.raises(ConfigurationError, match="--unset-all"):
        Repository(clone.path)  # which may fetch with any command
    WorkingCopy(clone.path).close()  # which never does
    clone.git("config", "--unset", "remote.origin.promisor")
    clone.git("config", "--unset", "remote.origin.uploadpack")
    users = tmp_path / "users.config"
    clone.git("config", "--file", str(users), "remote.origin.uploadpack", str(planted.path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(users))
    with pytest.raises(GitError):
        Repository(clone.path).branch_head(MAIN)
    assert planted.traces


def test_what_reaches_the_remote_is_run_by_commands_that_ask_it_alone(
    origin: Sandbox, planted: Planted
) -> None:
    """An ssh command and a credential helper are the user's way to the remote."""
    origin.git("remote", "add", "origin", "ssh://example.invalid/a.git")
    origin.git("config", "core.sshCommand", str(planted.path))
    origin.git("config", "remote.origin.promisor", "true")
    local = WorkingCopy(origin.path)
    assert not local.has_commit("0" * 39 + "1")
    local.close()
    assert planted.traces == ""
    with pytest.raises(GitError):
        Repository(origin.path).branch_head(MAIN)
    assert "example.invalid" in planted.traces


# What the caller's environment can hold

VARIABLES = {
    "another repository": {
        "GIT_DIR": "{elsewhere}/.git",
        "GIT_WORK_TREE": "{elsewhere}",
        "GIT_COMMON_DIR": "{elsewhere}/.git",
        "GIT_INDEX_FILE": "{elsewhere}/index",
        "GIT_OBJECT_DIRECTORY": "{elsewhere}/.git/objects",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": "{elsewhere}/.git/objects",
        "GIT_NAMESPACE": "elsewhere",
        "GIT_SHALLOW_FILE": "{elsewhere}/shallow",
        "GIT_GRAFT_FILE": "{elsewhere}/grafts",
        "GIT_CONFIG": "{elsewhere}/.git/config",
    },
    "a program": {
        "GIT_EXEC_PATH": "{bin}",
        "GIT_TEMPLATE_DIR": "{bin}",
        "GIT_EXTERNAL_DIFF": "{p}",
        "GIT_PROXY_COMMAND": "{p}",
        "GIT_ASKPASS": "{p}",
        "GIT_PAGER": "{p}",
        "GIT_EDITOR": "{p}",
        "GIT_SEQUENCE_EDITOR": "{p}",
        "GIT_CONFIG_PARAMETERS": "'diff.external'='{p}'",
    },
    "a file to write": {
        "GIT_TRACE": "{bin}/trace",
        "GIT_TRACE_CURL": "{bin}/trace",
        "GIT_TRACE2_EVENT": "{bin}/trace",
        "GIT_REDIRECT_STDERR": "{bin}/trace",
    },
}


@pytest.mark.parametrize("kind", VARIABLES)
def test_no_variable_of_the_caller_is_passed_on_that_names(
    origin: Sandbox, planted: Planted, tmp_path: Path, kind: str
) -> None:
    elsewhere = Sandbox(tmp_path / "elsewhere")
    elsewhere.commit("elsewhere", {"wrong.py": ""})
    (tmp_path / "bin").mkdir()
    values = {"p": planted.path, "elsewhere": elsewhere.path, "bin": tmp_path / "bin"}
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from indexer.config.settings import consume_environment\nconsume_environment()\n"
        "from tests.indexer.planted import ask_everything\n"
        "from tests.indexer.repositories import Sandbox\n"
        "checkout = object.__new__(Sandbox)\ncheckout.path = Path(sys.argv[1])\n"
        "ask_everything(checkout, Path(sys.argv[2]), newer='0' * 40)\n"
        "from indexer.git.repository import Repository\n"
        "print([entry.path for entry in Repository(checkout.path).tree('HEAD')])\n"
    )
    environ = dict(os.environ)
    for name, value in VARIABLES[kind].items():
        environ[name] = value.format(**values)
    done = subprocess.run(
        [sys.executable, "-c", program, str(origin.path), str(tmp_path / "apart")],
        cwd=ROOT, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['.gitattributes', 'a.py']\n"
    assert planted.traces == ""
    assert list((tmp_path / "bin").iterdir()) == []


def test_a_program_is_looked_for_in_no_directory_of_the_repository(
    origin: Sandbox, planted: Planted
) -> None:
    (origin.path / "git").symlink_to(planted.path)
    environ = os.environ | {"PATH": f".:{os.environ['PATH']}", "AETERNA_URL": "http://127.0.0.1:1"}
    done = subprocess.run(
        [sys.executable, "-I", "-m", "indexer", "run"],
        cwd=origin.path, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr  # AETERNA_TOKEN is missing
    assert planted.traces == ""


# Git itself


@pytest.mark.parametrize("version", ["2.37.7", "2.30.2", "1.8.3.1"])
def test_a_git_that_would_obey_a_bare_repository_is_refused_with_what_to_do(
    origin: Sandbox, tmp_path: Path, version: str
) -> None:
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text(f"#!/bin/sh\necho git version {version}\n")
    old.chmod(0o755)
    environ = os.environ | {"PATH": f"{old.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-I", "-m", "indexer", "run"],
        cwd=origin.path, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "is too old" in done.stderr
    assert "Install git 2.38 or newer" in done.stderr
