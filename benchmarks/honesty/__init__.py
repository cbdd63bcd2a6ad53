"""Call sites of public code that no answer accounts for."""
