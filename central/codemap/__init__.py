"""Questions to an organisation as one: what its repositories use of one another."""
