"""GitHub as it really is: repositories by id, and what is signed about them, with its time.

The service is told of it late, in any order, more than once or never. What it may show of a
repository is a function of what was signed and did arrive: `Known`, written apart from the service.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.central.github import payloads

OWNER_ID = 9919
STRANGER_ID = 5
RANK = ("public", "internal", "private")


@dataclass
class Real:
    """A repository on GitHub."""

    id: int
    name: str
    visibility: str
    branch: str = "main"
    exists: bool = True


@dataclass
class Known:
    """What was signed of one repository, and has arrived."""

    visibilities: list[tuple[int, str]] = field(default_factory=list)
    names: list[tuple[int, str]] = field(default_factory=list)
    is_listed_public: bool = False
    is_removed: bool = False
    said: str | None = None  # the name that a credential of the whole organisation gave it since

    @property
    def visibility(self) -> str:
        """What was signed last; of several in one second the most private; unknown is private."""
        if not self.visibilities:
            return "public" if self.is_listed_public else "private"
        last = max(at for at, _ in self.visibilities)
        return max((told for at, told in self.visibilities if at == last), key=RANK.index)

    @property
    def names_now(self) -> set[str]:
        """What it may be called: as signed last, or as was said without a signature since."""
        last = max((at for at, _ in self.names), default=None)
        signed = {name for at, name in self.names if at == last}
        return signed | ({self.said} if self.said else set())

    def name(self, at: int, name: str) -> None:
        """A signed name arrived."""
        if not self.names or at >= max(time for time, _ in self.names):
            self.said = None
        self.names.append((at, name))


@dataclass(frozen=True)
class Message:
    """A webhook that GitHub has signed; `at` is its clock."""

    at: int
    event: str
    payload: dict[str, Any]
    about: tuple[Real, ...]  # as they were


@dataclass(frozen=True)
class IdToken:
    """What GitHub signed of a job."""

    at: int
    real: Real  # as it was
    number: int

    @property
    def files(self) -> dict[str, str]:
        """The job's commit: one line that says of which repository it is."""
        return content(self.real.id, self.number)


def content(repository_id: int, number: int) -> dict[str, str]:
    """A commit of a real repository."""
    return {"a.py": f"def recipe {marker(repository_id)} n{number}\n"}


def marker(repository_id: int) -> str:
    return f"marker{repository_id}"


class World:
    """GitHub, its clock and the messages that it has sent."""

    def __init__(self) -> None:
        self.start = datetime.now(UTC).replace(microsecond=0) - timedelta(seconds=900)
        self.clock = 0
        self.repositories: dict[int, Real] = {}
        self.sent: list[Message] = []
        self.pending: list[Message] = []
        self.known: dict[int, Known] = {}
        self.commits = 0

    def moment(self, at: int) -> datetime:
        return self.start + timedelta(seconds=at)

    def there(self) -> list[Real]:
        return [real for real in self.repositories.values() if real.exists]

    def free_names(self) -> Iterator[str]:
        taken = {real.name for real in self.there()}
        return (name for name in ("ash", "elm", "oak", "yew") if name not in taken)

    # --- What happens on GitHub -------------------------------------------------------------------

    def create(self, name: str, visibility: str) -> Real:
        real = Real(701 + len(self.repositories), name, visibility)
        self.repositories[real.id] = real
        self.known[real.id] = Known()
        self.tell(real, "created")
        return real

    def tell(self, real: Real, action: str, **members: Any) -> None:
        """Send a `repository` event with the repository as it is now."""
        payload = payloads.on_repository(action, repository=self._told(real), **members)
        self._send("repository", payload, (Real(**vars(real)),))

    def transfer(self, real: Real) -> None:
        real.exists = False
        told = self._told(real) | {"owner": payloads.owner(STRANGER_ID)}
        changes = {"owner": {"from": {"organization": payloads.owner(OWNER_ID)}}}
        payload = payloads.on_repository("transferred", repository=told, changes=changes)
        self._send("repository", payload, (Real(**vars(real)),))

    def list_repositories(self) -> None:
        """The App is installed: GitHub lists what it may see, without a time."""
        listed = [
            payloads.listed(real.name, real.id, private=real.visibility != "public")
            for real in self.there()
        ]
        payload = payloads.installation("created", repositories=listed)
        payload["installation"]["account"] = payloads.owner(OWNER_ID)
        self._send("installation", payload, tuple(Real(**vars(real)) for real in self.there()))

    def id_token(self, real: Real) -> IdToken:
        self.commits += 1
        return IdToken(self.clock, Real(**vars(real)), self.commits)

    def _told(self, real: Real) -> dict[str, Any]:
        return payloads.repository(
            real.name,
            id=real.id,
            owner=payloads.owner(OWNER_ID),
            private=real.visibility != "public",
            visibility=real.visibility,
            default_branch=real.branch,
            updated_at=self.moment(self.clock).isoformat(),
        )

    def _send(self, event: str, payload: dict[str, Any], about: tuple[Real, ...]) -> None:
        message = Message(self.clock, event, payload, about)
        self.sent.append(message)
        self.pending.append(message)

    # --- What arrives -----------------------------------------------------------------------------

    def arrived(self, message: Message) -> None:
        """The service was given the message; from now on it may, and must, know what it says."""
        action = message.payload["action"]
        for real in message.about:
            known = self.known[real.id]
            if message.event == "installation":
                known.is_listed_public |= real.visibility == "public"
            elif action in {"deleted", "transferred"}:
                known.is_removed = True
            elif action in {"publicized", "privatized", "renamed"}:
                known.visibilities.append((message.at, real.visibility))
            if action == "renamed":
                known.name(message.at, real.name)
