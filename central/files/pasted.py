"""Files that a pasted path names: a path from a root, or `project/path`, perhaps with a line."""

import re
from typing import Final, NamedTuple

from django.db.models import Q

from central.corpus.models import File
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential
from indexer.limits import PATH_BYTES

_MOST: Final = 8
_PATH: Final = re.compile(r"/?([^\s:\"/][^\s:\"]*/[^\s:\"]*[^\s:\"/])(?::(\d{1,8}))?(?::\d+)?")


class PastedFile(NamedTuple):
    """A file of a visible repository; `line` is 0 without one."""

    project: str
    path: str
    line: int


def pasted_files(*, credential: Credential, text: str) -> list[PastedFile]:
    """Return the visible files that the text is the path of, by project; one query at most."""
    found = _PATH.fullmatch(text.strip())
    if found is None or "\0" in text or len(found[1].encode()) > PATH_BYTES:
        return []
    project, _, rest = found[1].partition("/")
    rows = (
        File.objects.filter(Q(path=found[1]) | Q(repository__name=project, path=rest))
        .filter(repository__in=visible_repositories(credential=credential))
        .order_by("repository__name", "path")
        .values_list("repository__name", "path")[:_MOST]
    )
    return [PastedFile(*row, int(found[2] or 0)) for row in rows]
