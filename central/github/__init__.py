"""GitHub, known to this package only: keyless trust (OIDC) and the webhooks of its App."""
