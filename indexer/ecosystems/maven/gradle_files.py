"""gradle.properties and gradle.lockfile."""

import re

from indexer.records.manifests import ANY_USER, Ecosystem, Manifest, Pin, PinUse

_LOCKED = re.compile(r"([\w.-]+:[\w.-]+):([^=\s]+)=(\S*)")
_PROPERTY = re.compile(r"[ \t]*([^\s#!=:][^\s=:]{0,199})[ \t]*[=:][ \t]*(.*)")


def read_gradle_properties(text: str, _path: str) -> Manifest:
    """Read gradle.properties."""
    found = (
        (f"property:{one[1]}", one[2].strip())
        for one in map(_PROPERTY.fullmatch, text.splitlines())
        if one and not one[1].startswith("org.gradle.")
    )
    return Manifest(Ecosystem.MAVEN, settings=tuple(found))


def read_gradle_lockfile(text: str, _path: str) -> Manifest:
    """Read lines of `group:artifact:version=configurations`; code has what it compiles with."""
    found = [one for line in text.splitlines() if (one := _LOCKED.match(line))]
    return Manifest(
        Ecosystem.MAVEN,
        pins=tuple(Pin(one[1], one[2]) for one in found),
        uses=tuple(
            PinUse(ANY_USER, one[1], "", one[2])
            for one in found
            if {"compileClasspath", "compile"} & set(one[3].split(","))
        ),
    )
