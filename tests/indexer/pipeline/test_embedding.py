"""What a run embeds and what it need not, and what becomes of it when that fails."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from indexer.config.settings import ConfigurationError
from indexer.embedding.builtin import SPEC
from indexer.errors import (
    CentralRefusedError,
    DirectNotAvailableError,
    EmbedderMismatchError,
    EmbedderUnavailableError,
    EmbeddingError,
)
from indexer.records.files import SkipReason
from indexer.records.vectors import EmbedderSpec
from tests.embedding_servers import Server, Trouble, ollama_server
from tests.indexer.central import StandIn
from tests.indexer.pipeline.test_run import run
from tests.indexer.repositories import Sandbox

OLLAMA = EmbedderSpec("ollama", "nomic-embed-text", 768)
FILES: dict[str, str | bytes | None] = {
    f"f{n}.py": f"def f{n}():\n    return {n}\n" for n in range(70)
}


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("first", FILES)
    return sandbox


@pytest.fixture
def ollama(central: StandIn) -> Iterator[Server]:
    central.embedder = OLLAMA
    with ollama_server() as server:
        yield server


def test_what_central_knows_is_asked_for_once_and_not_sent(
    central: StandIn, sandbox: Sandbox
) -> None:
    first = run(central, sandbox)
    assert len(central.asked) == len(set(central.asked)) == first.stats.chunks
    sandbox.git("mv", "f1.py", "moved/../f1-moved.py")
    sandbox.commit("copies", {"copy/f2.py": FILES["f2.py"], "new.py": "def new(): pass\n"})
    central.asked.clear()
    report = run(central, sandbox)
    assert (report.stats.chunks, report.stats.embedded, report.stats.reused) == (3, 2, 1)
    assert len(central.asked) == 3
    assert [chunk.vector is None for _, chunk in central.chunks()].count(True) == 1


def test_equal_chunks_of_a_run_are_embedded_once(
    central: StandIn, sandbox: Sandbox, ollama: Server
) -> None:
    sandbox.commit("copies", {f"copy{n}/f2.py": FILES["f2.py"] for n in range(3)})
    report = run(central, sandbox, OLLAMA_URL=ollama.url)
    assert (report.stats.chunks, report.stats.embedded, report.stats.reused) == (73, 70, 3)
    assert report.stats.embedding_requests == len(ollama.requests)
    assert report.stats.embedding_tokens > 0
    assert len(ollama.texts) == len(set(ollama.texts)) == 70 + 1  # and the check
    assert all(chunk.vector is not None for _, chunk in central.chunks())


def test_what_central_knows_does_not_decide_what_is_too_large(
    central: StandIn, sandbox: Sandbox
) -> None:
    functions = "".join(f"def g{n}():\n" + "    call()\n" * 12 for n in range(40))
    sandbox.commit("big", {"big.py": functions})
    run(central, sandbox)
    central.batch_bytes = 40_000  # it would fit without vectors
    report = run(central, sandbox, "force")
    assert report.stats.reused == report.stats.chunks > 0
    assert report.skipped == {SkipReason.TOO_LARGE: 1}


@pytest.mark.parametrize(
    ("embedder", "environ", "error"),
    [
        (replace(SPEC, dimensions=128), {}, EmbedderMismatchError),
        (EmbedderSpec("openai", "text-embedding-3-small", 1536), {}, EmbeddingError),
    ],
)
def test_an_embedder_that_cannot_be_used_ends_the_run_before_any_file(
    central: StandIn,
    sandbox: Sandbox,
    embedder: EmbedderSpec,
    environ: dict[str, str],
    error: type[EmbeddingError],
) -> None:
    central.embedder = embedder
    with pytest.raises(error):
        run(central, sandbox, **environ)
    assert central.abandoned == ["cancelled"]
    assert (central.batches, central.asked) == ({}, [])


def test_an_embedder_of_another_length_ends_the_run_before_any_file(
    central: StandIn, sandbox: Sandbox, ollama: Server
) -> None:
    ollama.dimensions = 384
    with pytest.raises(EmbedderMismatchError, match="384"):
        run(central, sandbox, OLLAMA_URL=ollama.url)
    assert (central.abandoned, central.asked) == (["cancelled"], [])


def test_a_run_that_embeds_nothing_needs_no_embedder(central: StandIn, sandbox: Sandbox) -> None:
    run(central, sandbox)
    central.base_embedder = str(OLLAMA)
    central.embedder = OLLAMA
    sandbox.commit("lock", {"uv.lock": "version = 1\n", "f0.py": None})
    report = run(central, sandbox, OLLAMA_URL="http://127.0.0.1:1")
    assert (report.stats.files_skipped, report.stats.chunks) == (1, 0)


@pytest.mark.parametrize(
    ("trouble", "error"),
    [(Trouble.BROKEN, EmbedderUnavailableError), (Trouble.GONE, EmbedderMismatchError)],
)
def test_what_was_embedded_before_an_embedder_gave_out_is_kept_and_the_rest_asked_for(
    central: StandIn,
    sandbox: Sandbox,
    ollama: Server,
    trouble: Trouble,
    error: type[EmbeddingError],
) -> None:
    more = {f"g{n}.py": f"def g{n}():\n    return {n}\n" for n in range(96 - len(FILES))}
    sandbox.commit("whole requests, whichever comes first", more)
    fine = Trouble.SHUFFLED  # which Ollama does not know
    ollama.troubles = [fine, fine, fine, *[trouble] * 9]  # 32 texts a request
    with pytest.raises(error) as caught:
        run(central, sandbox, OLLAMA_URL=ollama.url)
    kept = len(central.embeddings)
    assert f"The vectors of {kept} chunks were salvaged" in str(caught.value)
    assert kept in {32, 64}
    assert central.abandoned == ["cancelled"]
    assert len(central.batches) == 1
    ollama.troubles = []
    report = run(central, sandbox, OLLAMA_URL=ollama.url)
    assert (report.stats.embedded, report.stats.reused) == (96 - kept, kept)


REFUSAL = {"code": "direct_not_available", "detail": "The organisation does not allow it."}
STORE = {"QDRANT_URL": "http://localhost:6333", "QDRANT_API_KEY": "k"}


@pytest.mark.parametrize("store", [{}, STORE])
def test_a_direct_upload_that_is_required_fails_where_it_is_refused(
    central: StandIn, sandbox: Sandbox, store: dict[str, str]
) -> None:
    central.failures = [(409, REFUSAL, {})]
    with pytest.raises(CentralRefusedError, match="does not allow it"):
        run(central, sandbox, AETERNA_VECTORS="direct", **store)
    assert central.opened == []
    with pytest.raises(DirectNotAvailableError, match="AETERNA_VECTORS=relay"):
        run(central, sandbox, AETERNA_VECTORS="direct", **store)
    assert central.opened[-1]["vectors"] == "direct"
    assert central.opened[-1]["own_secret"] is bool(store)
    assert central.abandoned == ["cancelled"]
    with pytest.raises(ConfigurationError, match="relay or direct"):
        run(central, sandbox, AETERNA_VECTORS="both")


def test_where_only_an_address_asks_for_it_a_refused_direct_upload_is_relayed(
    central: StandIn, sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    central.failures = [(409, REFUSAL, {})]
    report = run(central, sandbox, **STORE)
    (opened,) = central.opened
    assert opened["direct_refused"] is True
    assert not {"vectors", "own_secret"} & opened.keys()
    assert all(chunk.vector is not None for _, chunk in central.chunks())
    assert (report.vectors, report.direct_refusal) == ("direct_refused", REFUSAL["detail"])
    assert "QDRANT_URL asked for direct uploads" in caplog.text
    assert "The organisation does not allow it" in caplog.text


def test_a_service_that_knows_no_direct_uploads_gets_the_vectors_too(
    central: StandIn, sandbox: Sandbox
) -> None:
    """One of before ignores the member `vectors`."""
    report = run(central, sandbox, **STORE)
    (opened,) = central.opened
    assert (opened["vectors"], opened["own_secret"]) == ("direct", True)
    assert all(chunk.vector is not None for _, chunk in central.chunks())
    assert report.vectors == "direct_refused"
    assert run(central, sandbox).vectors == "relay"


def test_another_refusal_is_not_taken_for_one_of_direct_uploads(
    central: StandIn, sandbox: Sandbox
) -> None:
    central.failures = [(409, {"code": "repository_paused", "detail": "Paused."}, {})]
    with pytest.raises(CentralRefusedError, match="Paused"):
        run(central, sandbox, **STORE)
    assert central.opened == []


def test_the_process_that_holds_the_secrets_loads_no_model_grammar_or_client() -> None:
    heavy = ("numpy", "openai", "qdrant_client", "grpc", "tokenizers", "tree_sitter")
    program = (
        "import sys, indexer.pipeline.job, indexer.pipeline.run; "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "[]\n"
