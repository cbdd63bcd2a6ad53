"""What can be said of an embedder before any service is asked."""

import pytest

from indexer.embedding.catalogue import DEFAULTS, spec_error
from indexer.records.vectors import EmbedderSpec


@pytest.mark.parametrize(
    "text",
    [
        *map(str, DEFAULTS.values()),
        "openai/text-embedding-3-small/512",
        "openai/text-embedding-3-large/3072",
        "openai/text-embedding-ada-002/1536",
        "openai/BAAI/bge-m3/1024",
        "ollama/nomic-embed-text:v1.5/768",
        "ollama/hf.co/nomic-ai/code:Q8_0/3584",
        "builtin/our-own.v2/128",
        "openai/anything/4000",
    ],
)
def test_what_may_exist_is_believed(text: str) -> None:
    assert spec_error(EmbedderSpec.parse(text)) is None


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("openai/text-embedding-3-small/3072", "at most 1536 .*openai/text-embedding-3-small/1536"),
        ("openai/text-embedding-3-large/3073", "at most 3072"),
        ("openai/text-embedding-ada-002/512", "of 1536 .*write openai/text-embedding-ada-002/1536"),
        ("ollama/nomic-embed-text/1536", "write ollama/nomic-embed-text/768"),
        ("ollama/nomic-embed-text:latest/512", "write ollama/nomic-embed-text:latest/768"),
        ("builtin/aeterna-static-1/128", "write builtin/aeterna-static-1/256"),
        ("openai/anything/4001", "write 1 to 4000"),
        ("openai/anything/0", "write 1 to 4000"),
        ("builtin/../secrets/256", "no model's name"),
        ("builtin/a/b/256", "no model's name"),
        ("builtin/.hidden/256", "no model's name"),
        ("openai/two words/256", "no model's name"),
        ("ollama/line\nend/256", "no model's name"),
        ("cohere/embed-v4/1024", "providers are builtin, openai, ollama"),
    ],
)
def test_what_cannot_be_says_what_to_write(text: str, instead: str) -> None:
    with pytest.raises(AssertionError, match=instead):
        assert spec_error(EmbedderSpec.parse(text)) is None
