"""Release branches: what they cost beside what differs, and what they cost the default branch."""
