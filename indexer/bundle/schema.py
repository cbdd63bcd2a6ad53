"""The lines' fields, in order, with the bounds that a type can express.

Rows are arrays without keys: imports, exports and references like their records, and pairs of a
manifest. `decode` checks what depends on another value (order, last line, unit length).
"""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from indexer.records.files import (
    BLOB_BYTES,
    LABEL_CHARACTERS,
    NAME_CHARACTERS,
    ChunkType,
    DegradeReason,
    GeneratedBy,
    SkipReason,
)
from indexer.records.history import (
    AUTHOR_CHARACTERS,
    BLOB_DIGITS,
    BODY_CHARACTERS,
    COMMIT_PARENTS,
    COMMIT_PATHS,
    COMMIT_REVERTS,
    HUNKS_BYTES,
    LAST_SECOND,
    SUBJECT_CHARACTERS,
    ChangeStatus,
    Unread,
)
from indexer.records.manifests import (
    LOCATION_CHARACTERS,
    VERSION_CHARACTERS,
    Ecosystem,
    ManifestProblem,
)
from indexer.records.references import MODULE_PATH_BYTES, Access, Binding, ReferenceKind
from indexer.records.scip import (
    SCIP_DEFINITIONS,
    SCIP_OCCURRENCES,
    SCIP_RELATIONSHIPS,
    SCIP_SYMBOL_BYTES,
    SCIP_TOOL_CHARACTERS,
)

BATCH_VALUES: Final = 1_000_000  # of JSON; parsed they take up to 120 MB
FILE_LINES: Final = 1_048_576
ENCODING_CHARACTERS: Final = 20  # of the name of a codec of Python
MAX_INTEGER: Final = 2**63 - 1  # a PostgreSQL bigint

Mode: TypeAlias = Literal["100644", "100755", "100664", "120000", "160000"]
Blob: TypeAlias = Annotated[str, Meta(pattern=r"\A(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")]
Size: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Line: TypeAlias = Annotated[int, Meta(ge=1, le=MAX_INTEGER)]
Name: TypeAlias = Annotated[str, Meta(max_length=NAME_CHARACTERS)]
Label: TypeAlias = Annotated[str, Meta(max_length=LABEL_CHARACTERS)]
Version: TypeAlias = Annotated[str, Meta(max_length=VERSION_CHARACTERS)]
Encoding: TypeAlias = Annotated[
    str, Meta(max_length=ENCODING_CHARACTERS, pattern=r"\A[a-z0-9_-]*\Z")
]
Location: TypeAlias = Annotated[str, Meta(max_length=LOCATION_CHARACTERS)]
ModulePath: TypeAlias = Annotated[str, Meta(max_length=MODULE_PATH_BYTES)]  # also in bytes

ImportRow: TypeAlias = tuple[Name, Name, ModulePath, bool, Line]
ExportRow: TypeAlias = tuple[Name, ModulePath, bool, bool]
ReferenceRow: TypeAlias = tuple[ReferenceKind, Name, Binding, Name, Name, Access, Name, Line, Size]

Seconds: TypeAlias = Annotated[int, Meta(ge=0, le=LAST_SECOND)]

ScipSymbolText: TypeAlias = Annotated[str, Meta(max_length=SCIP_SYMBOL_BYTES)]
ScipRow: TypeAlias = tuple[
    Annotated[int, Meta(ge=1, le=FILE_LINES)], Annotated[int, Meta(ge=0, le=BLOB_BYTES)], Size
]


class _Fields(Struct, forbid_unknown_fields=True, gc=False):
    """A JSON object with exactly these fields."""


class RemovalFields(_Fields):
    """A removed path; `removed` is true."""

    path: str
    removed: bool


class EntryFields(_Fields):
    """A line of a tree, and the first fields of a file's line."""

    path: str
    mode: Mode
    blob: Blob
    size: Size
    skipped: SkipReason | None


class ChunkFields(_Fields):
    """A chunk; its bytes are base64 of little-endian uint32 or float32."""

    start: Line
    end: Line
    type: ChunkType
    name: Name
    container: Name
    terms: bytes
    weights: bytes
    vector: bytes | None


class SymbolFields(_Fields):
    """A definition."""

    name: Name
    qualified_name: Name
    kind: Label
    start: Line
    end: Line
    signature: Name
    exported: bool


