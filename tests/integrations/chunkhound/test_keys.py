"""Where the key comes from, and what is said where embedding fails."""

from pathlib import Path

import pytest

from aeterna_code_search.integrations.chunkhound import code
from tests.embedding_servers import KEY, Server, Trouble
from tests.integrations.chunkhound.conftest import Home

pytestmark = pytest.mark.usefixtures("project")
MISSING = "OPENAI_API_KEY not configured in secrets.yaml (required for code search embeddings)"
FOUND = "Found 8 results for: query"


def test_the_key_is_that_of_the_users_secrets(
    home: Home, openai: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    assert code.search(query="query").startswith(FOUND)
    home.secrets.rename(home.path / ".onetool/secrets.yaml")
    assert code.search(query="query").startswith(FOUND)


def test_ot_secrets_file_names_another_file(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home.secrets.write_text("OPENAI_API_KEY: another\n")
    (tmp_path / "mine.yaml").write_text(f"OTHER: 1\nOPENAI_API_KEY: '{KEY}'\n")
    monkeypatch.setenv("OT_SECRETS_FILE", str(tmp_path / "mine.yaml"))
    assert code.search(query="query").startswith(FOUND)
    monkeypatch.setenv("OT_SECRETS_FILE", "mine.yaml")
    assert code.search(query="query") == "Error: OT_SECRETS_FILE must be an absolute path"
    monkeypatch.setenv("OT_SECRETS_FILE", str(tmp_path / "gone.yaml"))
    assert "OT_SECRETS_FILE names does not exist" in code.search(query="query")


def test_without_secrets_the_key_is_that_of_the_environment(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home.secrets.write_text("BRAVE_API_KEY: x\n")
    assert code.search(query="query") == MISSING
    (tmp_path / "key").write_text(f"{KEY}\n")
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(tmp_path / "key"))
    assert code.search(query="query").startswith(FOUND)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(tmp_path / "gone"))
    assert code.search(query="query").startswith(FOUND)


def test_secrets_and_addresses_of_the_checkout_are_not_read(
    project: Path, home: Home, openai: Server
) -> None:
    """A clone names neither a key nor a server: both would go together."""
    home.secrets.unlink()
    for name in (".onetool/config/secrets.yaml", ".onetool/secrets.yaml", "secrets.yaml"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f"OPENAI_API_KEY: {KEY}\nOPENAI_BASE_URL: http://127.0.0.1:1\n")
    (project / ".chunkhound.json").write_text('{"embedding": {"base_url": "http://127.0.0.1:1"}}')
    assert code.search(query="query") == MISSING
    home.write_secrets(f"OPENAI_API_KEY: {KEY}\nOPENAI_BASE_URL: http://127.0.0.1:1\n")
    assert code.search(query="query").startswith(FOUND)
    assert len(openai.requests) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"OPENAI_API_KEY: {KEY}: [", "must be YAML"),
        (f"- {KEY}", "must be YAML"),
        ("\0", "must be YAML"),
        ("[", "must be YAML"),
        ("OPENAI_API_KEY: [1]", "must be a string"),
        (f"# {'x' * 70_000}\nOPENAI_API_KEY: {KEY}", "at most 65,536 bytes"),
        ("", MISSING),
        ("OPENAI_API_KEY:", MISSING),
    ],
)
def test_a_wrong_secrets_file_is_named_and_not_quoted(home: Home, content: str, said: str) -> None:
    home.secrets.write_text(content)
    text = code.search(query="query")
    assert said in text
    assert KEY not in text
    assert said == MISSING or str(home.secrets) in text


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (Trouble.QUOTA, "insufficient_quota"),
        (Trouble.GONE, "has no text-embedding-3-small"),
        (Trouble.A_PAGE, "not in JSON"),
    ],
)
def test_an_embedding_service_that_refuses(openai: Server, trouble: Trouble, said: str) -> None:
    openai.troubles[:] = [trouble] * 20
    text = code.search(query="query")
    assert text.startswith("Error: The queries could not be embedded: ")
    assert said in text
    assert KEY not in text


@pytest.mark.parametrize("trouble", [Trouble.BUSY, Trouble.BROKEN, Trouble.DROPPED, Trouble.CUT])
def test_an_embedding_service_is_asked_again(openai: Server, trouble: Trouble) -> None:
    openai.troubles[:] = [trouble]
    assert code.search(query="query").startswith(FOUND)
    assert len(openai.requests) == 2


@pytest.mark.parametrize(
    "trouble",
    [Trouble.BUSY, Trouble.BROKEN, Trouble.TOO_FEW, Trouble.NOT_FINITE],
)
def test_an_embedding_service_is_not_asked_for_ever(
    openai: Server, trouble: Trouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "aeterna_code_search.integrations.chunkhound.embedding.CHUNKHOUND_RETRY_SECONDS", 0.5
    )
    openai.troubles[:] = [trouble] * 50
    assert code.search(query="query").startswith("Error: The queries could not be embedded: ")
    assert openai.troubles


def test_a_slow_embedding_service_is_given_up(
    openai: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "aeterna_code_search.integrations.chunkhound.embedding.CHUNKHOUND_RETRY_SECONDS", 0.1
    )
    monkeypatch.setattr(
        "aeterna_code_search.integrations.chunkhound.embedding.CHUNKHOUND_EMBEDDING_SECONDS", 0.3
    )
    openai.troubles[:] = [Trouble.SLOW] * 5
    assert "did not answer" in code.search(query="query")


def test_vectors_of_another_length_are_refused(
    openai: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "is_rigid", True)
    monkeypatch.setattr(openai, "dimensions", 768)
    text = code.search(query="query")
    assert "768" in text
    assert "1536" in text


def test_a_wrong_key_is_not_repeated(home: Home) -> None:
    home.write_secrets("OPENAI_API_KEY: sk-wrong-9876543210\n")
    text = code.search(query="query")
    assert "does not take the key (HTTP 401)" in text
    assert "wrong" not in text


def test_a_wrong_address_says_which_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "ftp://x")
    assert "OPENAI_BASE_URL" in code.search(query="query")
