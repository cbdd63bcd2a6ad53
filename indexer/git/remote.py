"""The remote of a clone: its branches, and history that is missing from the clone.

A checkout without a stored credential gets one for its server through the environment of the
commands that contact the remote. It is in no argument and no file, and no other command gets it.
"""

from base64 import b64encode
from typing import Final

from indexer.config.settings import GitCredential
from indexer.errors import ConfigurationError, GitError
from indexer.git.parse import repository_name, symref_target, web_url
from indexer.git.process import GitProcess

GIT_FETCH_SECONDS: Final = 3_600.0
# Run locally if the remote is a directory. Git uses the first value, so `-c` cannot replace it.
_PROGRAMS: Final = r"^remote\..*\.uploadpack$"
_QUIETLY: Final = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance")
_CHECKOUTS_OWN: Final = frozenset({"local", "worktree"})


def refuse_programs(git: GitProcess) -> None:
    """Raise ConfigurationError if the checkout's own settings name a program for fetching."""
    for scope, name in git.configured(_PROGRAMS):
        if scope in _CHECKOUTS_OWN:
            raise ConfigurationError(
                f"the checkout's own setting {name} names a program, which is never run. Remove it "
                f"with `git config --{scope} --unset-all {name}`; if the server needs it, set it "
                "with `git config --global`"
            )


class Remote:
    """`origin`, or the first remote if there is none of that name."""

    def __init__(self, git: GitProcess, name: str, credential: GitCredential | None) -> None:
        self._git = git
        self._name = name
        self._credential = credential

    @classmethod
    def of(cls, git: GitProcess, credential: GitCredential | None) -> "Remote | None":
        """Return the clone's remote; None for a repository without one."""
        names = git.text("remote").split()
        if not names:
            return None
        return cls(git, "origin" if "origin" in names else names[0], credential)

    def web_url(self) -> str | None:
        """Return the repository's web page; None if the address is a path."""
        return web_url(self._address())

    def repository_name(self) -> str:
        """Return the last part of the address; "" if it names nothing."""
        return repository_name(self._address())

    def default_branch(self) -> str | None:
        """Return the default branch (`refs/heads/…`); None if the remote does not report it."""
        prefix = f"refs/remotes/{self._name}/"
        status, out, _ = self._git.attempt("symbolic-ref", "--quiet", f"{prefix}HEAD")
        if not status:
            return "refs/heads/" + out.decode(errors="replace").strip().removeprefix(prefix)
        return symref_target(self._contact("ls-remote", "--symref", self._name, "HEAD")[1])

    def branch_head(self, ref: str) -> str | None:
        """Return the commit of `ref`, None if there is none. Raises GitError without an answer."""
        status, out, problem = self._contact("ls-remote", self._name, ref)
        if status:
            raise GitError(f"git ls-remote failed: {problem}")
        found = [line.split("\t") for line in out.decode(errors="replace").splitlines()]
        return next((sha for sha, name in found if name == ref), None)

    def fetch(self, commit: str) -> None:
        """Request a commit without moving any ref; check its presence afterwards."""
        self._contact("fetch", *_QUIETLY, "--no-write-fetch-head", self._name, commit)

    def unshallow(self) -> str:
        """Fetch the missing history of a shallow clone; return git's error message, or ""."""
        status, _, problem = self._contact("fetch", *_QUIETLY, "--unshallow", self._name)
        return problem if status else ""

    def _address(self) -> str:
        return self._git.text("remote", "get-url", self._name)

    def _contact(self, *arguments: str) -> tuple[int, bytes, str]:
        """Run a command with the credential, if there is one for this remote; see `attempt`."""
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
        """Return git's options and environment that pass the credential, if it is needed.

        Git would send its headers to the target of a redirect, so redirects are disabled.
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
        """Whether the remote is at the server and no credential is configured for it.

        It may be in the address or in git's settings.
        """
        if not self._address().lower().startswith(f"{server_url.lower()}/"):
            return False
        _, out, _ = self._git.attempt("config", "--null", "--get-regexp", r"^http\..*extraheader$")
        ours = ("http.extraheader", f"http.{server_url.lower()}")
        headers = [entry.partition("\n") for entry in out.decode(errors="replace").split("\0")]
        return not any(
            key.lower().startswith(ours) and value.lower().startswith("authorization:")
            for key, _, value in headers
        )
