"""Commands in this process, with a service that gives recorded answers and keeps the questions."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from typer.testing import CliRunner, Result

from aeterna_code_search.cli.app import codesearch_application
from indexer.errors import IndexerError
from tests.agents.recorded import recorded


class Answering:
    """Stands where the CommandContext stands. `answer` names a recording, or is the answer."""

    def __init__(
        self, answer: str | dict[str, Any] = "", error: IndexerError | None = None
    ) -> None:
        self.environ: Mapping[str, str] = {}
        self.asked: list[Any] = []
        self._answer = recorded(answer) if isinstance(answer, str) and answer else answer
        self._error = error

    @contextmanager
    def search_api(self) -> Iterator["Answering"]:
        yield self

    service_api = search_api

    def local_server(self) -> None:
        """None runs on this machine."""

    def search(self, body: Mapping[str, Any]) -> Any:
        return self._given(dict(body))

    def trace(self, what: str, parameters: Mapping[str, Any]) -> Any:
        return self._given((what, dict(parameters)))

    def status(self, project: str | None = None) -> Any:
        if self._error:
            return recorded("status_of_nothing")
        return self._given(project)

    def _given(self, question: Any) -> Any:
        self.asked.append(question)
        if self._error:
            raise self._error
        return self._answer


def run(service: Answering, *arguments: str) -> Result:
    """`codesearch …`, its output to a pipe."""
    return CliRunner().invoke(codesearch_application(), arguments, obj=service)
