"""`config.yaml` as the specification's usage example has it, and as it should not be."""

import traceback
from pathlib import Path

import pytest
from pydantic import ValidationError

from aeterna_code_search.integrations.langchain import CodebaseSearchToolConfig, Config, RagConfig
from aeterna_code_search.integrations.langchain.config import CONFIG_YAML_DEPTH
from indexer.errors import ConfigurationError

EXAMPLE = """\
rag:
  enabled: true  # Enable RAG system

tools:
  codebase_search:
    enabled: true  # Enable search tool
    top_k: 7
    similarity_threshold: 0.45
    max_code_length: 800
"""
OF_OTHERS = """\
project: {name: Meton}
defaults: &defaults {enabled: true, timeout: 5}
rag:
  enabled: true
  index_path: ./rag_index/
  dimensions: 768
tools:
  file_ops: {<<: *defaults, allowed_paths: [/tmp]}
  codebase_search:
    enabled: true
models: !!python/object/apply:os.system ["exit 1"]
"""


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str) -> Path:
    path = Path("config.yaml")
    path.write_text(text, encoding="utf-8")
    return path


def test_the_defaults_are_those_of_the_specification() -> None:
    assert CodebaseSearchToolConfig().model_dump() == {
        "enabled": False,
        "top_k": 5,
        "similarity_threshold": 0.3,
        "max_code_length": 500,
    }
    assert RagConfig().enabled is False


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [("top_k", 1, 50), ("similarity_threshold", 0.0, 1.0), ("max_code_length", 100, 10_000)],
)
def test_the_bounds_are_those_of_the_specification(key: str, low: float, high: float) -> None:
    for value in (low, high):
        assert getattr(CodebaseSearchToolConfig(**{key: value}), key) == value  # type: ignore[arg-type]
    for value in (low - 1, high + 1):
        with pytest.raises(ValidationError, match=key):
            CodebaseSearchToolConfig(**{key: value})  # type: ignore[arg-type]


def test_the_file_of_the_current_directory_is_read() -> None:
    write(EXAMPLE)
    config = Config()
    assert config.rag.enabled is True
    assert config.tools.codebase_search.model_dump() == {
        "enabled": True,
        "top_k": 7,
        "similarity_threshold": 0.45,
        "max_code_length": 800,
    }


def test_without_a_file_everything_is_off() -> None:
    config = Config()
    assert config.rag.enabled is False
    assert config.tools.codebase_search == CodebaseSearchToolConfig()


def test_another_file_may_be_named_and_must_exist(directory: Path) -> None:
    write(EXAMPLE).rename("other.yaml")
    assert Config("other.yaml").tools.codebase_search.top_k == 7
    assert Config(config_path=directory / "other.yaml").rag.enabled
    with pytest.raises(ConfigurationError, match=r"config\.yaml is not a file"):
        Config("config.yaml")
    with pytest.raises(ConfigurationError, match="is not a file"):
        Config(directory)


def test_sections_are_taken_instead_of_a_file() -> None:
    write(EXAMPLE)
    config = Config(rag=RagConfig(enabled=True))
    assert config.rag.enabled
    assert not config.tools.codebase_search.enabled
    with pytest.raises(ConfigurationError, match="not both"):
        Config("config.yaml", rag=RagConfig())


def test_sections_of_others_are_ignored_and_none_is_executed() -> None:
    write(OF_OTHERS)
    config = Config()
    assert config.rag.enabled
    assert config.tools.codebase_search.enabled


@pytest.mark.parametrize("text", ["", "# nothing", "rag:\ntools:\n", "tools: {codebase_search: }"])
def test_empty_sections_have_the_defaults(text: str) -> None:
    write(text)
    assert not Config().rag.enabled
    assert Config().tools.codebase_search == CodebaseSearchToolConfig()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("rag: {enabled: 'yes'}", "rag.enabled: Input should be a valid boolean"),
        ("rag: [1]", "rag must be a mapping"),
        ("rag: true", "rag must be a mapping"),
        ("- rag", "the file must be a mapping"),
        ("tools: {codebase_search: 5}", "tools.codebase_search must be a mapping"),
        ("tools: {codebase_search: {top_k: 51}}", "tools.codebase_search.top_k: Input should be"),
        ("tools: {codebase_search: {top_k: true}}", "tools.codebase_search.top_k: Input should"),
        ("tools: {codebase_search: {top_k: '5'}}", "tools.codebase_search.top_k: Input should"),
        ("tools: {codebase_search: {top_k: [5]}}", "tools.codebase_search.top_k must be a number"),
        ("tools: {codebase_search: {topk: 5}}", "tools.codebase_search.topk: Extra inputs"),
        (
            "tools: {codebase_search: {similarity_threshold: .nan}}",
            "tools.codebase_search.similarity_threshold: Input should be",
        ),
        (
            "tools: {codebase_search: {similarity_threshold: 2026-99-99}}",
            "tools.codebase_search.similarity_threshold must be a number",
        ),
        (
            f"tools: {{codebase_search: {{top_k: {'9' * 5_000}}}}}",
            "tools.codebase_search.top_k must be a number",
        ),
        (
            "tools: {codebase_search: {top_k: !!python/name:os.system 1}}",
            "tools.codebase_search.top_k must be a number",
        ),
        ("d: &d {top_k: 9}\ntools: {codebase_search: {<<: *d}}", "tools.codebase_search.<< must"),
        ("rag: {enabled: true", "is not valid YAML: .* at line 1"),
        ("a: *b", "is not valid YAML: found undefined alias 'b' at line 1"),
        ("a: 1\n---\nb: 2", "is not valid YAML: but found another document at line 2"),
        ("\0", "is not valid YAML"),
        ("[" * (CONFIG_YAML_DEPTH + 1), "has more than 20 nested brackets"),
        ("#" * 65_537, "has more than 65,536 bytes"),
    ],
)
def test_a_wrong_file_is_refused_and_its_key_named(text: str, problem: str) -> None:
    write(text)
    with pytest.raises(ConfigurationError, match=rf"^config\.yaml:? {problem}") as caught:
        Config()
    assert len(str(caught.value)) < 600


def test_other_sections_are_never_made_into_values() -> None:
    """Aliases could make gigabytes of them. A tag without a constructor stands for these."""
    write("a: &a !unknown {k: v}\nb: {<<: [*a, *a]}\nrag: {enabled: true}\ntools: {other: *a}")
    assert Config().rag.enabled


def test_a_file_that_cannot_be_read_is_refused(directory: Path) -> None:
    (directory / "config.yaml").mkdir()
    with pytest.raises(ConfigurationError, match="is not a file"):
        Config()


def test_a_link_to_a_device_is_not_read(directory: Path) -> None:
    (directory / "config.yaml").symlink_to("/dev/zero")
    with pytest.raises(ConfigurationError, match="is not a file"):
        Config()


@pytest.mark.parametrize(
    "text",
    [
        "tools: {codebase_search: {top_k: s3cret}}",
        "tools: {codebase_search: {top_k: [s3cret]}}",
        "tools: {codebase_search: {top_k: 2026-99-99 # s3cret\n}}",
        "s3cret: {",
        "s3cret",
    ],
)
def test_an_error_repeats_nothing_of_the_file(text: str) -> None:
    """Nor does its traceback: a link may lead to a file that is not for an agent's eyes."""
    write(text)
    with pytest.raises(ConfigurationError) as caught:
        Config()
    assert "s3cret" not in "".join(traceback.format_exception(caught.value))
