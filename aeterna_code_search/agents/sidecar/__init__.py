"""Tools of the trace sidecar."""
