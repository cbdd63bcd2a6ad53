"""Stored files: their text, outline, and the reasons why files are skipped."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches

from django.db.models import Count, Q, QuerySet

from central.corpus.models import File, Symbol
from central.errors import NotFoundError
from central.repositories.listing import visible_repository
from central.repositories.models import Repository
from central.repositories.visibility import forge_file_url
from central.tenancy.credentials import Credential
from indexer.records.files import SkipReason

OUTLINED_SYMBOLS = 1_000
NEAR_PATHS = 8
_NEIGHBOURS = 300


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A symbol of a file's outline; `depth` counts the symbols that enclose it."""

    name: str
    kind: str
    start_line: int
    end_line: int
    depth: int


@dataclass(frozen=True, slots=True)
class FileView:
    """An indexed file. `skipped` is the reason for missing content, else "".

    `unparsed` has the first and last line of ranges that the grammar does not understand, and how
    many calls seem to be in them. `size` is in bytes; `encoding` is "" for UTF-8; `forge_url` is ""
    if the forge is unknown.
    """

    id: int
    project: str
    web_url: str
    commit: str
    indexed_at: datetime | None
    path: str
    blob: str
    language: str
    size: int
    skipped: str
    generated: bool
    degraded: str
    unparsed: Sequence[tuple[int, int, int]]
    encoding: str
    content: str
    forge_url: str
    symbols: Sequence[OutlineEntry]


class FileNotFoundInIndexError(NotFoundError):
    """The file does not exist; `near` are similar paths, or paths in the directory."""

    code = "file_not_found"

    def __init__(self, near: Sequence[str], *, is_directory: bool = False) -> None:
        super().__init__(
            "This path is a directory, not a file: list it, and read one of its files."
            if is_directory
            else "There is no such file in the index of this repository.",
            near=near,
        )
        self.near = near


def read_file(*, credential: Credential, project: str, path: str) -> FileView:
    """Read the file at `path` in three queries.

    Raises NotFoundError if the repository is not visible or has no such file.
    """
    repository = visible_repository(credential=credential, project=project)
    if "\0" in path:  # which PostgreSQL refuses
        raise FileNotFoundInIndexError([])
    file = File.objects.filter(repository=repository, path=path).first()
    if file is None:
        raise FileNotFoundInIndexError(near_paths(repository.pk, path))
    commit, web_url = repository.last_indexed_commit, repository.web_url
    return FileView(
        id=file.pk,
        project=repository.name,
        web_url=web_url,
        commit=commit,
        indexed_at=repository.indexed_at,
        path=file.path,
        blob=file.blob,
        language=file.language,
        size=file.size,
        skipped=file.skipped,
        generated=bool(file.generated),
        degraded=file.degraded,
        unparsed=file.unparsed or (),
        encoding=file.encoding,
        content=file.content,
        forge_url=forge_file_url(web_url, commit, file.path) if web_url and commit else "",
        symbols=_outline(file),
    )


def has_file(*, repository: Repository, path: str) -> bool:
    """Return whether the index has the file, also a skipped one."""
    return "\0" not in path and File.objects.filter(repository=repository, path=path).exists()


def has_directory(*, repository: Repository, path: str) -> bool:
    """Return whether the index has a file below the path."""
    below = File.objects.filter(repository=repository, path__startswith=f"{path}/")
    return "\0" not in path and below.exists()


def indexed_paths(*, repository: Repository, paths: Collection[str]) -> set[str]:
    """Return those of `paths` that the index has, also as skipped files."""
    files = File.objects.filter(repository=repository, path__in=paths)
    return set(files.values_list("path", flat=True))


def file_contents(
    repositories: QuerySet[Repository], paths: Collection[str]
) -> dict[tuple[str, str], str]:
    """Return contents by project and path."""
    found = File.objects.filter(repository__in=repositories, path__in=paths)
    rows = found.values_list("repository__name", "path", "content")
    return {(project, path): content for project, path, content in rows}


def file_not_found(repository_id: int, path: str) -> FileNotFoundInIndexError:
    """Return the error for a path without a file, which says whether it is a directory."""
    directory = path.strip("/")
    files = File.objects.filter(repository_id=repository_id)
    is_directory = (
        files.exists()
        if directory in {"", "."}
        else files.filter(path__startswith=f"{directory}/").exists()
    )
    return FileNotFoundInIndexError(near_paths(repository_id, path), is_directory=is_directory)


def _outline(file: File) -> list[OutlineEntry]:
    rows = (
        Symbol.objects.filter(file=file)
        .order_by("start_line", "-end_line", "id")
        .values_list("name", "kind", "start_line", "end_line")[:OUTLINED_SYMBOLS]
    )
    outline: list[OutlineEntry] = []
    around: list[int] = []  # last lines
    for name, kind, start, end in rows:
        while around and around[-1] < start:
            around.pop()
        outline.append(OutlineEntry(name, kind, start, end, len(around)))
        around.append(end)
    return outline


def near_paths(repository_id: int, path: str) -> list[str]:
    """Return paths of that name elsewhere, then below the path, then similar ones beside it."""
    directory, _, name = path.rpartition("/")
    files = File.objects.filter(repository_id=repository_id)
    paths = files.order_by("path").values_list("path", flat=True)
    same = paths.filter(Q(path__iendswith=f"/{name}") | Q(path__iexact=name))[:NEAR_PATHS]
    below = paths.filter(path__startswith=f"{path.rstrip('/')}/")[:NEAR_PATHS]
    beside = paths.filter(path__startswith=f"{directory}/" if directory else "")[:_NEIGHBOURS]
    alike = get_close_matches(path, beside, n=NEAR_PATHS)
    return list(dict.fromkeys([*same, *below, *alike]))[:NEAR_PATHS]


def why_skipped(reason: str) -> str:
    """Return why a file is not indexed; an unknown reason by its name."""
    if reason in set(SkipReason):
        return SkipReason(reason).sentence
    return reason.replace("_", " ")


PAGE_SIZE = 100


def skipped_counts(*, repository: Repository) -> list[tuple[str, int]]:
    """Return (reason, files), the most frequent first. One query, none if no file was skipped."""
    if not repository.skipped:
        return []
    rows = (
        File.objects.filter(repository=repository)
        .exclude(skipped="")
        .values_list("skipped")
        .annotate(count=Count("pk"))
        .order_by("-count", "skipped")
    )
    return list(rows)


def skipped_paths(*, repository: Repository, reason: str, after: str) -> tuple[list[str], bool]:
    """Return a page of the paths after `after` in code-point order, and whether more follow."""
    paths = list(
        File.objects.filter(repository=repository, skipped=reason, path__gt=after)
        .order_by("path")
        .values_list("path", flat=True)[: PAGE_SIZE + 1]
    )
    return paths[:PAGE_SIZE], len(paths) > PAGE_SIZE
