"""An index run, from its plan to the report."""
