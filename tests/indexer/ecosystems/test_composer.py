"""composer.json and composer.lock."""

from indexer.records.manifests import Pin
from tests.indexer.ecosystems.reading import asked, read


def test_php_itself_is_no_package() -> None:
    manifest = read(
        "composer.json",
        {
            "name": "Acme/Magazine",
            "version": "1.0.0",
            "require": {
                "php": ">=8",
                "ext-json": "*",
                "acme/page-tags": "^3.0",
                "a/exact": "1.2.3",
            },
            "require-dev": {"phpunit/phpunit": "*"},
        },
    )
    assert (manifest.name, manifest.version) == ("acme/magazine", "1.0.0")
    assert asked(manifest) == {
        "acme/page-tags": "^3.0",
        "a/exact": "1.2.3",
        "phpunit/phpunit": "",
    }
    assert manifest.pins == (Pin("a/exact", "1.2.3"),)


def test_a_lock_file_pins() -> None:
    locked = {
        "packages": [{"name": "acme/page-tags", "version": "v3.0.0"}, "wrong"],
        "packages-dev": [{"name": "phpunit/phpunit", "version": "11.0.0"}],
    }
    assert read("composer.lock", locked).pins == (
        Pin("acme/page-tags", "3.0.0"),
        Pin("phpunit/phpunit", "11.0.0"),
    )