class ManifestFields(_Fields, omit_defaults=True):
    """A manifest; rows are arrays. Central stores it in the same form.

    Fields from `uses` on are sent only to a service that names them in its answer to Open.
    """

    ecosystem: Ecosystem
    name: Name
    version: Version
    import_names: tuple[Name, ...]
    source_roots: tuple[Location, ...]
    entries: tuple[tuple[Location, Location], ...]
    aliases: tuple[tuple[Location, Location], ...]
    members: tuple[Location, ...]
    dependencies: tuple[tuple[Name, Version], ...]
    pins: tuple[tuple[Name, Version], ...]
    uses: tuple[tuple[Location, Name, Version, Version], ...] = ()
    renamed: tuple[tuple[Name, Name], ...] = ()
    settings: tuple[tuple[Location, Location], ...] = ()
    problem: ManifestProblem | None = None


class UnparsedFields(_Fields):
    """What a grammar does not understand: first and last line of ranges, and their calls."""

    lines: list[tuple[Line, Line, Size]]
    names: list[Name]
    scanned: bool


class FileFields(_Fields, omit_defaults=True):
    """A file's line. Members with a default are absent where they have it, as ever.

    Fields from `unparsed` on are sent only to a service that names them in its answer to Open.
    """

    path: str
    mode: Mode
    blob: Blob
    size: Size
    language: Label
    skipped: SkipReason | None
    degraded: DegradeReason | None
    content: str
    chunks: list[ChunkFields]
    symbols: list[SymbolFields]
    namespace: Name
    imports: list[ImportRow]
    exports: list[ExportRow]
    references: list[ReferenceRow]
    manifest: ManifestFields | None
    generated: GeneratedBy | None = None
    unparsed: UnparsedFields | None = None
    encoding: Encoding = ""
    language_declared: bool = False


class ScipFields(_Fields):
    """A document of a SCIP index; rows are ScipPlaces and pairs of symbols by their numbers."""

    path: str
    blob: Blob
    tool: Annotated[str, Meta(min_length=1, max_length=2 * SCIP_TOOL_CHARACTERS + 1)]
    digest: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
    symbols: list[ScipSymbolText]
    definitions: Annotated[list[ScipRow], Meta(max_length=SCIP_DEFINITIONS)]
    references: Annotated[list[ScipRow], Meta(max_length=SCIP_OCCURRENCES)]
    relationships: Annotated[list[tuple[Size, Size]], Meta(max_length=SCIP_RELATIONSHIPS)]
    cut: Annotated[int, Meta(ge=0, le=2**31 - 1)]


class ScipLineFields(_Fields):
    """The line of a document of a SCIP index."""

    scip: ScipFields


class ScipRemovalFields(_Fields):
    """The path of a document that is no longer in the SCIP index."""

    scip_removed: str


class ChangeRow(Struct, array_like=True):
    """A changed path; earlier clients end it after the old path."""

    path: str
    status: ChangeStatus
    old_path: str
    blob: Annotated[str, Meta(pattern=rf"\A(?:[0-9a-f]{{{BLOB_DIGITS}}})?\Z")] = ""
    hunks: Annotated[str, Meta(max_length=HUNKS_BYTES)] = ""
    unread: Unread | None = Unread.UNKNOWN


class CommitFields(_Fields):
    """A commit; rows are Changes."""

    sha: Blob
    parents: Annotated[list[Blob], Meta(max_length=COMMIT_PARENTS)]
    authored_at: Seconds
    committed_at: Seconds
    author: Annotated[str, Meta(max_length=AUTHOR_CHARACTERS)]
    subject: Annotated[str, Meta(max_length=SUBJECT_CHARACTERS)]
    body: Annotated[str, Meta(max_length=BODY_CHARACTERS)]
    reverts: Annotated[list[Blob], Meta(max_length=COMMIT_REVERTS)]
    changes: Annotated[list[ChangeRow], Meta(max_length=COMMIT_PATHS)]
    changed: Annotated[int, Meta(ge=0, le=2**31 - 1)]


class CommitLineFields(_Fields):
    """The line of a commit."""

    commit: CommitFields


class CommitRemovalFields(_Fields):
    """A commit that the branch no longer has."""

    commit_removed: Blob
