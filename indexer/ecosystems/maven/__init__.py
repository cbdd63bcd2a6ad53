"""Artifacts of the JVM, by the rules of Maven, Gradle and sbt."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from indexer.ecosystems.base import Located, PackageEcosystem, namespace_names
from indexer.ecosystems.maven.builds import completed_builds
from indexer.ecosystems.maven.models import completed_poms
from indexer.ecosystems.maven.sbt_builds import completed_sbt
from indexer.ecosystems.maven.versions import allows, parse_version
from indexer.records.manifests import Ecosystem, Manifest, without_scala


def _complete(located: Sequence[Located]) -> Iterable[Located]:
    kinds: dict[str, list[Located]] = defaultdict(list)
    for located_manifest in located:
        kinds[_kind(located_manifest[0])].append(located_manifest)
    for path, manifest in (
        *completed_poms(kinds["pom.xml"], kinds["maven.config"]),
        *completed_sbt(kinds["sbt"]),
        *completed_builds(kinds["gradle"]),
    ):
        yield path, _without_scala(manifest)


def _kind(path: str) -> str:
    name = path.rpartition("/")[2]
    if name in {"pom.xml", "maven.config"}:
        return name
    return "sbt" if name.endswith((".sbt", ".scala")) else "gradle"


def _without_scala(manifest: Manifest) -> Manifest:
    """Name artifacts as `%%` does: several have one name, each for another version of Scala."""
    return replace(
        manifest,
        name=without_scala(manifest.name),
        dependencies=tuple(replace(o, name=without_scala(o.name)) for o in manifest.dependencies),
        pins=tuple(replace(pin, name=without_scala(pin.name)) for pin in manifest.pins),
        uses=tuple(replace(use, name=without_scala(use.name)) for use in manifest.uses),
    )


MAVEN: Final = PackageEcosystem(
    ecosystem=Ecosystem.MAVEN,
    module_names=lambda *_: namespace_names,
    parse_version=parse_version,
    allows=allows,
    decisive=(
        "pom.xml",
        "settings.gradle.kts",
        "settings.gradle",
        "build.gradle.kts",
        "build.gradle",
        "build.sbt",
    ),
    inherits_dependencies=False,
    locks_below=False,
    complete=_complete,
)
