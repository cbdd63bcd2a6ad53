"""A manifest ↔ a JSON object with the fields of its record. Central stores it in the same form."""

from typing import Final

from indexer.limits import LOCATION_CHARACTERS, NAME_CHARACTERS, VERSION_CHARACTERS
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin
from tests.indexer.bundle.old_format.fields import Fields
from tests.indexer.bundle.old_format.rows import Rows

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
        name=fields.text("name", most=NAME_CHARACTERS),
        version=fields.text("version", most=VERSION_CHARACTERS),
        import_names=fields.texts("import_names", most=NAME_CHARACTERS),
        source_roots=fields.texts("source_roots", most=LOCATION_CHARACTERS),
        entries=_locations(fields, "entries", columns=("subpath", "file")),
        aliases=_locations(fields, "aliases", columns=("pattern", "target")),
        members=fields.texts("members", most=LOCATION_CHARACTERS),
        dependencies=tuple(
            map(
                Dependency,
                dependencies.texts("name", most=NAME_CHARACTERS),
                dependencies.texts("required", most=VERSION_CHARACTERS),
            )
        ),
        pins=tuple(
            map(
                Pin,
                pins.texts("name", most=NAME_CHARACTERS),
                pins.texts("version", most=VERSION_CHARACTERS),
            )
        ),
    )


def _locations(
    fields: Fields, key: str, *, columns: tuple[str, str]
) -> tuple[tuple[str, str], ...]:
    rows = Rows(fields, key, columns=columns)
    return tuple(
        zip(*(rows.texts(column, most=LOCATION_CHARACTERS) for column in columns), strict=True)
    )
