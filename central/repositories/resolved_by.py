"""By what the references of a repository's files are bound."""

from collections.abc import Mapping
from typing import Final

from indexer.ecosystems import ecosystem_of

RULES: Final = "rules"
_OTHERS: Final = "other indexers"
_NAMED: Final = 3


def resolved_by(scip: Mapping[str, int], languages: Mapping[str, int]) -> dict[str, int]:
    """Return the files that each SCIP indexer has bound, the most first, and those of the rules.

    Counted are the files of languages in which references are traced.
    """
    traced = sum(count for name, count in languages.items() if ecosystem_of(name))
    ordered = sorted(scip.items(), key=lambda item: (-item[1], item[0]))
    found = dict(ordered[:_NAMED])
    if others := sum(files for _, files in ordered[_NAMED:]):
        found[_OTHERS] = others
    rules = max(traced - sum(found.values()), 0)
    return {**found, RULES: rules} if rules or not found else found
