"""HTML, and templates that give it: scripts, and attributes such as `onclick`."""

import re
from typing import Final

from indexer.languages.base import Language
from indexer.languages.ecmascript import JAVASCRIPT
from indexer.languages.embedded import HOSTS_VERSION, HostFormat, Region
from indexer.languages.markup import SCRIPT_LANGUAGES, elements, gaps, script_language

_HANDLER: Final = re.compile(
    rb"(?<=[\s\"'])on[a-z]++(\s*+=\s*+)(\"[^\"]+\"|'[^']+')", re.IGNORECASE
)


def html_regions(source: bytes) -> list[Region]:
    """Return the scripts of a page and its handlers of events."""
    inside = list(elements(source))
    regions = [
        Region(script.content_start, script.content_end, language)
        for script in inside
        if (language := script_language(script))
    ]
    for start, end in gaps(source, inside):
        for found in _HANDLER.finditer(source, start, end):
            text = found[1].replace(b"=", b";") + b"{" + found[2][1:-1] + b"}"
            regions.append(Region(found.start(1), found.end(), "javascript", text))
    return sorted(regions, key=lambda region: region.start)


HTML: Final = Language(
    "html",
    version=HOSTS_VERSION,
    linguist=("HTML", "Handlebars", "Jinja"),
    suffixes=(".html", ".htm", ".xhtml", ".jinja", ".j2", ".hbs"),
    ecosystem=JAVASCRIPT.ecosystem,
    host=HostFormat(html_regions, SCRIPT_LANGUAGES),
)
LANGUAGES: Final = (HTML,)
