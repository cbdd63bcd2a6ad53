"""What people and runners read: terminal text, Markdown, workflow commands, the log."""
