"""Paths of repositories in addresses and on pages."""


class FilePathConverter:
    """The path of a file: anything at all, for a name may hold even line breaks."""

    regex = "(?s:.+)"

    def to_python(self, value: str) -> str:
        """The path in an address."""
        return value

    def to_url(self, value: str) -> str:
        """The path for an address; Django quotes it."""
        return value
