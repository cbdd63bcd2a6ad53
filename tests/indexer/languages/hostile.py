"""What every rule of a host format must keep, whatever the bytes are."""

from indexer.languages import LANGUAGES_BY_NAME
from indexer.languages.base import mask


def check_regions(language: str, source: bytes) -> None:
    """Check that regions are in order and apart, and that masking keeps bytes at their places."""
    host = LANGUAGES_BY_NAME[language].host
    assert host is not None
    regions = list(host.regions(source))
    end = 0
    for one in regions:
        assert end <= one.start <= one.end <= len(source)
        assert len(one.text) in {0, one.end - one.start}
        end = one.end
    masked = mask(source, regions)
    assert len(masked) == len(source)
    assert [at for at, byte in enumerate(source) if byte == 0x0A and masked[at] != 0x0A] == []
