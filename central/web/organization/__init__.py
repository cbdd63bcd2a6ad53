"""Pages of an organisation's admins: below /o/<slug>/settings, and the invitation's own."""
