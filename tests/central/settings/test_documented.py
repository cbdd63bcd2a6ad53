"""What the environment may say is documented."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
_READ = re.compile(r'env\.(?:flag|hosts?|networks|number|required|text|words)\(\s*"([A-Z0-9_]+)"')
_OF_CONTAINERS = re.compile(r"\$\{([A-Z][A-Z0-9_]+)(?=:-)")
_PAGE = (ROOT / "docs" / "reference" / "settings.md").read_text()
NAMES = {
    name
    for path in ("deploy/entrypoint.sh", "docker-compose.yml")
    for name in _OF_CONTAINERS.findall((ROOT / path).read_text())
    if not name.startswith("OTEL_")
} | {
    name
    for path in (ROOT / "central" / "settings").glob("*.py")
    if path.name != "test.py"
    for name in _READ.findall(path.read_text())
    if not name.startswith("OTEL_")  # OpenTelemetry's own
}


def test_a_setting_that_is_read_is_told() -> None:
    assert [
        name for name in NAMES if not re.search(rf"^\|[^|]*`{name}`", _PAGE, re.MULTILINE)
    ] == []


def test_settings_are_read() -> None:
    assert {"AETERNA_DATA_DIR", "AETERNA_SSO_ISSUER", "DATABASE_URL", "AETERNA_PUBLISH"} <= NAMES
