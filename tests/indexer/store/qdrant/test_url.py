"""Addresses of Qdrant: what is understood, and that what is wrong is named without a secret."""

import pytest

from indexer.errors import ConfigurationError
from indexer.store import check_address
from indexer.store.qdrant.address import QdrantAddress, from_rest_url


def test_without_options_it_is_grpc_with_a_collection_per_project() -> None:
    address = QdrantAddress.parse("qdrant://vectors.example")
    assert address == QdrantAddress("vectors.example", 6334)
    assert address.for_clients == "qdrant://vectors.example:6334"


def test_every_option_is_read() -> None:
    address = QdrantAddress.parse(
        "qdrants://[fd00::1]:7000?collections=organization&transport=rest&timeout=9"
        "&shards=4&replicas=2&quantization=none&jwt=true"
    )
    assert address == QdrantAddress(
        host="[fd00::1]",
        port=7000,
        tls=True,
        collections="organization",
        transport="rest",
        timeout_seconds=9,
        shards=4,
        replicas=2,
        quantization="none",
        jwt=True,
    )


def test_clients_are_told_no_more_than_they_need() -> None:
    address = QdrantAddress.parse("qdrants://q:7000?transport=rest&timeout=9&shards=4&jwt=true")
    told = QdrantAddress.parse(address.for_clients)
    assert told == QdrantAddress("q", 7000, tls=True, transport="rest", timeout_seconds=9)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("qdrant://:s3cret@q", "QDRANT_API_KEY_FILE"),
        ("qdrant://s3cret@q:6334", "QDRANT_API_KEY_FILE"),
        ("qdrant://q?api_key=s3cret", "QDRANT_API_KEY_FILE"),
        ("qdrant://q?token=s3cret", "QDRANT_API_KEY_FILE"),
        ("qdrant://q?s3cret", "unknown option"),
        ("qdrant://q?shard=2", "'shard'. There are: collections, jwt, quantization"),
        ("qdrant://q?collections=all", "'collections' of Qdrant's address must be project or"),
        ("qdrant://q?jwt=yes", "'jwt' of Qdrant's address must be true or false"),
        ("qdrant://q?timeout=0", "'timeout' of Qdrant's address must be a whole number"),
        ("qdrant://q?shards=many", "'shards' of Qdrant's address must be a whole number"),
        ("qdrant://", "must be qdrant://HOST:6334"),
        ("qdrant://q:port", "must be qdrant://HOST:6334"),
        ("qdrant://q:0", "must be qdrant://HOST:6334"),
        ("qdrant://q/path", "must be qdrant://HOST:6334"),
        ("qdrant:q", "must be qdrant://HOST:6334"),
        ("qdrant://[q", "must be qdrant://HOST:6334"),
    ],
)
def test_what_is_wrong_is_named_before_any_use(url: str, says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_address(url)
    assert says in str(caught.value)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://qdrant:6333", "qdrant://qdrant:6334"),
        ("http://qdrant:6333/", "qdrant://qdrant:6334"),
        ("https://abc.cloud.example", "qdrants://abc.cloud.example:6334"),
        ("http://[::1]:8080", "qdrant://[::1]:8080?transport=rest"),
        ("qdrants://q:6334?jwt=true", "qdrants://q:6334?jwt=true"),
    ],
)
def test_address_as_qdrants_own_tools_write_it_is_understood(url: str, address: str) -> None:
    assert from_rest_url(url) == address


@pytest.mark.parametrize("url", ["", "qdrant", "ftp://qdrant", "http://user:s3cret@qdrant:6333"])
def test_what_is_no_address_of_qdrants_tools_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        from_rest_url(url)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "is_loopback"),
    [("localhost", True), ("127.0.0.1", True), ("[::1]", True), ("qdrant", False)],
)
def test_loopback_is_known(host: str, is_loopback: bool) -> None:
    assert QdrantAddress.parse(f"qdrant://{host}:6334").is_loopback == is_loopback
