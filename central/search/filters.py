"""Restrictions of a search: which part the store applies, and what is checked on the rows."""

from dataclasses import dataclass

from central.search.query import SearchRequest
from indexer.store.base import PointFilter


@dataclass(frozen=True, slots=True)
class RowFilter:
    """What is checked on a hit's row; `prefix` may end anywhere in a component."""

    prefix: str = ""
    excluded: tuple[str, ...] = ()
    language: str = ""
    chunk_type: str = ""

    def admits(self, *, path: str, language: str, chunk_type: str) -> bool:
        """Whether a row passes. Exclusions ignore case; the prefix does not."""
        if self.language and language != self.language:
            return False
        if self.chunk_type and chunk_type != self.chunk_type:
            return False
        if not path.startswith(self.prefix):
            return False
        lowered = path.lower()
        return not any(pattern in lowered for pattern in self.excluded)

    def is_beyond(self, points: PointFilter) -> bool:
        """Whether it leaves out any path that the store's part lets pass."""
        return bool(self.excluded) or self.prefix.rstrip("/") != points.path


def point_filter(request: SearchRequest) -> PointFilter:
    """The store's part: the path up to its last component boundary."""
    boundary, _, _ = _prefix(request.path).rpartition("/")
    return PointFilter(
        languages=(request.language.lower(),) if request.language else (),
        types=(request.chunk_type,) if request.chunk_type else (),
        path=boundary,
    )


def row_filter(request: SearchRequest) -> RowFilter:
    """The rows' part. The whole of it, because symbol hits do not come from the store."""
    return RowFilter(
        prefix=_prefix(request.path),
        excluded=tuple(
            pattern for part in request.exclude.split("|") if (pattern := part.strip().lower())
        ),
        language=request.language.lower(),
        chunk_type=request.chunk_type,
    )


def like_pattern(text: str) -> str:
    """What stands for `text` itself in a pattern of LIKE."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def is_narrowed(request: SearchRequest) -> bool:
    """Whether anything but the query restricts the answer."""
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
