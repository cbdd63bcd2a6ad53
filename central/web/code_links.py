"""Links on identifiers: definitions lead to their users, references to what they mean."""

from collections.abc import Callable, Sequence

from central.corpus.identifiers import StoredDefinition, StoredReference
from central.trace.written_names import written_names
from central.web.highlighting import CodeLink


def identifier_links(
    code: str,
    *,
    references: Sequence[StoredReference],
    definitions: Sequence[StoredDefinition],
    reference_url: Callable[[StoredReference], str],
    definition_url: Callable[[StoredDefinition], str],
) -> list[CodeLink]:
    """Return links in order, none of which overlaps another or spans lines."""
    used, defined = written_names(code, references, definitions)
    links = [
        *(
            CodeLink(at, at + len(reference.name), reference_url(reference))
            for at, reference in used.items()
        ),
        *(
            CodeLink(at, at + len(definition.name), definition_url(definition))
            for at, definition in defined.items()
        ),
    ]
    return _apart(sorted(links, key=lambda link: link.start))


def _apart(links: Sequence[CodeLink]) -> list[CodeLink]:
    kept: list[CodeLink] = []
    for link in links:
        if not kept or link.start >= kept[-1].end:
            kept.append(link)
    return kept
