"""Measurements, never tests: `make bench` prints a table and writes build/bench.json."""
