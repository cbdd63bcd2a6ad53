"""Settings come from arguments, environment and file, in this order, and secrets stay secret."""

import os
from pathlib import Path

import pytest

from indexer.config.settings import (
    DirectUploadSettings,
    GitCredential,
    IdTokenSource,
    Settings,
    consume_environment,
    direct_settings,
    embedder_access,
)
from indexer.errors import ConfigurationError
from indexer.records.vectors import EmbedderConfig

ENVIRON = {
    "AETERNA_URL": "https://search.example/",
    "AETERNA_TOKEN": "aet_secret",
    "AETERNA_ORGANIZATION": "acme",
}


def load(
    directory: Path, environ: dict[str, str] | None = None, **overrides: str | None
) -> Settings:
    return Settings.load(
        ENVIRON if environ is None else environ,
        project_dir=directory,
        default_project="own-name",
        overrides=overrides,
    )


def test_arguments_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    (tmp_path / ".codesearch.toml").write_text(
        '[server]\nurl = "http://file"\norganization = "file"\nproject = "file"\n'
    )
    settings = load(tmp_path, {"AETERNA_TOKEN": "t", "AETERNA_PROJECT": "env"}, organization="arg")
    assert (settings.url, settings.organization, settings.project) == ("http://file", "arg", "env")


def test_the_project_defaults_to_the_repositorys_name(tmp_path: Path) -> None:
    settings = load(tmp_path)
    assert settings.project == "own-name"
    assert settings.url == "https://search.example"


@pytest.mark.parametrize("name", ENVIRON)
def test_what_is_required_is_named(tmp_path: Path, name: str) -> None:
    environ = {key: value for key, value in ENVIRON.items() if key != name}
    with pytest.raises(ConfigurationError, match=name):
        load(tmp_path, environ)


@pytest.mark.parametrize(
    "url",
    [
        "search.example",
        "ftp://x",
        "https://u:p@x",
        "https://:p@x",
        "https://",
        "http://[::1",
        "http://x:port",
        "http://a b",
        "http://a\x01b",
        f"http://{'a' * 64}.example",
        "http://ä..example",
    ],
)
def test_an_address_that_is_none_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigurationError, match="AETERNA_URL"):
        load(tmp_path, {**ENVIRON, "AETERNA_URL": url})


