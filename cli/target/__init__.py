"""The service that commands ask: which one, where, and with which token."""
