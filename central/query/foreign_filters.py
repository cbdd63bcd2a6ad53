"""Filters of Sourcegraph, GitHub and zoekt that do not exist here, and what to write instead.

A word is such a filter only with a value that the other tool takes: `context:global` is one, but
`context:ctx` is code.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from central.query.filters import NAMES

_END: Final = r"(?=[\s)]|\Z)"
_NAME: Final = rf'[\w-]+{_END}|"'
_YES_NO: Final = r"(?:yes|no|only|true|false)\b"
_DATE: Final = rf'\d{{4}}-\d|\d+\.?(?:hour|day|week|month|year)|(?:yesterday|today){_END}|"'
_OF_COMMITS: Final = "Add type:commit or type:diff."
_ALL_REPOSITORIES: Final = (
    "Every repository that the token sees is searched; leave {name}: out, or write -repo:NAME."
)


class _Foreign(NamedTuple):
    """What a value looks like, and the advice; `{name}` and `{value}` are filled in."""

    values: re.Pattern[str]
    advice: str


def _foreign(values: str, advice: str) -> _Foreign:
    return _Foreign(re.compile(values), advice)


_COUNTS: Final = _foreign(
    r"[<>]=?\d|\d+\.\.(?:\d|\*)|\*\.\.\d",
    "What a forge counts is not known; leave {name}: out, or name repositories with repo:.",
)
_FOREIGN: Final[Mapping[str, _Foreign]] = {
    "after": _foreign(_DATE, _OF_COMMITS),
    "archived": _foreign(_YES_NO, _ALL_REPOSITORIES),
    "author": _foreign(_NAME, _OF_COMMITS),
    "before": _foreign(_DATE, _OF_COMMITS),
    "branch": _foreign(rf"[\w./-]+{_END}", "Write rev:{value}."),
    "committer": _foreign(_NAME, "Write type:commit author:{value}."),
    "context": _foreign(r"global\b|@\w", "Leave {name}: out, or name repositories with repo:."),
    "count": _foreign(
        rf"(?:all|\d+){_END}",
        "The field limit says how many results a page has, and /api/v1/search/stream has all; "
        "leave {name}: out.",
    ),
    "extension": _foreign(rf"[a-z0-9]{{1,6}}{_END}", "Write file:*.{value}."),
    "filename": _foreign(rf"(?:[\w-]*\.[\w.-]+|[A-Z][a-z]+file){_END}", "Write file:{value}."),
    "fork": _foreign(_YES_NO, _ALL_REPOSITORIES),
    "forks": _COUNTS,
    "in": _foreign(
        rf"(?:file|path|name|readme|description|body|title|comments)(?:,\w+)*{_END}",
        "Words and quoted texts are searched in the content of files, file: is a part of the path; "
        "leave {name}: out.",
    ),
    "is": _foreign(r"(?:archived|fork|generated|private|public|vendored)\b", _ALL_REPOSITORIES),
    "license": _foreign(
        rf"(?:mit|isc|(?:apache|[al]?gpl|bsd|mpl|epl|cc|bsl|cc0|eupl|artistic|ms|osl)-[\w.-]+|[al]?gpl"
        rf"|unlicense|wtfpl|zlib|postgresql|ncsa|other){_END}",
        "Licences of repositories are not known; write a text of the licence in quotes, with "
        "file:LICENSE, or leave {name}: out.",
    ),
    "message": _foreign(_NAME, "Write type:commit and the text in quotes."),
    "org": _foreign(_NAME, "Write repo:{value}/*."),
    "patterntype": _foreign(
        r"\w",
        'Write /a regular expression/, or "text" in quotes, or give the mode regex, literal or '
        "structural.",
    ),
    "repogroup": _foreign(r"\w", "Name the repositories: (repo:a OR repo:b)."),
    "public": _foreign(_YES_NO, _ALL_REPOSITORIES),
    "pushed": _foreign(_DATE, "Write type:commit after:DATE."),
    "regex": _foreign(r"\S*[.*+\\|()\[\]^$]", "Write /{value}/."),
    "revision": _foreign(rf"[\w./*-]+{_END}", "Write rev:{value}."),
    "select": _foreign(
        r"(?:repo|file|content|symbol|commit)\b",
        "The receipt of an answer lists the repositories; type:file lists files, type:symbol "
        "definitions.",
    ),
    "since": _foreign(_DATE, "Write after:{value} with type:commit or type:diff."),
    "size": _foreign(
        rf"[<>]=?\d|\d+\.\.(?:\d|\*)|\*\.\.\d|\d{{4,}}{_END}",
        "Files are not searched by their size; leave {name}: out.",
    ),
    "stars": _COUNTS,
    "timeout": _foreign(
        r"\d+(?:ms|s|m)\b", "Searches have a time limit of their own; leave it out."
    ),
    "topic": _foreign(
        rf"[a-z0-9][a-z0-9-]*{_END}", "Topics of repositories are not known; name them with repo:."
    ),
    "until": _foreign(_DATE, "Write before:{value} with type:commit or type:diff."),
    "user": _foreign(_NAME, "Write repo:{value}/*."),
    "visibility": _foreign(r"(?:any|private|public)\b", _ALL_REPOSITORIES),
}
_ALSO: Final = {"patternType": "patterntype", "ext": "extension"}
_WORD: Final = re.compile(rf"({'|'.join([*_FOREIGN, *_ALSO])}):(?!:|//)(?=(\S+))")
# Beside `user:`: scopes of OAuth, keys, and what is written for a password.
_ORDINARY_USERS: Final = frozenset(
    {"admin", "email", "follow", "group", "id", "info", "key", "name", "pass", "passwd",
     "password", "pw", "pwd", "read", "root", "secret", "token", "write"}
)  # fmt: skip


def foreign_filter(text: str, at: int = 0) -> tuple[str, str] | None:
    """Return the name of another tool's filter at this position and the advice, or None."""
    found = _WORD.match(text, at)
    if found is None:
        return None
    written, value = found[1], found[2].rstrip(")")
    foreign = _FOREIGN[_ALSO.get(written, written)]
    if not foreign.values.match(text, found.end()):
        return None
    if written == "user" and (value.isdigit() or value.lower() in _ORDINARY_USERS):
        return None
    return written, foreign.advice.format(name=written, value=value.strip('"'))


