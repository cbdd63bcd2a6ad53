"""MCP servers: over standard input and output, and `codesearch sidecar` over HTTP."""
