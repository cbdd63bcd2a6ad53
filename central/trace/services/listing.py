"""All call edges of an organisation, for a copy of them: a page at a time, a repository's in turn.

Each page is of one moment. What is indexed between two pages is noticed where it matters: a
repository that changes while it is read begins anew.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from central.common.paging import decode_cursor, encode_cursor
from central.common.statements import one_moment
from central.tenancy.credentials import Credential
from central.trace.answers import Call, CallingProject, Calls, missing_projects
from central.trace.backward import Edge
from central.trace.forward import Confidence
from central.trace.limits import limits_met
from central.trace.onward import find_used
from central.trace.portions import Part, Place, Portion, read_portion
from central.trace.scope import Sight, sight_of
from central.trace.services.tracing import trace_span
from central.trace.symbols import Definition, definitions_at
from central.trace.things import Key
from indexer.limits import CALLS_LISTED

TOP_LEVEL: Final = "<module>"
_SALT: Final = "central.trace.calls"


def calls(*, credential: Credential, cursor: str = "") -> Calls:
    """The call edges of the next references, as callees have them with medium confidence.

    Raises ForbiddenError for a token of a job and for a credential that sees a part of the
    organisation, InvalidError for another organisation's cursor.
    """
    credential.require_whole_organization()
    asked = credential.organization.slug
    position = decode_cursor(cursor, salt=_SALT, asked=asked)
    with trace_span(credential, "calls", "") as told, one_moment():
        sight = sight_of(credential)
        portion = read_portion(sight, Place(*position) if position else Place())
        found = _calls(sight, portion)
        told.note(resultCount=len(found))
    following = portion.following
    return Calls(
        calls=found,
        projects=[_calling(part) for part in portion.parts],
        references=len(portion.sites),
        next_cursor=encode_cursor(salt=_SALT, asked=asked, position=following)
        if following
        else None,
        missing=[] if following else missing_projects(list(sight.repositories.values()), []),
        cut=limits_met(sight.inquiry),
    )


def _calls(sight: Sight, portion: Portion) -> list[Call]:
    """What the portion's references lead to; where that is too much, the portion is cut."""
    edges = find_used(sight.inquiry, portion.sites, least=Confidence.MEDIUM).edges
    definitions = definitions_at(sight.inquiry, {edge.target for edge in edges})
    by_reference = _by_reference(edges, definitions)
    found: list[Call] = []
    for number, site in enumerate(portion.sites):
        further = by_reference.get(site.id, ())
        if found and len(found) + len(further) > CALLS_LISTED:
            portion.keep(number)
            break
        found += [_call(sight, edge, definitions[edge.target]) for edge in further]
    return found


def _by_reference(
    edges: Iterable[Edge], definitions: Mapping[Key, Definition]
) -> Mapping[int, Sequence[Edge]]:
    found: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        if edge.target in definitions:
            found[edge.site.id].append(edge)
    return found


def _call(sight: Sight, edge: Edge, target: Definition) -> Call:
    site = edge.site
    repository = sight.repositories[site.repository]
    return Call(
        caller=site.caller or TOP_LEVEL,
        caller_project=repository.name,
        path=site.path,
        line=site.line,
        callee=target.qualified_name,
        callee_project=sight.repositories[target.repository].name,
        callee_path=target.path,
        kind=site.kind,
        rule=edge.rule,
        confidence=edge.confidence.name.lower(),
        commit=repository.commit,
    )


def _calling(part: Part) -> CallingProject:
    repository = part.repository
    return CallingProject(
        project=repository.name,
        commit=repository.commit,
        generation=repository.generation,
        begins=part.begins,
        ends=part.ends,
    )
