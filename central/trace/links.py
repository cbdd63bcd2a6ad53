"""Edges as they are answered: with names, evidence, versions and addresses."""

from collections.abc import Mapping, Sequence

from central.trace.answers import Endpoint, Link
from central.trace.backward import Edge
from central.trace.evidence import Evidence
from central.trace.scope import Sight
from central.trace.symbols import Definition, definitions_at
from central.trace.things import Key
from central.trace.versions import lags
from central.trace.walking import Step


def links(sight: Sight, steps: Sequence[Step], definitions: Mapping[Key, Definition]) -> list[Link]:
    """`steps` as they are shown; `definitions` are the callees, and callers as far as known."""
    callers = ((step.edge.site.file, step.edge.site.caller) for step in steps)
    unread = [key for key in callers if key[1] and key not in definitions]
    definitions = {**definitions, **definitions_at(sight.inquiry, unread)}
    evidence = Evidence(sight.inquiry, [step.edge for step in steps], definitions)
    return [_link(sight, step, evidence, definitions) for step in steps]


def caller_endpoint(sight: Sight, edge: Edge, definitions: Mapping[Key, Definition]) -> Endpoint:
    """Where a reference stands: a definition, or the file's top level."""
    site = edge.site
    project = sight.repositories[site.repository].name
    if not site.caller:
        return Endpoint(project, site.path, "<module>", "", "module", 1)
    found = definitions.get((site.file, site.caller))
    if found:
        return endpoint(sight, found)
    name = site.caller.rpartition(".")[2]
    return Endpoint(project, site.path, name, site.caller, "", site.line)


def endpoint(sight: Sight, one: Definition) -> Endpoint:
    """A definition as an end of an edge."""
    project = sight.repositories[one.repository].name
    return Endpoint(project, one.path, one.name, one.qualified_name, one.kind, one.start_line)


def _link(
    sight: Sight, step: Step, evidence: Evidence, definitions: Mapping[Key, Definition]
) -> Link:
    edge = step.edge
    site = edge.site
    repository = sight.repositories[site.repository]
    target = definitions[edge.target]
    requirement = evidence.requirement(edge)
    pinned = requirement.pinned if requirement else ""
    return Link(
        project=repository.name,
        commit=repository.commit,
        file=site.path,
        line=site.line,
        column=site.column,
        kind=site.kind,
        caller=caller_endpoint(sight, edge, definitions),
        callee=endpoint(sight, target),
        target=step.target,
        depth=step.depth,
        rule=edge.rule,
        confidence=edge.confidence.name.lower(),
        evidence=evidence.sentence(edge),
        candidates=edge.candidates,
        pinned_version=pinned or None,
        required_version=(requirement.required or None) if requirement else None,
        indexed_version=target.version or None,
        lags=lags(target.ecosystem, pinned=pinned, indexed=target.version),
        url=repository.url(site.path, site.line),
    )
