"""The remote of a clone: its branches, and history that the clone lacks.

A checkout that kept no credential is given one for its server, by the environment of the commands
that talk to the remote: it is neither in an argument nor in a file, and no other command has it.
"""

from base64 import b64encode
from typing import Final

from indexer.config.settings import GitCredential
from indexer.errors import ConfigurationError, GitError
from indexer.git.parse import symref_target, web_url
from indexer.git.process import GitProcess
from indexer.limits import GIT_FETCH_SECONDS

# Run here, where the remote is a directory. Git takes the first value, so `-c` cannot replace it.
_PROGRAMS: Final = r"^remote\..*\.uploadpack$"
_QUIETLY: Final = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance")
_CHECKOUTS_OWN: Final = frozenset({"local", "worktree"})


def refuse_programs(git: GitProcess) -> None:
    """Raise ConfigurationError if the checkout's own settings name a program for fetching."""
    for scope, name in git.configured(_PROGRAMS):
        if scope in _CHECKOUTS_OWN:
            raise ConfigurationError(
                f"the checkout's own setting {name} names a program, which is not run for it. "
                f"Take it back with `git config --{scope} --unset-all {name}`; if the server needs "
                "it, set it with `git config --global`"
            )


class Remote:
    """`origin`, or the first remote if there is none of that name."""

    def __init__(self, git: GitProcess, name: str, credential: GitCredential | None) -> None:
        self._git = git
        self._name = name
        self._credential = credential

    @classmethod
    def of(cls, git: GitProcess, credential: GitCredential | None) -> "Remote | None":
        """The clone's remote; None for a repository without one."""
        names = git.text("remote").split()
        if not names:
            return None
        return cls(git, "origin" if "origin" in names else names[0], credential)

    def web_url(self) -> str | None:
        """Where people see the repository; None if the address is a path."""
        return web_url(self._address())

    def default_branch(self) -> str | None:
        """Its default branch (`refs/heads/…`); None: it does not say."""
        prefix = f"refs/remotes/{self._name}/"
        status, out, _ = self._git.attempt("symbolic-ref", "--quiet", f"{prefix}HEAD")
        if not status:
            return "refs/heads/" + out.decode(errors="replace").strip().removeprefix(prefix)
        return symref_target(self._ask("ls-remote", "--symref", self._name, "HEAD")[1])

    def branch_head(self, ref: str) -> str | None:
        """The commit of `ref`; None: no such ref. Raises GitError if the remote does not answer."""
        status, out, problem = self._ask("ls-remote", self._name, ref)
        if status:
            raise GitError(f"git ls-remote failed: {problem}")
        found = [line.split("\t") for line in out.decode(errors="replace").splitlines()]
        return next((sha for sha, name in found if name == ref), None)

    def fetch(self, commit: str) -> None:
        """Ask for a commit. No ref is moved; whether it came is seen by looking for it."""
        self._ask("fetch", *_QUIETLY, "--no-write-fetch-head", self._name, commit)

    def unshallow(self) -> str:
        """Ask for the history that a shallow clone lacks; answers git's complaint, or nothing."""
        status, _, problem = self._ask("fetch", *_QUIETLY, "--unshallow", self._name)
        return problem if status else ""

    def _address(self) -> str:
        return self._git.text("remote", "get-url", self._name)

    def _ask(self, *arguments: str) -> tuple[int, bytes, str]:
        """As `attempt`, with the credential where there is one for this remote."""
        refuse_programs(self._git)
        options, environment = self._credential_options()
        return self._git.attempt(
            *options,
            *arguments,
            environment=environment,
            may_fetch=True,
            seconds=GIT_FETCH_SECONDS,
        )

    def _credential_options(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """Git's own options, and the environment, that give it the credential if it is needed.

        Git keeps its headers when it follows a redirection to another server, so it follows none.
        """
        credential = self._credential
        if credential is None or not self._lacks_credential(credential.server_url):
            return (), {}
        basic = b64encode(f"x-access-token:{credential.token}".encode()).decode()
        key = f"http.{credential.server_url}/"
        options = (
            f"--config-env={key}.extraHeader=AETERNA_GIT_HEADER",
            *("-c", f"{key}.followRedirects=false"),
        )
        return options, {"AETERNA_GIT_HEADER": f"AUTHORIZATION: basic {basic}"}

    def _lacks_credential(self, server_url: str) -> bool:
        """Whether the address is at the server, and neither it nor git's configuration has one."""
        if not self._address().lower().startswith(f"{server_url.lower()}/"):
            return False
        _, out, _ = self._git.attempt("config", "--null", "--get-regexp", r"^http\..*extraheader$")
        ours = ("http.extraheader", f"http.{server_url.lower()}")
        headers = [entry.partition("\n") for entry in out.decode(errors="replace").split("\0")]
        return not any(
            key.lower().startswith(ours) and value.lower().startswith("authorization:")
            for key, _, value in headers
        )
