"""Agents learn that a name stands in a skipped file."""

import pytest

from central.corpus.models import File
from central.repositories.models import Repository
from indexer.records.files import SkipReason
from tests.central.mcp.agent import Agent
from tests.central.protocol import Api


@pytest.mark.parametrize("tool", ["code_trace_callers", "code_trace_callees", "code_graph"])
def test_name_in_a_skipped_file_says_so(tool: str, api: Api, agent: Agent) -> None:
    api.index({"pay.py": "def pay\n"})
    repository = Repository.objects.get()
    File.objects.create(
        repository=repository,
        path="app.min.js",
        mode="100644",
        blob="0" * 40,
        size=1,
        skipped=SkipReason.MINIFIED,
    )
    counted = agent.refusal(tool, symbol="render")
    assert "1 file of source code is skipped and may define it: 1 minified." in counted.message
    named = agent.refusal(tool, symbol="render", project=repository.name, file="app.min.js")
    assert "This file is skipped, so nothing in it is known." in named.message
