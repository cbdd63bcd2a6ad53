"""What the command line and the integrations share: which service, its API, files, receipts."""
