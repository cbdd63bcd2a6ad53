"""By what the references of a repository's files are bound."""

from collections.abc import Mapping
from typing import Final

from indexer.ecosystems import ecosystem_of

RULES: Final = "rules"


def resolved_by(scip: Mapping[str, int], languages: Mapping[str, int]) -> dict[str, int]:
    """Return the files that each SCIP indexer has bound, the most first, and those of the rules.

    Counted are the files of languages in which references are traced.
    """
    traced = sum(count for name, count in languages.items() if ecosystem_of(name))
    found = dict(sorted(scip.items(), key=lambda item: (-item[1], item[0])))
    rules = max(traced - sum(found.values()), 0)
    return {**found, RULES: rules} if rules or not found else found
