"""`codesearch sidecar`: tools over MCP that ask a service with the caller's own token."""
