"""A project with a ChunkHound database, an embedding service, and a user's environment."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.embedding_servers import KEY, Server, openai_server
from tests.integrations.chunkhound.databases import Chunk, write_database

LOGIN = """\
def login(user, password):
    \"\"\"Check the password of a user: authentication logic.\"\"\"
    return verify(password, user.digest)
"""
TOKENS = """\
class TokenStore:
    def validate(self, token):
        # token validation
        return token in self.valid
"""
RETRY = "def retry(call):\n    # error handling: call again\n    return call()\n"
SOURCES = {
    "src/login.py": f"import hashlib\n\n\n{LOGIN}\n\ndef logout(user):\n    user.session = None\n",
    "src/tokens.py": TOKENS,
    "src/retry.go": "package retry\n\n// error handling validation of a call\nfunc Retry() {}\n",
    "tests/test_login.py": "def test_login():\n    assert login('authentication logic', '')\n",
    "src/Mock_Login.py": "def fake_login():\n    return 'authentication logic mock'\n",
}
CHUNKS = (
    Chunk("src/login.py", LOGIN, symbol="login", start_line=4, end_line=6),
    Chunk(
        "src/login.py",
        "def logout(user):\n    user.session = None\n",
        symbol="logout",
        start_line=9,
        end_line=10,
    ),
    Chunk("src/tokens.py", TOKENS, "class", "TokenStore", 1, 4),
    Chunk("src/tokens.py", "def validate(self, token):", "method", "validate", 2, 4),
    Chunk("src/tokens.py", "# token validation", "comment", "line_3", 3, 3),
    Chunk(
        "src/retry.go",
        "// error handling validation of a call\nfunc Retry() {}",
        symbol="Retry",
        start_line=3,
        end_line=4,
        language="go",
    ),
    Chunk("tests/test_login.py", SOURCES["tests/test_login.py"], symbol="test_login"),
    Chunk("src/Mock_Login.py", SOURCES["src/Mock_Login.py"], symbol="fake_login"),
)


@dataclass(frozen=True)
class Home:
    """A user's home directory."""

    path: Path

    @property
    def secrets(self) -> Path:
        return self.path / ".onetool/config/secrets.yaml"

    def write_secrets(self, text: str) -> None:
        self.secrets.parent.mkdir(parents=True, exist_ok=True)
        self.secrets.write_text(text)


@pytest.fixture(scope="module")
def shared_openai() -> Iterator[Server]:
    with openai_server() as server:
        yield server


@pytest.fixture
def openai(shared_openai: Server) -> Server:
    """OpenAI's stand-in; what it was asked before is forgotten."""
    shared_openai.requests.clear()
    shared_openai.headers.clear()
    shared_openai.troubles.clear()
    return shared_openai


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, openai: Server) -> Home:
    """Of a user with a key, whose machine has no service of ours; it is the environment."""
    ours = ("AETERNA_", "OPENAI_", "OT_", "GITHUB_", "CHUNKHOUND_")
    for name in [name for name in os.environ if name.startswith(ours)]:
        monkeypatch.delenv(name)
    home = Home(tmp_path / "home")
    home.write_secrets(f"OPENAI_API_KEY: {KEY}\n")
    monkeypatch.setenv("HOME", str(home.path))
    monkeypatch.setenv("AETERNA_DATA_DIR", str(tmp_path / "no-service"))
    monkeypatch.setenv("OPENAI_BASE_URL", openai.url)
    return home


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of CHUNKS, to copy."""
    return write_database(tmp_path_factory.mktemp("template") / "chunks.db", CHUNKS)


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Home, template: Path) -> Path:
    """A project that ChunkHound has indexed; it is the current directory."""
    root = write_project(tmp_path / "project")
    copy_database(template, root / ".chunkhound/db/chunks.db")
    monkeypatch.chdir(root)
    return root


def copy_database(template: Path, path: Path) -> Path:
    path.parent.mkdir(parents=True)
    return Path(shutil.copy(template, path))


def write_project(root: Path) -> Path:
    for name, content in SOURCES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root
