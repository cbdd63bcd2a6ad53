"""Many clients at once, on the service as it is deployed."""
