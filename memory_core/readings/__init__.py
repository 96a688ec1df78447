"""Readings: what a person, a monitor and the report look at, gathered from where it lies."""
