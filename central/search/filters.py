"""The filters of a request: on points in the store, and on rows. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from aeterna_code_search.contract.search import SearchRequest
from indexer.store.base import PointFilter


@dataclass(frozen=True, slots=True)
class RowFilter:
    """The filter on a hit's row; `prefix` may end anywhere in a path component.

    `holds` is what the query requires of a file (repository's id, path, language), if anything.
    """

    prefix: str = ""
    excluded: tuple[str, ...] = ()
    language: str = ""
    chunk_type: str = ""
    holds: Callable[[int, str, str], bool] | None = None

    def admits(self, repository: int, path: str, language: str, chunk_type: str = "") -> bool:
        """Return whether a row passes: a chunk's, or all of a file's as far as that decides it.

        Exclusions ignore case; the prefix does not.
        """
        if chunk_type and self.chunk_type not in {"", chunk_type}:
            return False
        if self.language and language != self.language:
            return False
        if not path.startswith(self.prefix):
            return False
        lowered = path.lower()
        if any(pattern in lowered for pattern in self.excluded):
            return False
        return self.holds is None or self.holds(repository, path, language)

    def is_stricter_than(self, points: PointFilter) -> bool:
        """Return whether it rejects paths that the filter of the store accepts."""
        return bool(self.excluded or self.holds) or self.prefix.rstrip("/") != points.path


def point_filter(request: SearchRequest) -> PointFilter:
    """Return the filter of the store: the path up to its last component boundary."""
    boundary, _, _ = _prefix(request.path).rpartition("/")
    return PointFilter(
        languages=(request.language.lower(),) if request.language else (),
        types=(request.chunk_type,) if request.chunk_type else (),
        path=boundary,
    )


def row_filter(request: SearchRequest) -> RowFilter:
    """Return the filter of rows. It is complete, because symbol hits bypass the store."""
    return RowFilter(
        prefix=_prefix(request.path),
        excluded=tuple(
            pattern for part in request.exclude.split("|") if (pattern := part.strip().lower())
        ),
        language=request.language.lower(),
        chunk_type=request.chunk_type,
    )


def is_narrowed(request: SearchRequest) -> bool:
    """Return whether filters restrict the answer."""
    return bool(
        request.include_projects
        or request.exclude_projects
        or request.language
        or request.chunk_type
        or request.path
        or request.exclude
        or request.min_similarity is not None
    )


def _prefix(path: str) -> str:
    return path.removeprefix("./").lstrip("/")
