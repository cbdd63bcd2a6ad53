"""Output for people and runners: terminal text, Markdown, workflow commands, the log."""
