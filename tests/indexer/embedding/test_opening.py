"""How embedders are opened, and static models of one's own."""

import json
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from indexer.embedding import open_embedder
from indexer.embedding.builtin import SPEC
from indexer.errors import EmbedderMismatchError, EmbeddingError
from indexer.records.vectors import EmbedderConfig, EmbedderSpec

PACKAGED = Path(str(files("indexer"))) / "embedding" / "model"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A directory with `small`, the packaged model's first 64 dimensions, without a length."""
    folder = tmp_path / "models" / "small"
    folder.mkdir(parents=True)
    shutil.copy(PACKAGED / "tokenizer.json", folder)
    table = load_file(PACKAGED / "model.safetensors")["embeddings"][:, :64]
    save_file({"embeddings": np.ascontiguousarray(table)}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"normalize": False}))
    return folder.parent


def test_a_model_of_ones_own_gives_unit_rows_of_its_dimensions(models: Path) -> None:
    spec = EmbedderSpec("builtin", "small", 64)
    embedder = open_embedder(spec, EmbedderConfig(models=models))
    embedder.check()
    vectors = embedder.embed_documents(["def retry(): ...", "{}"])
    assert embedder.spec == spec
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0], atol=1e-5)
    assert vectors.shape == (2, 64)


def test_a_model_of_other_dimensions_names_both_sides(models: Path) -> None:
    with pytest.raises(
        EmbedderMismatchError, match=r"64 dimensions, .*set that to builtin/small/64"
    ):
        open_embedder(EmbedderSpec("builtin", "small", 256), EmbedderConfig(models=models))


def test_a_model_that_is_not_there_says_where_it_was_looked_for(models: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"loaded from .*/other .*AETERNA_MODELS_DIR"):
        open_embedder(EmbedderSpec("builtin", "other", 64), EmbedderConfig(models=models))
    with pytest.raises(EmbeddingError, match="set AETERNA_MODELS_DIR"):
        open_embedder(EmbedderSpec("builtin", "other", 64))


@pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors", "config.json"])
def test_a_damaged_model_is_an_error_of_embedding(models: Path, name: str) -> None:
    (models / "small" / name).write_bytes(b"{")
    with pytest.raises(EmbeddingError, match=r"cannot be loaded"):
        open_embedder(EmbedderSpec("builtin", "small", 64), EmbedderConfig(models=models))


@pytest.mark.parametrize("name", ["..", ".", "../small", "/etc", "small/../small"])
def test_no_name_leads_out_of_the_directory(models: Path, name: str) -> None:
    with pytest.raises(EmbedderMismatchError, match="no model's name"):
        open_embedder(EmbedderSpec("builtin", name, 64), EmbedderConfig(models=models))


@pytest.mark.parametrize("spec", ["nobody/nothing/7", "builtin/aeterna-static-1/128"])
def test_a_spec_that_nothing_serves_says_what_to_write(spec: str) -> None:
    with pytest.raises(EmbedderMismatchError, match=f"of {spec}.*: write {SPEC}"):
        open_embedder(EmbedderSpec.parse(spec))


def test_the_built_in_model_loads_no_client_of_a_service() -> None:
    program = (
        "import sys; from indexer.embedding import open_embedder as o; "
        "from indexer.embedding.catalogue import PACKAGED as p; assert 'numpy' not in sys.modules; "
        "o(p).embed_queries(['x']); print({'openai', 'httpx', 'httpx2'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_the_error_of_a_missing_openai_package_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "indexer.embedding.openai", raising=False)
    monkeypatch.setitem(sys.modules, "openai", None)  # so that its import fails
    with pytest.raises(EmbeddingError) as error:
        open_embedder(EmbedderSpec("openai", "text-embedding-3-small", 1536))
    assert str(error.value) == (
        "The embedder openai/text-embedding-3-small/1536 needs the package openai, which is not "
        "installed: give the action its input openai-api-key; elsewhere, pip install openai."
    )
