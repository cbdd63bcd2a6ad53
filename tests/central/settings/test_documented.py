"""What the environment may say is documented."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
_READ = re.compile(r'env\.(?:flag|host|number|required|text|words)\(\s*"([A-Z0-9_]+)"')
_TOLD = "\n".join(path.read_text() for path in (ROOT / "README.md", *ROOT.glob("docs/*/*.md")))
NAMES = {
    name
    for path in (ROOT / "central" / "settings").glob("*.py")
    if path.name != "test.py"
    for name in _READ.findall(path.read_text())
    if not name.startswith("OTEL_")  # OpenTelemetry's own
}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_setting_that_is_read_is_told(name: str) -> None:
    assert re.search(rf"`{name}\b", _TOLD), name


def test_settings_are_read() -> None:
    assert {"AETERNA_DATA_DIR", "AETERNA_SSO_ISSUER", "DATABASE_URL"} <= NAMES
