"""What GitHub's id tokens and webhooks bring about."""
