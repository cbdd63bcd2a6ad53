"""The remote of a clone: its branches, and history that the clone lacks.

A checkout that kept no credential is given one for its server, by the environment of the commands
that talk to the remote: it is neither in an argument nor in a file, and no other command has it.
"""

from base64 import b64encode

from indexer.config import GitCredential
from indexer.errors import GitError
from indexer.listing import symref_target, web_url
from indexer.plumbing import Plumbing


class Remote:
    """`origin`, or the first remote if there is none of that name."""

    def __init__(self, git: Plumbing, name: str, credential: GitCredential | None) -> None:
        self._git = git
        self._name = name
        self._credential = credential

    @classmethod
    def of(cls, git: Plumbing, credential: GitCredential | None) -> "Remote | None":
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
            return "refs/heads/" + out.decode().strip().removeprefix(prefix)
        return symref_target(self._ask("ls-remote", "--symref", self._name, "HEAD")[1])

    def tip(self, ref: str) -> str | None:
        """The commit of `ref`; None: no such ref. Raises GitError if the remote does not answer."""
        status, out, problem = self._ask("ls-remote", self._name, ref)
        if status:
            raise GitError(f"git ls-remote failed: {problem}")
        found = [line.split("\t") for line in out.decode(errors="replace").splitlines()]
        return next((sha for sha, name in found if name == ref), None)

    def fetch(self, commit: str) -> None:
        """Ask for a commit. No ref is moved; whether it came is seen by looking for it."""
        self._ask("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", self._name, commit)

    def unshallow(self) -> str:
        """Ask for the history that a shallow clone lacks; answers git's complaint, or nothing."""
        status, _, problem = self._ask("fetch", "--quiet", "--unshallow", "--no-tags", self._name)
        return problem if status else ""

    def _address(self) -> str:
        return self._git.text("remote", "get-url", self._name)

    def _ask(self, *arguments: str) -> tuple[int, bytes, str]:
        """As `attempt`, with the credential where there is one for this remote.

        Git keeps its headers when it follows a redirection to another server, so it follows none.
        """
        credential = self._credential
        if credential is None or not self._lacks_credential(credential.server_url):
            return self._git.attempt(*arguments)
        basic = b64encode(f"x-access-token:{credential.token}".encode()).decode()
        key = f"http.{credential.server_url}/"
        return self._git.attempt(
            f"--config-env={key}.extraHeader=AETERNA_GIT_HEADER",
            "-c", f"{key}.followRedirects=false", *arguments,
            AETERNA_GIT_HEADER=f"AUTHORIZATION: basic {basic}",
        )  # fmt: skip

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
