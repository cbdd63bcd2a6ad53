"""One comment on a pull request, found by a hidden marker and updated in place.

GitHub has no way to create a comment only if there is none. So a job that created one looks again:
all jobs keep the oldest and delete the others, and the last job to look sees all of them.
"""

import hashlib
import re
from typing import Any, Final, NamedTuple

from indexer.errors import ConfigurationError, ForgeError
from indexer.forge.api import GitHubApi, page_url
from indexer.limits import COMMENT_BYTES

_MARKER: Final = re.compile(r"(<!-- aeterna-code-search [0-9a-f]{16} )(new|update) -->\n")
_NOT_FOUND: Final = 404


class PullRequest(NamedTuple):
    """A pull request of `repository` (owner and name)."""

    repository: str
    number: int


def marker(subject: str, *, is_new: bool) -> str:
    """Return the hidden line with which a comment on `subject` begins.

    A comment that is not `is_new` replaces an earlier one only: it is not worth a first comment.
    """
    digest = hashlib.sha256(subject.encode()).hexdigest()[:16]  # no name can end the HTML comment
    return f"<!-- aeterna-code-search {digest} {'new' if is_new else 'update'} -->\n"


def write_comment(api: GitHubApi, pull: PullRequest, body: str) -> str | None:
    """Write the comment that `body` is, whose first line is a marker, and return its address.

    None: there is no comment, and `body` is not worth one. May be repeated. Raises ForgeError, and
    ConfigurationError for another text.
    """
    found = _MARKER.match(body)
    if found is None or len(body.encode(errors="replace")) > COMMENT_BYTES:
        raise ConfigurationError(
            "the report must be the output `report` of the command impact as it is"
        )
    begin, kind = found.groups()
    comments = _own(api, pull, begin)
    if not comments:
        if kind == "update":
            return None
        api.send("POST", f"repos/{pull.repository}/issues/{pull.number}/comments", {"body": body})
        comments = _own(api, pull, begin)
    if not comments:
        raise ForgeError(
            "The comment would not be found again: write it with the job's own token or that of an "
            "App, not with a person's."
        )
    oldest, *others = comments
    if oldest["body"] != body:
        api.send("PATCH", _address(pull, oldest), {"body": body})
    for other in others:
        _delete(api, _address(pull, other))
    return page_url(oldest)


def _own(api: GitHubApi, pull: PullRequest, begin: str) -> list[dict[str, Any]]:
    """Return the comments with this marker, oldest first; of bots only, as people can copy it."""
    rows = api.pages(f"repos/{pull.repository}/issues/{pull.number}/comments")
    # A page may begin with what the one before ended with: others wrote or deleted meanwhile.
    own = {int(row["id"]): row for row in rows if _is_own(row, begin)}
    return [own[number] for number in sorted(own)]


def _is_own(row: dict[str, Any], begin: str) -> bool:
    number, user, body = row.get("id"), row.get("user"), row.get("body")
    is_bot = isinstance(user, dict) and user.get("type") == "Bot"
    return is_bot and type(number) is int and isinstance(body, str) and body.startswith(begin)


def _address(pull: PullRequest, comment: dict[str, Any]) -> str:
    return f"repos/{pull.repository}/issues/comments/{comment['id']}"


def _delete(api: GitHubApi, address: str) -> None:
    try:
        api.send("DELETE", address, {})
    except ForgeError as error:
        if error.status != _NOT_FOUND:  # another job was faster
            raise
