"""npm's ranges."""


def allows_npm(required: str, version: str) -> bool:
    """Whether a version is in a range, by the rules of node-semver. False for what is no range."""
    from nodesemver import satisfies

    return bool(satisfies(version, required, loose=False))
