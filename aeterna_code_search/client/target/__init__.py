"""The service that commands use: its URL, organisation and token."""
