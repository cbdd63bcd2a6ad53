"""What GitHub tells a job of the event that started it, as far as a workflow may ask for it.

The payloads have the shape of GitHub's documentation of events, without what nobody reads.
"""

from dataclasses import dataclass, field
from typing import Any

Payload = dict[str, Any]


@dataclass(frozen=True)
class Event:
    """An event of a repository; `github` is the context of the jobs that it starts."""

    name: str
    ref: str = "refs/heads/main"
    payload: Payload = field(default_factory=dict)
    repository: str = "acme/payments-api"

    def github(self) -> Payload:
        """The context `github`."""
        return {
            "event_name": self.name,
            "event": self.payload,
            "ref": self.ref,
            "ref_name": self.ref.split("/", 2)[2],
            "ref_type": "tag" if self.ref.startswith("refs/tags/") else "branch",
            "repository": self.repository,
            "repository_owner": self.repository.split("/")[0],
            "server_url": "https://github.com",
            "workflow": "Code index",
        }


def repository_object(
    name: str = "acme/payments-api", *, fork: bool = False, default_branch: str = "main"
) -> Payload:
    """`repository` as it stands in a payload."""
    owner, _, short = name.partition("/")
    return {
        "id": 1296269,
        "name": short,
        "full_name": name,
        "owner": {"login": owner, "id": 9919, "type": "Organization"},
        "fork": fork,
        "default_branch": default_branch,
        "private": True,
        "visibility": "private",
        "html_url": f"https://github.com/{name}",
    }


def push(
    ref: str = "refs/heads/main", *, repository: Payload | None = None, **members: Any
) -> Event:
    """A push; `members` replace what stands in the payload."""
    told = repository or repository_object()
    payload = {
        "ref": ref,
        "before": "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
        "after": "0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c",
        "created": False,
        "deleted": False,
        "forced": False,
        "base_ref": None,
        "head_commit": {"id": "0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c", "message": "Retry"},
        "repository": told,
        **members,
    }
    return Event("push", ref, payload, told["full_name"])


def branch_deletion(ref: str) -> Event:
    """The push that deletes a branch."""
    return push(ref, deleted=True, after="0" * 40, head_commit=None)


def dispatch(ref: str = "refs/heads/main", *, repository: Payload | None = None) -> Event:
    """Somebody asked for a run."""
    told = repository or repository_object()
    payload = {"ref": ref, "inputs": {"mode": "full"}, "repository": told, "workflow": "x.yml"}
    return Event("workflow_dispatch", ref, payload, told["full_name"])


def schedule(*, repository: Payload | None = None) -> Event:
    """The clock; GitHub need not say of which repository."""
    told = {"repository": repository} if repository else {}
    name = repository["full_name"] if repository else "acme/payments-api"
    return Event("schedule", payload={"schedule": "17 3 * * *", **told}, repository=name)


def pull_request(
    action: str = "synchronize",
    *,
    merged: bool = False,
    head: str | None = "acme/payments-api",
    repository: Payload | None = None,
    name: str = "pull_request",
) -> Event:
    """Something happened to a pull request; `head` is None where the fork was deleted since."""
    told = repository or repository_object()
    head_repository = head and repository_object(head, fork=head != told["full_name"])
    payload = {
        "action": action,
        "number": 7,
        "pull_request": {
            "number": 7,
            "state": "closed" if action == "closed" else "open",
            "merged": merged,
            "base": {
                "ref": "main",
                "sha": "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
                "repo": told,
            },
            "head": {
                "ref": "retry",
                "sha": "0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c",
                "repo": head_repository,
            },
        },
        "repository": told,
    }
    # After the merge, and for `pull_request_target`, the job's ref is the base branch.
    ref = "refs/heads/main" if merged or name != "pull_request" else "refs/pull/7/merge"
    return Event(name, ref, payload, told["full_name"])
