"""The specification's scenarios of the chart, and that each setting has its effect in central."""

import os
from pathlib import Path

import pytest

from central.settings.services import access, default_embedder, vector_store_url
from scripts.local_service import clean_environment
from tests.deploy.chart import Rendered, render, template, variables

pytestmark = pytest.mark.system("helm")


def test_enable_code_search_sidecar() -> None:
    containers = render(codesearch__enabled=True).containers("web")
    assert list(containers) == ["web", "codesearch"]
    assert containers["codesearch"]["args"] == ["sidecar"]
    assert containers["codesearch"]["image"] == containers["web"]["image"]

    (port,) = containers["codesearch"]["ports"]
    assert variables(containers["web"])["CODESEARCH_SIDECAR_URL"] == (
        f"http://127.0.0.1:{port['containerPort']}/mcp"
    )
    sidecar = variables(containers["codesearch"])
    assert sidecar["CODESEARCH_SIDECAR_BIND"] == f"[::]:{port['containerPort']}"
    assert sidecar["AETERNA_URL"] == "http://127.0.0.1:8000"


def test_disable_code_search_sidecar() -> None:
    for rendered in (render(), render(codesearch__enabled=False)):
        containers = rendered.containers("web")
        assert list(containers) == ["web"]
        assert "CODESEARCH_SIDECAR_URL" not in rendered.text


def test_configure_code_search_resources() -> None:
    rendered = render(codesearch__enabled=True, codesearch__resources__limits__memory="1Gi")
    containers = rendered.containers("web")
    assert containers["codesearch"]["resources"]["limits"]["memory"] == "1Gi"
    assert containers["web"]["resources"]["limits"]["memory"] == "2Gi"


def test_the_sidecar_has_no_secret() -> None:
    sidecar = render(codesearch__enabled=True).containers("web")["codesearch"]
    assert "envFrom" not in sidecar
    assert [mount["name"] for mount in sidecar["volumeMounts"]] == ["sidecar-tmp"]


def test_the_sidecar_would_be_redirected_where_the_service_redirects() -> None:
    done = template(codesearch__enabled=True, sslRedirect=True)
    assert done.returncode
    assert "sslRedirect" in done.stderr


def adopt(rendered: Rendered, monkeypatch: pytest.MonkeyPatch, secrets: Path) -> None:
    """Give this process the settings that the chart gives, and each secret as its own name."""
    for name in os.environ.keys() - clean_environment({}).keys():
        monkeypatch.delenv(name)
    for name, value in rendered.settings(secrets).items():
        if name.endswith("_FILE"):
            Path(value).write_text(f"the {name.removesuffix('_FILE')}")
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("values", "embedder"),
    [
        ({}, "ollama/nomic-embed-text/768"),
        ({"provider": "ollama"}, "ollama/nomic-embed-text/768"),
        ({"provider": "openai"}, "openai/text-embedding-3-small/1536"),
        ({"provider": "openai", "model": "mine", "dimensions": "512"}, "openai/mine/512"),
    ],
)
def test_embedding_providers_are_what_the_values_say(
    values: dict[str, str], embedder: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chosen = {f"codesearch__embedder__{name}": value for name, value in values.items()}
    adopt(render(**chosen), monkeypatch, tmp_path)
    assert default_embedder() == embedder
    if values.get("provider") == "openai":
        assert access().openai_api_key == "the OPENAI_API_KEY"
    else:
        assert access().ollama_url == "http://ollama:11434"


@pytest.mark.parametrize(
    ("backend", "url"), [("postgres", "postgresql:"), ("qdrant", "qdrant://qdrant:6334")]
)
def test_store_backends_are_what_the_values_say(
    backend: str, url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rendered = render(codesearch__store__backend=backend)
    adopt(rendered, monkeypatch, tmp_path)
    assert vector_store_url() == url
    assert ("QDRANT_API_KEY_FILE" in rendered.of("ConfigMap")["data"]) is (backend == "qdrant")
