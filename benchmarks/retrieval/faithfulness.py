"""Whether the running service answers as the benchmark says: the same first ten, for each query."""

from collections.abc import Iterator

from benchmarks.retrieval.experiment import Version
from benchmarks.retrieval.index import Place
from benchmarks.retrieval.measures import DEPTH
from scripts.local_service import Organization, Service, running_service, temporary_workspace


def differing(version: Version) -> Iterator[str]:
    """A line for each query that the service answers otherwise; the last one counts them."""
    with (
        temporary_workspace("aeterna-bench-retrieval-") as workspace,
        running_service(workspace / "data") as service,
    ):
        organization = _indexed(service, version)
        count = 0
        for query, prepared in zip(version.queries, version.prepared, strict=True):
            here = version.index.ours(prepared)[:DEPTH]
            there = _answer(organization, query.text)
            if here != there:
                count += 1
                pairs = enumerate(zip(here, there, strict=False), 1)
                first = next((rank for rank, (one, other) in pairs if one != other), 0)
                yield f"from rank {first}: {query.text!r}"
        yield f"{len(version.queries) - count} of {len(version.queries)} queries: the same answer"


def _indexed(service: Service, version: Version) -> Organization:
    organization = Organization(service, "retrieval", service.create_organization("retrieval"))
    for directory in version.directories:
        organization.index(directory, directory.name)
    return organization


def _answer(organization: Organization, text: str) -> list[Place]:
    results = organization.search(text, limit=DEPTH)["results"]
    return [
        Place(hit["project"], hit["file"], hit["start_line"], hit["end_line"]) for hit in results
    ]
