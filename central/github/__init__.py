"""The only place that knows GitHub: keyless trust (OIDC) and the webhooks of its App."""
