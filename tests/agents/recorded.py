"""A backend that gives back what a real service answered (see `data/README.md`)."""

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent / "data"


def recorded(name: str) -> dict[str, Any]:
    """A recorded answer; the caller may change it."""
    answer: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return answer


class RecordedBackend:
    """Answers each question with the recording of that name, and remembers what it was asked.

    `names` chooses other recordings; what it does not name is refused, if there is a `refusal`.
    """

    def __init__(self, refusal: Exception | None = None, **names: str) -> None:
        self._names = names
        self._refusal = refusal
        self.asked: list[dict[str, Any]] = []

    async def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded search, cut to `limit` as the service cuts it."""
        answer = self._answer("grep" if body.get("mode") == "literal" else "search", body)
        answer["results"] = answer["results"][: body["limit"]]
        answer["count"] = len(answer["results"])
        return answer

    async def trace(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded trace."""
        return self._answer(what, parameters)

    async def status(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded status."""
        return self._answer("status", parameters)

    async def list_files(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded list."""
        return self._answer("files", parameters)

    async def read_file(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded lines."""
        return self._answer("content", parameters)

    async def history(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded commits."""
        return self._answer("history", parameters)

    async def graph(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded answer of the knowledge graph."""
        return self._answer(what, parameters)

    async def map(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded map, or what is below it."""
        return self._answer(what.rpartition("/")[2], parameters)

    async def graph_link(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded edge."""
        return self._answer("link", body)

    def _answer(self, what: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append(copy.deepcopy(dict(asked)))
        if self._refusal and what not in self._names:
            raise self._refusal
        return recorded(self._names.get(what, what))
