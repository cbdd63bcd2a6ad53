"""What docs/how-to/integrations.md says to paste runs as it stands there."""

import re
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from tests.integrations.langchain.test_agent import QUERY, Scripted

ROOT = Path(__file__).resolve().parents[3]
GUIDE = (ROOT / "docs/how-to/integrations.md").read_text(encoding="utf-8")
SECTION = GUIDE.partition("\n## LangChain\n")[2].partition("\n## ")[0]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", SECTION, re.DOTALL)


@pytest.fixture
def pasted(checkout: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """Names of a program that runs in the checkout, where `config.yaml` was pasted."""
    (config,) = blocks("yaml")
    monkeypatch.chdir(checkout)
    config_path = checkout / "config.yaml"
    config_path.write_text(config, encoding="utf-8")
    return {"model": Scripted(arguments=[{"input_str": QUERY}])}


@pytest.fixture(autouse=True)
def clean(checkout: Path) -> Any:
    yield
    (checkout / "config.yaml").unlink(missing_ok=True)


def test_the_guide_has_three_programs() -> None:
    assert len(blocks("python")) == 3


def test_the_agent(pasted: dict[str, Any]) -> None:
    program = blocks("python")[0].replace("agent.invoke(", "state = agent.invoke(")
    exec(program, pasted)  # noqa: S102
    (told,) = [one for one in pasted["state"]["messages"] if isinstance(one, ToolMessage)]
    assert "authenticate_user" in str(told.content)


def test_the_tool_by_hand(pasted: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    exec(blocks("python")[1], pasted)  # noqa: S102
    assert "authenticate_user auth/login.py 4-9 0." in capsys.readouterr().out
    pasted["tool"].close()


def test_the_chain(pasted: dict[str, Any]) -> None:
    asked: list[str] = []
    pasted["model"] = lambda prompt: asked.append(prompt.to_string())
    exec(blocks("python")[2], pasted)  # noqa: S102
    pasted["chain"].invoke("Where is a session ended?")
    assert "shop/auth/login.py:12\ndef logout_user(session):" in asked[0]
    assert asked[0].endswith("Question: Where is a session ended?")
