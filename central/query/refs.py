"""Names and patterns of branches, as `rev:` and the field `ref` have them. Pure."""

from indexer.globs import excess
from indexer.limits import REF_CHARACTERS, REF_PATTERNS
from indexer.records.refs import HEADS, short_name


def ref_patterns(text: str) -> tuple[str, ...]:
    """Return the names and patterns of `main:release/*`, each once, without `refs/heads/`.

    Sourcegraph's star before a pattern of full names is left out. Raises ValueError, whose text
    ends a sentence that begins with the name of the filter or field.
    """
    if len(text) > REF_CHARACTERS:
        raise ValueError(f"takes at most {REF_CHARACTERS:,} characters")
    parts = dict.fromkeys(map(_short, filter(None, text.split(":"))))
    if not parts or not all(parts):
        raise ValueError("takes names of branches, such as main:release/*")
    if len(parts) > REF_PATTERNS:
        raise ValueError(f"takes at most {REF_PATTERNS} names and patterns; write a wider pattern")
    for part in parts:
        if part[0] in "^!":
            raise ValueError("cannot leave branches out; name those to search")
        if problem := excess(part):
            raise ValueError(f"holds a pattern that is {problem}")
    return tuple(parts)


def _short(pattern: str) -> str:
    if pattern.startswith((f"*{HEADS}", "*!")):
        pattern = pattern[1:]
    return short_name(pattern)
