"""A manifest ↔ a JSON object with the fields of its record. Central stores it in the same form."""

from typing import Final

from indexer.bundle.fields import MAX_NAME, Fields
from indexer.bundle.rows import Rows
from indexer.relations import Dependency, Ecosystem, Manifest, Pin

MAX_VERSION: Final = 200  # characters of a version or a requirement
MAX_LOCATION: Final = 1000  # characters of a directory, a file, a glob, a pattern

_KEYS: Final = frozenset(
    {
        "ecosystem",
        "name",
        "version",
        "import_names",
        "source_roots",
        "entries",
        "aliases",
        "members",
        "dependencies",
        "pins",
    }
)


def manifest_fields(manifest: Manifest) -> dict[str, object]:
    """The JSON object; pairs are arrays of two."""
    return {
        "ecosystem": manifest.ecosystem,
        "name": manifest.name,
        "version": manifest.version,
        "import_names": manifest.import_names,
        "source_roots": manifest.source_roots,
        "entries": manifest.entries,
        "aliases": manifest.aliases,
        "members": manifest.members,
        "dependencies": [(one.name, one.required) for one in manifest.dependencies],
        "pins": [(one.name, one.version) for one in manifest.pins],
    }


def read_manifest(value: object, *, where: str) -> Manifest:
    """Check and read what `manifest_fields` made. Raises BundleError."""
    fields = Fields(value, keys=_KEYS, where=where)
    dependencies = Rows(fields, "dependencies", columns=("name", "required"))
    pins = Rows(fields, "pins", columns=("name", "version"))
    return Manifest(
        ecosystem=fields.option("ecosystem", Ecosystem),
        name=fields.text("name", most=MAX_NAME),
        version=fields.text("version", most=MAX_VERSION),
        import_names=fields.texts("import_names", most=MAX_NAME),
        source_roots=fields.texts("source_roots", most=MAX_LOCATION),
        entries=_locations(fields, "entries", columns=("subpath", "file")),
        aliases=_locations(fields, "aliases", columns=("pattern", "target")),
        members=fields.texts("members", most=MAX_LOCATION),
        dependencies=tuple(
            map(
                Dependency,
                dependencies.texts("name", most=MAX_NAME),
                dependencies.texts("required", most=MAX_VERSION),
            )
        ),
        pins=tuple(
            map(
                Pin,
                pins.texts("name", most=MAX_NAME),
                pins.texts("version", most=MAX_VERSION),
            )
        ),
    )


def _locations(
    fields: Fields, key: str, *, columns: tuple[str, str]
) -> tuple[tuple[str, str], ...]:
    rows = Rows(fields, key, columns=columns)
    return tuple(zip(*(rows.texts(column, most=MAX_LOCATION) for column in columns), strict=True))
