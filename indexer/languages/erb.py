"""ERB: templates with Ruby in `<% … %>`. A file is one text of Ruby."""

import re
from collections.abc import Iterator
from typing import Final

from indexer.languages.base import HOSTS_VERSION, HostFormat, Language, Region
from indexer.languages.ruby import RUBY

_OPEN: Final = re.compile(rb"<%(%|#|-|graphql\b|={0,2})")


def erb_regions(source: bytes) -> Iterator[Region]:
    """Yield the code of each tag with a line feed after it, which ends comments, too."""
    start = 0
    while opening := _OPEN.search(source, start):
        if opening[1] == b"%":  # a literal `<%`
            start = opening.end()
            continue
        close = source.find(b"%>", opening.end())
        if close < 0:
            return
        start = close + 2
        if opening[1] not in (b"#", b"graphql"):
            code = source[opening.end() : close]
            code = code[:-1] + b" " if code.endswith(b"-") else code
            yield Region(opening.end(), start, "ruby", code + b" \n")


ERB: Final = Language(
    "erb",
    version=HOSTS_VERSION,
    linguist=("HTML+ERB", "JavaScript+ERB"),
    suffixes=(".erb",),
    ecosystem=RUBY.ecosystem,
    host=HostFormat(erb_regions, ("ruby",)),
)
LANGUAGES: Final = (ERB,)
