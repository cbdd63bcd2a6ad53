"""`codesearch …`, for people: a client of a service, central or embedded, over HTTP."""
