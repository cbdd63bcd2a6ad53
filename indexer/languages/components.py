"""Files of one component each: Vue."""

from typing import Final

from indexer.languages.base import Language
from indexer.languages.ecmascript import JAVASCRIPT
from indexer.languages.embedded import VERSION, HostFormat, Region
from indexer.languages.markup import Element, elements, script_language

_SCRIPTS: Final = ("javascript", "tsx", "typescript")


def _language_of(scripts: list[Element]) -> str:
    """Return the language of all scripts of a component, which are one module."""
    found = {script_language(one) for one in scripts}
    return next((name for name in ("tsx", "typescript") if name in found), "javascript")


def vue_regions(source: bytes) -> list[Region]:
    """Return the scripts of a Vue component."""
    scripts = [one for one in elements(source) if script_language(one)]
    language = _language_of(scripts)
    return [Region(one.content_start, one.content_end, language) for one in scripts]


VUE: Final = Language(
    "vue",
    version=VERSION,
    suffixes=(".vue",),
    ecosystem=JAVASCRIPT.ecosystem,
    host=HostFormat(vue_regions, _SCRIPTS),
)
LANGUAGES: Final = (VUE,)