def test_the_token_may_lie_in_a_file_and_shows_nowhere(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("aet_from_file\n")
    environ = {**ENVIRON, "AETERNA_TOKEN": "", "AETERNA_TOKEN_FILE": str(tmp_path / "token")}
    settings = load(tmp_path, environ)
    assert settings.credential == "aet_from_file"
    assert "aet_" not in repr(settings)
    with pytest.raises(ConfigurationError, match="AETERNA_TOKEN_FILE"):
        load(tmp_path, {**environ, "AETERNA_TOKEN_FILE": str(tmp_path / "none")})


@pytest.mark.parametrize("token", ["aet_x\naet_y", "aet_“x”"])
def test_what_no_header_can_hold_is_no_token(tmp_path: Path, token: str) -> None:
    with pytest.raises(ConfigurationError, match="AETERNA_TOKEN is no token") as caught:
        load(tmp_path, {**ENVIRON, "AETERNA_TOKEN": token})
    assert "aet_" not in str(caught.value)


KEYLESS = {
    "AETERNA_URL": "https://search.example",
    "AETERNA_ORGANIZATION": "acme",
    "GITHUB_ACTIONS": "true",
    "ACTIONS_ID_TOKEN_REQUEST_URL": "https://actions.example/idtoken?api-version=2.0",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "key-of-the-job",
}


def test_a_job_without_a_token_is_keyless(tmp_path: Path) -> None:
    settings = load(tmp_path, KEYLESS)
    assert settings.credential == IdTokenSource(
        "https://actions.example/idtoken?api-version=2.0", "key-of-the-job"
    )
    assert "key-of-the-job" not in repr(settings) + repr(settings.credential)


def test_a_token_that_is_given_wins_over_an_id_token(tmp_path: Path) -> None:
    settings = load(tmp_path, {**KEYLESS, "AETERNA_TOKEN": "aet_given"})
    assert settings.credential == "aet_given"


@pytest.mark.parametrize("name", ["ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"])
def test_a_job_that_may_not_ask_for_an_id_token_is_told_the_permission(
    tmp_path: Path, name: str
) -> None:
    environ = {**KEYLESS, name: ""}
    with pytest.raises(ConfigurationError, match="permissions: id-token: write"):
        load(tmp_path, environ)
    with pytest.raises(ConfigurationError, match=r"^AETERNA_TOKEN is not set; [^,]*$"):
        load(tmp_path, {**environ, "GITHUB_ACTIONS": ""})


@pytest.mark.parametrize(
    ("url", "audience"),
    [
        ("HTTPS://Search.Example/", "https://search.example"),
        ("https://search.example/Code//", "https://search.example/Code"),
        ("http://LocalHost:8000", "http://localhost:8000"),
    ],
)
def test_the_address_is_written_as_the_audience_of_id_tokens_is(
    tmp_path: Path, url: str, audience: str
) -> None:
    assert load(tmp_path, {**KEYLESS, "AETERNA_URL": url}).url == audience


@pytest.mark.parametrize(
    ("environ", "credential"),
    [
        (
            {"GITHUB_SERVER_URL": "https://github.com/", "GITHUB_TOKEN": "ghs_x"},
            GitCredential("https://github.com", "ghs_x"),
        ),
        ({"GITHUB_SERVER_URL": "https://github.com"}, None),
        ({"GITHUB_TOKEN": "ghs_x"}, None),
        ({"GITHUB_SERVER_URL": "https://github.com", "GITHUB_TOKEN": ""}, None),
    ],
)
def test_git_is_given_the_jobs_token_for_its_server(
    environ: dict[str, str], credential: GitCredential | None
) -> None:
    assert GitCredential.load(environ) == credential
    assert "ghs_" not in repr(GitCredential.load(environ))


def test_taking_the_environment_leaves_no_secret_to_children(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    removed = {
        "AETERNA_TOKEN",
        "OPENAI_API_KEY",
        "QDRANT_API_KEY",
        "GITHUB_TOKEN",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
        "ACTIONS_RUNTIME_TOKEN",
        "GIT_DIR",
    }
    for name in removed:
        monkeypatch.setenv(name, "value")
    monkeypatch.delenv("TOKENIZERS_PARALLELISM", raising=False)
    environ = consume_environment()
    assert {name: environ[name] for name in removed} == dict.fromkeys(removed, "value")
    assert removed.isdisjoint(os.environ)
    assert os.environ["TOKENIZERS_PARALLELISM"] == "false"
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")  # so that it is put back


def test_githubs_variables_make_the_context(tmp_path: Path) -> None:
    github = load(
        tmp_path,
        {
            **ENVIRON,
            "CI": "true",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_REPOSITORY": "acme/app",
            "GITHUB_REPOSITORY_ID": "7",
            "GITHUB_REPOSITORY_OWNER_ID": "8",
            "GITHUB_RUN_ID": "9",
            "GITHUB_EVENT_NAME": "push",
        },
    ).github
    assert github.repository_url == "https://github.com/acme/app"
    assert (github.repository_id, github.owner_id, github.event) == ("7", "8", "push")
    assert github.run_url == "https://github.com/acme/app/actions/runs/9"
    assert load(tmp_path).github.repository_url == ""


def test_the_time_to_wait_for_a_server_is_a_whole_number_of_seconds(tmp_path: Path) -> None:
    environ = {
        "AETERNA_URL": "http://localhost:8000",
        "AETERNA_ORGANIZATION": "acme",
        "AETERNA_TOKEN": "secret",
    }

    def load(**more: str) -> Settings:
        return Settings.load(
            environ | more, project_dir=tmp_path, default_project="shop", overrides={}
        )

    assert load().retry_seconds == 60
    assert load(AETERNA_RETRY_SECONDS="5").retry_seconds == 5
    with pytest.raises(ConfigurationError, match="AETERNA_RETRY_SECONDS"):
        load(AETERNA_RETRY_SECONDS="soon")


@pytest.mark.parametrize(
    ("content", "branch"),
    [
        (b'{"repository": {"default_branch": "trunk"}}', "trunk"),
        (b'{"repository": {"default_branch": 1}}', ""),
        (b'{"repository": null}', ""),
        (b"[]", ""),
        (b"{", ""),
        (b"\xff", ""),
        (None, ""),
    ],
)
def test_githubs_event_may_name_the_default_branch(
    tmp_path: Path, content: bytes | None, branch: str
) -> None:
    event = tmp_path / "event.json"
    if content is not None:
        event.write_bytes(content)
    environ = {
        **ENVIRON,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "acme/app",
        "GITHUB_EVENT_PATH": str(event),
    }
    assert load(tmp_path, environ).github.default_branch == branch


def test_githubs_event_names_the_commits_of_a_pull_request(tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text('{"pull_request": {"base": {"sha": "b1"}, "head": {"sha": "h1"}}}')
    environ = {
        **ENVIRON,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "acme/app",
        "GITHUB_EVENT_PATH": str(event),
    }
    github = load(tmp_path, environ).github
    assert (github.base_sha, github.head_sha) == ("b1", "h1")


def test_embedding_services_are_where_they_are_by_default() -> None:
    assert embedder_access({"OPENAI_API_KEY": "", "OLLAMA_URL": " "}) == EmbedderConfig()


def test_embedding_services_are_where_the_environment_says(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("sk-secret\n")
    access = embedder_access(
        {
            "OPENAI_API_KEY_FILE": str(key),
            "OPENAI_BASE_URL": "https://gateway.example/v1/",
            "OLLAMA_URL": "http://ollama:11434/",
            "AETERNA_MODELS_DIR": str(tmp_path),
        }
    )
    assert access == EmbedderConfig(
        openai_api_key="sk-secret",
        openai_base_url="https://gateway.example/v1",
        ollama_url="http://ollama:11434",
        models=tmp_path,
    )
    assert "secret" not in repr(access)


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "OLLAMA_URL"])
@pytest.mark.parametrize(
    "url",
    ["ollama:11434", "http://user:secret@host", "ftp://host", "http://", "http://host?key=secret"],
)
def test_an_embedding_services_address_is_one_without_a_password(name: str, url: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name} must be .* such as http") as caught:
        embedder_access({name: url})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("environ", "direct"),
    [
        ({}, None),
        ({"QDRANT_API_KEY": "k"}, None),
        ({"AETERNA_VECTORS": "direct"}, DirectUploadSettings()),
        ({"AETERNA_VECTORS": "direct", "QDRANT_API_KEY": "k"}, DirectUploadSettings()),
        (
            {"AETERNA_VECTORS": "direct", "QDRANT_URL": "http://q:6333"},
            DirectUploadSettings("http://q:6333"),
        ),
        (
            {"QDRANT_URL": "http://q:6333"},
            DirectUploadSettings("http://q:6333", is_required=False),
        ),
        (
            {"QDRANT_URL": "http://q:6333", "QDRANT_API_KEY": "k"},
            DirectUploadSettings("http://q:6333", "k", is_required=False),
        ),
        ({"QDRANT_URL": "http://qdrant:6333", "AETERNA_VECTORS": "relay"}, None),
    ],
)
def test_vectors_are_written_from_here_where_that_or_a_qdrant_is_named(
    environ: dict[str, str], direct: DirectUploadSettings | None
) -> None:
    assert direct_settings(environ) == direct
    assert "'k'" not in repr(direct)


def test_no_other_way_for_vectors_is_taken_for_one() -> None:
    with pytest.raises(ConfigurationError, match="AETERNA_VECTORS must be relay or direct"):
        direct_settings({"AETERNA_VECTORS": "qdrant"})
