"""What may happen to a run, a module for each part of its life."""
