"""The operations on a run, one module for each stage of its life."""
