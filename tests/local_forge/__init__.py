"""GitHub over HTTP on loopback: the REST API with the fields of its schema, Apps and their tokens,
the token of a job, rate limits, and git's own server for clones. For tests and benchmarks only.

https://docs.github.com/rest
"""

from tests.local_forge import (  # noqa: F401 - these register their routes
    apps,
    comments,
    contents,
    owners,
    pull_requests,
)
from tests.local_forge.apps import APP_ID
from tests.local_forge.repository import OWNER, OWNER_ID, LocalRepository
from tests.local_forge.server import LocalForge

__all__ = ["APP_ID", "OWNER", "OWNER_ID", "LocalForge", "LocalRepository"]
