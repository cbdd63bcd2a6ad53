"""Which vector store a call is about, and the cache of names."""

import json
from collections.abc import Mapping
from pathlib import Path

from aeterna_code_search.integrations.codequery import codequery
from tests.integrations.codequery.conftest import Ask
from tests.integrations.codequery.openai_server import KEY, Fault, Server, Trouble


def cache_of(environ: Mapping[str, str]) -> Path:
    return Path(environ["HOME"]) / ".forge/codequery/stores.json"


def test_t_cq_store_01_cache_lookup_resolves_store_id(
    ask: Ask, server: Server, environ: Mapping[str, str]
) -> None:
    """FR-CQ-08, FR-CQ-09."""
    store_id = ask(vector_store_name="ours")["vector_store_id"]
    assert store_id in cache_of(environ).read_text()
    server.requests.clear()
    answer = ask(vector_store_name="ours")
    assert answer["vector_store_id"] == store_id
    assert answer["vector_store_name"] == "ours"
    assert server.count("GET", "/vector_stores") == 0
    assert server.count("POST", "/vector_stores") == 0


def test_a_store_of_that_name_is_found_remotely_on_a_later_page(ask: Ask, server: Server) -> None:
    for number in range(120):
        server.add_store(f"other-{number}")
    server.add_store("ours", status="expired")
    oldest, _ = server.add_store("ours"), server.add_store("ours")
    assert ask(vector_store_name="ours")["vector_store_id"] == oldest
    assert server.count("POST", "/vector_stores") == 0


def test_an_id_is_used_directly(ask: Ask, server: Server) -> None:
    """FR-CQ-07."""
    store_id = server.add_store("theirs")
    answer = ask(vector_store_id=store_id, vector_store_name="ours")
    assert (answer["vector_store_id"], answer["vector_store_name"]) == (store_id, "theirs")
    assert len(server.stores) == 1


def test_a_store_that_was_deleted_is_made_again_by_its_name(ask: Ask, server: Server) -> None:
    store_id = ask(vector_store_name="ours")["vector_store_id"]
    del server.stores[store_id]
    answer = ask(vector_store_name="ours")
    assert answer["status"] == "ok"
    assert answer["vector_store_id"] != store_id
    assert answer["indexed_count"] == 2
    assert ask(vector_store_name="ours")["vector_store_id"] == answer["vector_store_id"]


def test_an_expired_store_is_left_for_another_of_its_name(ask: Ask, server: Server) -> None:
    store_id = ask(vector_store_name="ours")["vector_store_id"]
    server.stores[store_id]["status"] = "expired"
    assert ask(vector_store_name="ours")["vector_store_id"] not in {store_id, None}
    assert ask(vector_store_id=store_id)["error"]["code"] == "store_not_found"


def test_an_id_that_is_not_there_is_an_error(ask: Ask, server: Server) -> None:
    answer = ask(vector_store_id="vs_absent")
    assert answer["error"]["code"] == "store_not_found"
    assert "vs_absent" in answer["error"]["message"]
    assert server.stores == {}


def test_a_store_that_is_deleted_meanwhile_is_an_error(ask: Ask, server: Server) -> None:
    store_id = server.add_store("ours")
    server.faults = [Fault(Trouble.GONE, "GET", f"/vector_stores/{store_id}/files")]
    assert ask(vector_store_id=store_id)["error"]["code"] == "store_not_found"


def test_without_a_name_it_is_the_configured_one_or_one_of_the_directory(
    ask: Ask, environ: Mapping[str, str], checkout: Path
) -> None:
    name = ask()["vector_store_name"]
    assert name.startswith("codequery-project-")
    other = checkout.parent / "elsewhere/project"
    other.mkdir(parents=True)
    (other / "a.py").write_text("a")
    assert ask(directory=other)["vector_store_name"] != name
    settings = Path(environ["CODESEARCH_CONFIG"])
    settings.write_text('[codequery]\nenabled = true\ndefault_vector_store_name = "ours"\n')
    assert ask()["vector_store_name"] == "ours"


def test_a_damaged_cache_is_put_aside_and_the_name_looked_up(
    ask: Ask, server: Server, environ: Mapping[str, str]
) -> None:
    store_id = ask()["vector_store_id"]
    cache = cache_of(environ)
    for damage in ("", '{"version": 1, "sto', "[]", '{"version": 1, "stores": {"a": 5}}', "\x00"):
        cache.write_text(damage)
        answer = ask()
        assert answer["vector_store_id"] == store_id
        assert "was damaged" in answer["warnings"][0]
        assert cache.with_name("stores.json.damaged").read_text() == damage
        assert json.loads(cache.read_text())["version"] == 1
    assert len(server.stores) == 1


def test_a_name_that_is_kept_for_one_account_is_not_another_s(
    ask: Ask, server: Server, environ: Mapping[str, str]
) -> None:
    store_id = ask(vector_store_name="ours")["vector_store_id"]
    server.key = "sk-test-of-somebody-else"
    server.stores.clear()
    answer = ask(vector_store_name="ours", environ={**environ, "OPENAI_API_KEY": server.key})
    assert answer["vector_store_id"] != store_id
    kept = json.loads(cache_of(environ).read_text())["stores"]
    assert sorted(one["ours"] for one in kept.values()) == [store_id, answer["vector_store_id"]]
    assert KEY not in cache_of(environ).read_text()


def test_files_of_the_cache_are_the_user_s_alone(ask: Ask, environ: Mapping[str, str]) -> None:
    ask()
    files = [one for one in cache_of(environ).parent.rglob("*") if one.is_file()]
    assert files
    assert {one.stat().st_mode & 0o077 for one in files} == {0}


def test_a_store_that_was_made_without_an_answer_is_found(ask: Ask, server: Server) -> None:
    server.faults = [Fault(Trouble.LATE_DONE, "POST", "/vector_stores")]
    assert ask(vector_store_name="ours")["status"] == "ok"
    assert [one["name"] for one in server.stores.values()] == ["ours"]


def test_a_cache_that_cannot_be_written_is_an_error(
    environ: Mapping[str, str], checkout: Path, server: Server
) -> None:
    (Path(environ["HOME"]) / ".forge").write_text("a file")
    answer = codequery(query="x", environ=environ, directory=checkout)
    assert answer["error"]["code"] == "configuration"
    assert "cache_path" in answer["error"]["message"]
    assert server.uploaded == []
