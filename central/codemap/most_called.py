"""The definitions that most other projects use."""

from collections import Counter, defaultdict
from typing import Final

from aeterna_code_search.contract.codemap import MostCalledRequest
from central.codemap.answers import CallingProjectCount, MostCalled, MostCalledDefinition
from central.codemap.currency import beside_stored, map_receipt
from central.codemap.uses import uses
from central.sentences import Sentence
from central.tenancy.credentials import Credential
from central.trace.request_scope import TraceScope, traced
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.questions import Key

_USERS: Final = 20  # of a definition
_NOTHING: Final = "No other project that this credential sees uses a definition of {what}."


def most_called(*, credential: Credential, request: MostCalledRequest) -> MostCalled:
    """Return the definitions, of a project or of all, by how many other projects use them.

    Raises NotFoundError for an unknown project, and UnavailableError while edges are behind.
    """
    project = request.project
    with traced(credential, "most called", project) as scope:
        of = scope.named(project).id if project else 0
        beside = beside_stored(credential.organization, scope)
        users: dict[Key, Counter[int]] = defaultdict(Counter)
        for use, count in uses(
            scope.resolver, beside, inside=0, of=of, min_confidence=request.min_confidence
        ).items():
            users[use.file, use.name][use.user.repository] += count
        order = sorted(
            users, key=lambda key: (-len(users[key]), -users[key].total(), key[1], key[0])
        )
        found = definitions_at(scope.resolver, order[: request.limit])
        shown = [
            _shown(scope, definition, users[key]) for key in order if (definition := found.get(key))
        ]
        scope.span.set_attributes(resultCount=len(shown))
        return MostCalled(
            definitions=shown,
            definitions_more=len(order) - len(shown),
            receipt=map_receipt(scope, beside),
            hint=None if shown else _hint(project),
        )


def _hint(project: str) -> Sentence:
    return Sentence.of("not_used_elsewhere", _NOTHING, what=project or "another one")


def _shown(scope: TraceScope, definition: Definition, users: Counter[int]) -> MostCalledDefinition:
    repository = scope.repositories[definition.repository]
    counts = [(scope.repositories[user].name, count) for user, count in users.items()]
    counts.sort(key=lambda counted: (-counted[1], counted[0]))
    return MostCalledDefinition(
        project=repository.name,
        file=definition.path,
        line=definition.start_line,
        name=definition.qualified_name,
        kind=definition.kind,
        package=definition.distribution or None,
        url=repository.url(definition.path, definition.start_line),
        projects=len(users),
        calls=users.total(),
        users=[CallingProjectCount(*counted) for counted in counts[:_USERS]],
    )
