"""The command line `codesearch …`: a client of a central or embedded service, over HTTP."""
