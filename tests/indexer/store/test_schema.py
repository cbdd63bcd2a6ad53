"""Names and path prefixes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import ConfigurationError, StoreError
from indexer.lexical import K1
from indexer.records.vectors import EmbedderSpec
from indexer.store import open_store, schema

specs = st.builds(EmbedderSpec, st.text(min_size=1), st.text(), st.integers(1, 4096))


@given(specs)
def test_embedder_key_is_safe_in_files_and_sql(spec: EmbedderSpec) -> None:
    key = schema.embedder_key(spec)
    assert key.replace("_", "").isalnum()
    assert key == key.lower()
    assert len(f"vector_{key}") <= 63  # PostgreSQL cuts longer identifiers


def test_embedders_that_read_alike_have_different_keys() -> None:
    keys = {schema.embedder_key(EmbedderSpec("a", model, 8)) for model in ("b-c", "b_c", "B/c")}
    assert len(keys) == 3


@given(st.text(max_size=20))
def test_organization_key_never_leaves_its_directory(text: str) -> None:
    try:
        key = schema.organization_key(text)
    except StoreError:
        return
    assert key == text
    assert (Path("/data") / key).parent == Path("/data")


def test_path_prefixes_end_at_components() -> None:
    assert schema.path_prefixes("a/b/c.py") == ["a", "a/b", "a/b/c.py"]
    assert schema.path_prefixes("setup.py") == ["setup.py"]


@pytest.mark.parametrize("written", ["src/auth", "src/auth/", "/src/auth", "./src/auth"])
def test_path_filters_are_read_as_people_write_them(written: str) -> None:
    assert schema.normalized_prefix(written) == "src/auth"


def test_term_weights_stay_below_the_bound_that_the_stores_use() -> None:
    assert schema.MAX_TERM_WEIGHT == K1 + 1


@pytest.mark.parametrize("url", ["", "edge:", "edge", "https://qdrant:6333", "postgresql:"])
def test_address_that_names_no_store_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="edge:DIRECTORY"):
        open_store(url)


def test_opening_touches_nothing(tmp_path: Path) -> None:
    open_store(f"edge:{tmp_path / 'vectors'}").close()
    open_store("postgresql://nobody@127.0.0.1:1/nothing").close()
    assert list(tmp_path.iterdir()) == []
