"""The effects of GitHub's id tokens and webhooks."""
