"""`python -m benchmarks training` on a small repository: what it writes is a model."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.training.command import main
from benchmarks.training.model_folder import PACKAGED, quantized, read_folder, tokenize
from benchmarks.training.tokens import encode
from indexer.embedding import open_embedder
from indexer.embedding.builtin import SPEC
from indexer.records.vectors import EmbedderConfig, EmbedderSpec
from tests.benchmarks.training.organisation import TOPICS, organisation_repository


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return organisation_repository(tmp_path_factory.mktemp("organisation") / "bank")


def test_the_written_model_is_opened_by_its_name(
    bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--repositories", str(bank), "--name", "bank-1", "--out", str(tmp_path)]
    main([*asked, "--epochs", "2"])

    embedder = open_embedder(
        EmbedderSpec("builtin", "bank-1", 256), EmbedderConfig(models=tmp_path)
    )
    vectors = embedder.embed_queries([sentence for _, sentence in TOPICS.values()])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    written = (tmp_path / "bank-1" / "README.md").read_text()
    assert "- bank @ " in written
    assert "| files not learnt from (" in written
    assert "MRR@10" in capsys.readouterr().out


def test_the_same_seed_gives_the_same_model(bank: Path, tmp_path: Path) -> None:
    for place in ("once", "again"):
        asked = ["--repositories", str(bank), "--name", "bank-1", "--out", str(tmp_path / place)]
        main([*asked, "--epochs", "1", "--seed", "7", "--workspace", str(tmp_path / "workspace")])

    once, again = (
        (tmp_path / place / "bank-1" / "model.safetensors").read_bytes()
        for place in ("once", "again")
    )
    assert once == again


def test_a_model_begins_from_texts_alone_where_that_is_asked(bank: Path, tmp_path: Path) -> None:
    asked = ["--repositories", str(bank), "--name", "bank-0", "--out", str(tmp_path)]
    main([*asked, "--from-scratch", "--epochs", "1"])

    folder = read_folder(tmp_path / "bank-0")
    known = np.linalg.norm(folder.table, axis=1) > 0
    assert 10 < known.sum() < 200
    (ledger,) = tokenize(folder, ["ledger"]).tokens
    assert known[ledger]


@pytest.mark.parametrize("name", ["aeterna-static-1", "../acme", "a/b"])
def test_a_name_that_cannot_be_a_models_is_refused(name: str, bank: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["--repositories", str(bank), "--name", name, "--out", str(tmp_path)])

    assert list(tmp_path.iterdir()) == []


def test_texts_are_encoded_as_the_embedder_encodes_them() -> None:
    packaged = read_folder(PACKAGED)
    texts = ["open_balance of the HTTPServer", "", "word " * 900]

    ours = encode(packaged.table, tokenize(packaged, texts))

    np.testing.assert_allclose(ours, open_embedder(SPEC).embed_documents(texts), atol=1e-5)


def test_int8_of_one_scale_keeps_directions() -> None:
    table = np.random.default_rng(2).standard_normal((50, 256), dtype=np.float32)

    kept = quantized(table).astype(np.float32)

    cosines = (kept * table).sum(1) / np.linalg.norm(kept, axis=1) / np.linalg.norm(table, axis=1)
    assert cosines.min() > 0.999