# Sourcegraph's predicates, such as `repo:has.file(path:go.mod)` and `file:contains.content(x)`.
_PREDICATE: Final = re.compile(
    r"(?P<name>(?:has|contains)(?:\.[a-z.]+)?|deps|dependencies|revdeps|dependents)\("
)
_OF_FILES: Final = (
    "Write type:file PATH to see which repositories have such a file, and name them with repo:."
)
_PREDICATES: Final[Mapping[str, str]] = {
    "contains": _OF_FILES,
    "contains.file": _OF_FILES,
    "contains.path": _OF_FILES,
    "has.file": _OF_FILES,
    "has.path": _OF_FILES,
    "contains.content": "Write the text in quotes beside the other terms.",
    "has.content": "Write the text in quotes beside the other terms.",
}
_REVISION: Final = re.compile(r"(?P<name>[^@]*[^@:/])@(?P<revision>[\w*^][\w./^*:-]*)\Z")
_HOST: Final = re.compile(r"(?P<anchor>\^?)(?:github|gitlab|bitbucket)\\?\.(?:com|org)/")


def foreign_predicate(name: str, text: str, at: int) -> str | None:
    """Return what to write for a predicate of Sourcegraph as the value of `repo:` or `file:`."""
    found = _PREDICATE.match(text, at) if name in {"file", "repo"} else None
    if found is None:
        return None
    predicate = found["name"]
    if predicate == "has.owner" and "owner" in NAMES:
        advice = "Write owner:NAME."
    else:
        advice = _PREDICATES.get(predicate, "Leave it out, or name repositories with repo:.")
    return f"{name}:{predicate}(…) of other tools does not exist here. {advice}"


def split_revision(value: str) -> tuple[str, str] | None:
    """Return the repository and the revision of `name@revision`; None for another value."""
    found = _REVISION.match(value)
    return (found["name"], found["revision"]) if found else None


def without_host(value: str) -> str:
    """Return the name of a repository without the host of its forge."""
    return _HOST.sub(lambda found: found["anchor"], value, count=1)
