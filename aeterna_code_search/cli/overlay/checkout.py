"""Answers in a checkout that is not indexed: they say that it is missing."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from aeterna_code_search.client.api import SearchApi
from indexer.errors import CentralRefusedError

NOT_INDEXED: Final = "checkout_not_indexed"  # in receipts; the service does not have it
_Answer = dict[str, Any]


class CheckoutSearchApi:
    """A search API in a checkout of `project`, which may not be indexed.

    Only answers over all projects are looked at. It costs a request if the checkout's project is
    not among those of the answer.
    """

    def __init__(self, api: SearchApi, project: str) -> None:
        self._api = api
        self._project = project

    def search(self, body: Mapping[str, Any]) -> _Answer:
        """Search."""
        answer = self._api.search(body)
        named = (*(body.get("include_projects") or ()), *(body.get("exclude_projects") or ()))
        return self.marked(answer, named)

    def trace(self, what: str, parameters: Mapping[str, Any]) -> _Answer:
        """Trace."""
        answer = self._api.trace(what, parameters)
        return self.marked(answer, parameters.get("caller_projects") or ())

    def status(self, project: str | None = None) -> _Answer:
        """Get the index status."""
        return self._api.status(project)

    def read_file(self, parameters: Mapping[str, Any]) -> _Answer:
        """Read lines of the index."""
        return self._api.read_file(parameters)

    def is_indexed(self) -> bool:
        """Whether the checkout's project has an index."""
        try:
            projects = self._api.status(self._project)["projects"]
        except CentralRefusedError as error:
            if error.code == "repository_not_found":
                return False
            raise
        return any(project["last_indexed_commit"] for project in projects)

    def marked(self, answer: _Answer, named: Sequence[str] = ()) -> _Answer:
        """Return the answer, which says that the checkout is missing if it is not indexed.

        `named`: the projects that the request was restricted to.
        """
        receipt = answer["receipt"]
        known = {project["project"] for project in (*receipt["projects"], *receipt["missing"])}
        if named or self._project in known or self.is_indexed():
            return answer
        missing = [{"project": self._project, "reason": NOT_INDEXED}, *receipt["missing"]]
        return {**answer, "receipt": {**receipt, "complete": False, "missing": missing}}
