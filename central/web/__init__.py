"""Pages for people: search, traces, files, the organisation, its settings, and the dashboard."""
