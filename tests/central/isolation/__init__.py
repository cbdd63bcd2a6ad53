"""Every route, asked with every kind of credential."""
